package store

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/part"
)

// checkDisk compares a machine's disk with what its directories need and with
// the platform's minimum for a machine, below which no new one is installed.
func (p *planner) checkDisk(d Disk, isNew bool) {
	have := d.Disk.Number
	switch {
	case have == 0:
	case have < d.Least.Number && (isNew || have >= d.Min.Number):
		severity := v1alpha1.Warning
		if isNew {
			severity = v1alpha1.Error
		}
		f := p.Find(severity, "storage.disk.belowMinimum", fmt.Sprintf("%s: a disk of %s is less than the platform's "+
			"minimum of %s for a machine (its directories take %s at least)",
			name(d), d.Disk.Text, d.Least.Text, d.Min.Text), larger(d))
		f.Figure, f.Sources = d.Need.From.ID, []derive.Source{*d.Least.From.Source}
	case have < d.Min.Number:
		p.disk103(v1alpha1.Warning, "storage.disk.tooSmall", "the least", d, d.Min)
	case have < d.Max.Number:
		p.disk103(v1alpha1.Info, "storage.disk.tight", "the most", d, d.Max)
	}
}

// name of the nodes in a sentence.
func name(d Disk) string { return cmp.Or(d.Type, d.Role) }

// disk103 tells of a disk that is less than a sum of table 10.3.
func (p *planner) disk103(severity v1alpha1.Severity, finding, words string, d Disk, against derive.Value) {
	f := p.Find(severity, finding,
		fmt.Sprintf("%s: a disk of %s is less than %s that table 10.3 gives its directories, %s", name(d), d.Disk.Text, words,
			against.Text),
		larger(d)+", or set logsPerNodePerDay to what its logs really take")
	f.Figure, f.Sources = against.From.ID, []derive.Source{table}
}

// larger advises a disk. Where pods use it, a larger one has room for more of them, and
// nobody knows the end of that but the plan of a disk without a size.
func larger(d Disk) string {
	if d.ephemeral {
		return "leave disk out of " + name(d) + ": the plan then says how large it is with all pods that a node may take"
	}
	return "give each " + name(d) + " node a disk of " + d.Need.Text
}

// summary says in a sentence what was judged.
func (p *planner) summary(r Result) {
	text := "the scenario names no use of storage to judge (storage.uses)"
	if n := len(r.Advice); n > 0 {
		bad := 0
		for _, a := range r.Advice {
			if a.Given != nil && marks[a.Given.Level] == "bad" {
				bad++
			}
		}
		text = derive.Of(float64(n), "uses").Text + " of storage judged, all on storage that can serve them"
		if bad > 0 {
			text = derive.Of(float64(n), "uses").Text + " of storage judged, " + derive.Of(float64(bad), "").Text +
				" on storage that can't be configured for it"
		}
	}
	p.Section.Summary = text
}

// marks of the levels.
var marks = map[Level]string{Recommended: "good", Configurable: "warn", NotRecommended: "warn", NotConfigurable: "bad"}

// choiceTable lists the technologies for each use, best first.
func (p *planner) choiceTable(list []Advice) {
	if len(list) == 0 {
		return
	}
	t := p.Table("storage.choices", "Storage technologies by use, best first (table 10.2)",
		part.Left("Use"), part.Left("Storage"), part.Left("Verdict"), part.Left("ROX"), part.Left("RWX"), part.Left("Why"))
	for _, a := range list {
		for i, c := range a.all() {
			name := a.Name
			if i > 0 {
				name = ""
			}
			given := a.Given != nil && a.Given.Technology == c.Technology && a.Given.Product == c.Product
			t.Rows = append(t.Rows, p.choiceRow(name, c, given))
		}
	}
	t.Notes = []string{"ROX: read-only by many. RWX: written by many."}
	if p.in.Release == "4.4" || strings.HasPrefix(p.in.Release, "4.4.") {
		t.Notes = append(t.Notes, "CNS is "+p.Fact("ocp.storage.cns").Text+" in 4.4 (OCP 10.1).")
	}
}

