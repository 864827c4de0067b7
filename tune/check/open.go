package check

import (
	"regexp"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
)

// gaps are the places of an object that a template leaves to be filled in.
type gaps struct {
	object *object.Object
	// first is the first of them.
	first *yamlpos.Node
	// spans are the lines around gaps, and at the places of what encloses them.
	spans [][2]int
	at    map[[2]int]bool

	keys [][2]int // the places of the keys above
	text *text
}

// text is the last text that was cut into lines: that of a list of many objects is cut once.
type text struct {
	of    []byte
	lines []string
}

// after is the line after one of a document, which begins in line first of its file.
func (t *text) after(of []byte, line, first int) string {
	if len(of) != len(t.of) || len(of) > 0 && &of[0] != &t.of[0] {
		t.of, t.lines = of, strings.Split(string(of), "\n")
	}
	if i := line - max(1, first) + 1; i < len(t.lines) {
		return t.lines[i]
	}
	return ""
}

// gapsOf finds the gaps of an object, nil for none.
func gapsOf(o *object.Object, t *text) *gaps {
	g := &gaps{object: o, text: t}
	g.walk(o.Tree.Root, other, nil)
	if g.first == nil {
		return nil
	}
	lines := linesOf(o.Tree.Root, nil)
	slices.Sort(lines)
	for i, s := range g.spans { // to the line before the next value
		next, _ := slices.BinarySearch(lines, s[1]+1)
		g.spans[i][1] = append(lines, 1<<30)[next] - 1
	}
	return g
}

// use is what a text of an object is: its name, one of its labels, or something else.
type use int

const (
	other use = iota
	name
	label
)

// below says what stands below a key.
func below(key string) use {
	switch {
	case key == "metadata":
		return name
	case strings.HasSuffix(key, "elector"), strings.HasSuffix(key, "abels"):
		return label
	}
	return other
}

// walk looks for gaps below a value; above are the values around it.
func (g *gaps) walk(n *yamlpos.Node, of use, above []*yamlpos.Node) {
	if n.Kind == yamlpos.Text && unfilled(n.Text, of) {
		g.note(n, of, above)
	}
	above = append(above, n)
	for _, item := range n.Items {
		g.walk(item, of, above)
	}
	for _, e := range n.Entries {
		if key := (&yamlpos.Node{Line: e.Line, Col: e.Col}); strings.ContainsAny(e.Key, "{$<") &&
			openKey.MatchString(e.Key) {
			g.note(key, of, above)
		}
		if empty := e.Value.Kind == yamlpos.Null && e.Value.Line == e.Line && e.Value.Col == e.Col; empty &&
			commented(e, g.text.after(g.object.Tree.Source, e.Line, g.object.Tree.First)) {
			g.note(e.Value, of, above)
		}
		// A comment of the cluster's is free text.
		g.keys = append(g.keys, [2]int{e.Line, e.Col})
		switch {
		case e.Key == "annotations":
		case e.Key == "version" && len(above) > 2: // that of a specification, by which all of spec is read
			g.walk(e.Value, of, above[:3])
		default:
			g.walk(e.Value, max(of, below(e.Key)), above)
		}
		g.keys = g.keys[:len(g.keys)-1]
	}
}

// note notes a gap. What is around it can't be judged either, unless it is the object, its spec, or other labels.
func (g *gaps) note(n *yamlpos.Node, of use, above []*yamlpos.Node) {
	if g.first == nil {
		g.first, g.at = n, map[[2]int]bool{}
	}
	around := n
	if len(above) > 2 && of == other {
		around = above[len(above)-1]
		if list := above[len(above)-2]; list.Kind == yamlpos.List && g.object.Kind == "MachineHealthCheck" {
			around = list // whose conditions are judged together
		}
	}
	g.spans = append(g.spans, [2]int{around.Line, slices.Max(linesOf(around, nil))})
	for _, a := range above {
		g.at[[2]int{a.Line, a.Col}] = true
	}
	for _, key := range g.keys {
		g.at[key] = true
	}
}

// commentedValue is a key, or an item, in a comment.
var commentedValue = regexp.MustCompile(`^(\s*#\s*)(- |(- )?["']?[\w./-]+(["']|\$\w+)*:(\s|$))`)

// commented says whether a comment below a key without a value holds what people fill in: an item, or a key that would
// stand further in. Any other is a remark, as are those below annotations and labels, which may be left out.
func commented(e yamlpos.Entry, comment string) bool {
	m := commentedValue.FindStringSubmatch(comment)
	return m != nil && e.Key != "annotations" && e.Key != "labels" && (m[2][0] == '-' || len(m[1]) > e.Col+1)
}

