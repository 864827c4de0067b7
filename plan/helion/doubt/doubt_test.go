package doubt

import (
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/limit"
	"plimsoll.dev/part"
)

// catalogue has two readings of one figure.
func catalogue() *facts.Catalogue {
	source := derive.Source{Code: "HCG", Section: "3"}
	return facts.New([]facts.Fact{
		{ID: "log.bytes", Number: 7.5e6, Unit: "bytes", Source: source},
		{ID: "log.bytesPrinted", Number: 77.5e6, Unit: "bytes", Source: source},
	})
}

func TestPickByMode(t *testing.T) {
	for mode, want := range map[string]float64{Careful: 7.5e6, AsPrinted: 77.5e6, Refuse: 7.5e6, "": 7.5e6} {
		l := New(mode, catalogue())
		if got := l.Pick(1, "log.bytes", "log.bytesPrinted"); got.Number != want || got.From == nil {
			t.Errorf("mode %q: %v, want %v", mode, got, want)
		}
		used := "7.5 MB a day"
		if mode == AsPrinted {
			used = "77.5 MB a day"
		}
		if r := l.Rows()[0]; !r.Met || r.Used != used || r.Printed != "77.5 MB a day" {
			t.Errorf("mode %q: row %+v", mode, r)
		}
	}
}

// A measurement of one's own settles the doubt in every mode.
func TestMeasurementEndsTheDoubt(t *testing.T) {
	own := facts.Fact{ID: "log.bytes", Number: 8e6, Unit: "bytes",
		Source: derive.Source{Code: part.OwnMeasurement, Section: "our log server"}}
	for _, mode := range []string{Careful, AsPrinted, Refuse} {
		l := New(mode, catalogue().With(own))
		if got := l.Pick(1, "log.bytes", "log.bytesPrinted"); got.Number != 8e6 {
			t.Errorf("mode %s: %v", mode, got)
		}
		if l.Rows()[0].Met || len(Part(l).Findings) != 0 {
			t.Errorf("mode %s: the row is still in doubt", mode)
		}
	}
}

// The notes list 23 rows; 1, 2 and 4 contradict themselves.
func TestRows(t *testing.T) {
	rows := New(Careful, catalogue()).Rows()
	if len(rows) != 23 {
		t.Fatalf("%d rows, want 23", len(rows))
	}
	var contradict []int
	for i, r := range rows {
		if r.Number != i+1 || r.Title == "" || r.Why == "" || r.Used == "" || r.Printed == "" || r.Met {
			t.Errorf("row %+v", r)
		}
		if r.Contradicts {
			contradict = append(contradict, r.Number)
		}
	}
	if !slices.Equal(contradict, []int{1, 2, 4}) {
		t.Errorf("rows %v contradict themselves, want 1, 2 and 4", contradict)
	}
}

// The tables show the rows met with their effects, and in wide output the others; the
// printed value and the reason are for wide output, too.
func TestPartTables(t *testing.T) {
	l := New(Careful, catalogue())
	l.Pick(1, "log.bytes", "log.bytesPrinted")
	l.Effect(1, "77.5 MB would make it 1.78 GB a day")
	l.Effect(1, "77.5 MB would make it 1.78 GB a day")
	l.Met(15)
	p := Part(l)
	met, others := p.Section.Tables[0], p.Section.Tables[1]
	if len(met.Rows) != 2 || met.Wide || len(others.Rows) != 21 || !others.Wide {
		t.Fatalf("%d rows met, %d others", len(met.Rows), len(others.Rows))
	}
	for _, c := range met.Columns {
		if wide := c.Title == "Printed" || c.Title == "Why"; c.Wide != wide {
			t.Errorf("column %s: wide is %v", c.Title, c.Wide)
		}
	}
	if got := met.Rows[0][5].Text; got != "77.5 MB would make it 1.78 GB a day" {
		t.Errorf("effect %q", got)
	}
	if len(p.Findings) != 1 || p.Findings[0].Severity != v1alpha1.Info {
		t.Errorf("findings %+v: only row 1 contradicts itself", p.Findings)
	}
	if quiet := Part(New(Careful, catalogue())); len(quiet.Section.Tables) != 1 || len(quiet.Findings) != 0 {
		t.Errorf("a plan that meets no row: %+v", quiet.Section.Tables)
	}
}

func TestSeverityByMode(t *testing.T) {
	for mode, want := range map[string]v1alpha1.Severity{Careful: v1alpha1.Info, AsPrinted: v1alpha1.Warning,
		Refuse: v1alpha1.Error} {
		l := New(mode, catalogue())
		l.Pick(1, "log.bytes", "log.bytesPrinted")
		l.Met(6) // does not contradict itself
		f := Part(l).Findings
		if len(f) != 1 || f[0].Severity != want || f[0].ID != "doubts.row[1]" {
			t.Errorf("mode %s: %+v", mode, f)
		}
	}
}

// In mode refuse nothing that follows from the row is shown as good.
func TestRefusedFigures(t *testing.T) {
	for _, mode := range []string{Careful, AsPrinted, Refuse} {
		l := New(mode, catalogue())
		var b derive.Book
		v := l.Pick(1, "log.bytes", "log.bytesPrinted")
		daily := b.Calc("logging.daily", "", "bytes", "2 * each", derive.In("each", v))
		yearly := b.Calc("logging.yearly", "", "bytes", "365 * daily", derive.In("daily", daily))
		free := b.Calc("other.figure", "", "hosts", "3")
		table := v1alpha1.Table{Rows: [][]v1alpha1.Cell{{part.Num(yearly), part.Num(free), part.Text("x")}}}
		table.Rows[0][0].Mark = "good"
		p := &v1alpha1.Plan{Figures: b.Figures(), Sections: []v1alpha1.Section{{Tables: []v1alpha1.Table{table}}},
			Gauges: []limit.Gauge{limit.Measure("logs", "Logs", "", yearly, derive.Of(1e12, "bytes"), limit.Tested),
				limit.Measure("hosts", "Hosts", "", free, derive.Of(4, "hosts"), limit.Tested)}}
		l.Mark(p)
		refused := mode == Refuse
		for _, f := range p.Figures {
			noted := slices.ContainsFunc(f.Notes, func(n string) bool { return strings.HasPrefix(n, "refused:") })
			if noted != (refused && f.ID != "other.figure") {
				t.Errorf("mode %s: figure %s noted: %v", mode, f.ID, noted)
			}
		}
		row := p.Sections[0].Tables[0].Rows[0]
		if (row[0].Mark == "bad") != refused || row[1].Mark != "" || row[2].Mark != "" {
			t.Errorf("mode %s: cells %+v", mode, row)
		}
		if (len(p.Gauges) == 1) != refused || p.Gauges[len(p.Gauges)-1].ID != "hosts" {
			t.Errorf("mode %s: %d gauges", mode, len(p.Gauges))
		}
	}
}

func TestUnknownRowIsAFault(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("row 24 was taken")
		}
	}()
	New(Careful, catalogue()).Met(24)
}

// In mode as-printed a row that is met either takes the printed reading or says that
// it does not.
func TestAsPrintedSaysWhatIsUsed(t *testing.T) {
	l := New(AsPrinted, catalogue())
	for n := range 23 {
		l.Met(n + 1)
	}
	for _, r := range l.Rows() {
		if r.Used != r.Printed && !strings.Contains(r.Used, "in mode as-printed, too") {
			t.Errorf("row %d: used %q, printed %q", r.Number, r.Used, r.Printed)
		}
	}
}