// all are the ranked choices with the scenario's own among them: in the place of
// its technology when it is as good, else beside it, so that the better one stays.
func (a Advice) all() []Choice {
	list := slices.Clone(a.Choices)
	if a.Given == nil {
		return list
	}
	at := slices.IndexFunc(list, func(c Choice) bool { return c.Technology == a.Given.Technology })
	if list[at].Level == a.Given.Level {
		list[at] = *a.Given
		return list
	}
	list = append(list, *a.Given)
	slices.SortStableFunc(list, func(a, b Choice) int {
		return cmp.Compare(slices.Index(Levels(), a.Level), slices.Index(Levels(), b.Level))
	})
	return list
}

func (p *planner) choiceRow(name string, c Choice, given bool) []v1alpha1.Cell {
	storage := title(c)
	if given {
		storage += ", as chosen"
	}
	yesNo := func(mode string) v1alpha1.Cell {
		if Serves(p.Facts, c.Technology, c.Product, mode) {
			return part.Text("yes")
		}
		return part.Text("no")
	}
	return []v1alpha1.Cell{part.Text(name), part.Text(storage), part.Marked(string(c.Level), marks[c.Level]), yesNo("ROX"),
		yesNo("RWX"), part.Text(c.Words())}
}

// diskTable shows the directories of each node type.
func (p *planner) diskTable(disks []Disk) {
	if len(disks) == 0 {
		return
	}
	paths := []string{p.Fact("ocp.dataDir.etcdPath").Text, p.Fact("ocp.dataDir.containersPath").Text,
		p.Fact("ocp.dataDir.kubeletPath").Text, p.Fact("ocp.dataDir.logPath").Text}
	columns := []v1alpha1.Column{part.Left("Directory")}
	for _, d := range disks {
		columns = append(columns, part.Right(columnName(d)))
	}
	t := p.Table("storage.disks", "Local disk of each node (table 10.3)", columns...)
	t.Wide = true
	for _, path := range paths {
		row := []v1alpha1.Cell{part.Text(path)}
		for _, d := range disks {
			row = append(row, d.directory(path))
		}
		t.Rows = append(t.Rows, row)
	}
	for _, line := range []struct {
		title string
		cell  func(Disk) v1alpha1.Cell
	}{
		{"all directories", func(d Disk) v1alpha1.Cell { return span(d.Min, d.Max) }},
		{"to provide", func(d Disk) v1alpha1.Cell { return part.Num(d.Need) }},
		{"the machine has", has},
	} {
		row := []v1alpha1.Cell{part.Text(line.title)}
		for _, d := range disks {
			row = append(row, line.cell(d))
		}
		t.Rows = append(t.Rows, row)
	}
	t.Notes = []string{"The operating system is not in the directories; " +
		"\"to provide\" is at least the platform's minimum, which includes it."}
}

// columnName tells the node types of the table apart.
func columnName(d Disk) string {
	if d.Type == "" {
		return d.Role
	}
	return d.Type + ", " + d.Role
}

// directory is the cell of one directory; a node that doesn't have it gets a dash.
func (d Disk) directory(path string) v1alpha1.Cell {
	at := slices.IndexFunc(d.Directories, func(dir Directory) bool { return dir.Path == path })
	if at < 0 {
		return part.Text("-")
	}
	return span(d.Directories[at].Min, d.Directories[at].Max)
}

// span is a cell with a range; it links to the upper figure.
func span(low, high derive.Value) v1alpha1.Cell {
	c := part.Num(high)
	if low.Number != high.Number {
		c.Text = low.Text + " to " + high.Text
	}
	return c
}

func has(d Disk) v1alpha1.Cell {
	if d.Disk.Number == 0 {
		return part.Text("not given")
	}
	c := part.Num(d.Disk)
	switch {
	case d.Disk.Number < max(d.Min.Number, d.Least.Number):
		c.Mark = "bad"
	case d.Disk.Number < d.Max.Number:
		c.Mark = "warn"
	default:
		c.Mark = "good"
	}
	return c
}