// linesOf are the lines on which keys and values begin, of a value and below it.
func linesOf(n *yamlpos.Node, lines []int) []int {
	lines = append(lines, n.Line)
	for _, item := range n.Items {
		lines = linesOf(item, lines)
	}
	for _, e := range n.Entries {
		lines = linesOf(e.Value, append(lines, e.Line))
	}
	return lines
}

// hides says whether a finding may hang on what fills a gap.
func (g *gaps) hides(f v1alpha1.Finding) bool {
	if f.Place == nil || f.Place.File != g.object.Tree.Name || g.at[[2]int{f.Place.Line, f.Place.Col}] {
		return true
	}
	if f.ID == "health.labelKey" { // which is about the key, whatever its value
		return false
	}
	return slices.ContainsFunc(g.spans, func(s [2]int) bool { return s[0] <= f.Place.Line && f.Place.Line <= s[1] })
}

// told is the line about the template.
func (g *gaps) told() v1alpha1.Finding {
	f := g.object.Finding(template, "", g.object.Kind+" is a template: its open places are not judged",
		"check what becomes of it")
	f.Place.Line, f.Place.Col = g.first.Line, g.first.Col
	return f
}

// judge judges what is whole of an object, by itself.
func (g *gaps) judge(r release.Release) []v1alpha1.Finding {
	var out []v1alpha1.Finding
	for _, p := range packages {
		out = append(out, p.check([]*object.Object{g.object}, r)...)
	}
	return slices.DeleteFunc(out, func(f v1alpha1.Finding) bool { return g.hides(f) || ofSet(f.ID) })
}

// ofSet says whether a rule is about what else is in the set.
func ofSet(id string) bool {
	return ofNone(id) || slices.Contains([]string{"machineConfig.order", "machineConfig.rollouts",
		"profile.includeNowhere", "profile.noDefinition"}, id)
}

// ofNone says whether a rule is about an object for which there is no other, so that it does nothing.
func ofNone(id string) bool {
	return ofPools(id) || slices.Contains([]string{"health.selectsNothing", "profile.chosenNowhere",
		"profile.noPoolTakes"}, id)
}

// ofPools says whether a rule is about which pools there are.
func ofPools(id string) bool {
	return strings.HasSuffix(id, ".noPool") || strings.HasSuffix(id, ".unlabelled") ||
		slices.Contains([]string{"machineConfig.unreached", "pool.noConfigs", "pool.withoutWorker", "pool.unmanaged"}, id)
}

var (
	// open are values that are to be filled in: {{ .x }}, {% if %}, $name, 4-${LAST}, <name>; (?<name>.*) of a reference
	// that clusters are compared with; and content that stands for the real one.
	open = regexp.MustCompile(`^[^\n]*(\{\{.*\}\}|\{%.*%\})[^\n]*$|^\$[a-zA-Z_]\w*$|^\$\{\w+\}$|^<[\w .-]+>$|` +
		`^\(\?<\w+>.*\)$|^data:[^,\n]*(,\$\{?\w+\}?|;base64,(<[^<>\n]+>|[A-Z][A-Z0-9]*(_[A-Z0-9]+)+))$`)
	// openPart is the same of a part of a text, which is not the content of a file: scripts have variables, too.
	openPart = regexp.MustCompile(`^[\w.,:/-]+\$\{?[a-zA-Z_]\w*\}?[\w.,:/-]*$`)
	// openName are parts of names, in which these letters can't stand; openLabel of labels, which may be in capitals.
	openName  = regexp.MustCompile(`^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$`)
	openLabel = regexp.MustCompile(`\$\{?[A-Za-z_]|<\w[^<>\n]*>|` +
		`^([A-Z0-9]+_)*(OF|NAME|ROLE|CLUSTER_ID|INFRA_ID|CHANGE_ME|REPLACE_ME)(_[A-Z0-9]+)*$`)
	openKey = regexp.MustCompile(`\{\{.*\}\}|\{%.*%\}|\$\{?[A-Za-z_]\w*|^<[\w .-]+>$`)
)

// unfilled says whether a text is to be filled in.
func unfilled(text string, of use) bool {
	if !strings.ContainsAny(text, "{$<_") { // all of them have one
		return false
	}
	return open.MatchString(text) || openPart.MatchString(text) && !strings.HasPrefix(text, "data:") ||
		of != other && openLabel.MatchString(text) || of == name && openName.MatchString(text)
}
