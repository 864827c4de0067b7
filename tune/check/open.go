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
	g.walk(o.Tree.Root, false, nil)
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

// selects says whether names and labels stand below a key.
func selects(key string) bool {
	return key == "metadata" || strings.HasSuffix(key, "elector") || strings.HasSuffix(key, "abels")
}

// walk looks for gaps below a value; above are the values around it.
func (g *gaps) walk(n *yamlpos.Node, named bool, above []*yamlpos.Node) {
	if n.Kind == yamlpos.Text && unfilled(n.Text, named) {
		g.note(n, named, above)
	}
	above = append(above, n)
	for _, item := range n.Items {
		g.walk(item, named, above)
	}
	for _, e := range n.Entries {
		if key := (&yamlpos.Node{Line: e.Line, Col: e.Col}); strings.ContainsAny(e.Key, "{$<") &&
			openKey.MatchString(e.Key) {
			g.note(key, named, above)
		}
		if empty := e.Value.Kind == yamlpos.Null && e.Value.Line == e.Line && e.Value.Col == e.Col; empty &&
			commentedKey.MatchString(g.text.after(g.object.Tree.Source, e.Line, g.object.Tree.First)) {
			g.note(e.Value, named, above)
		}
		// A comment of the cluster's is free text.
		g.keys = append(g.keys, [2]int{e.Line, e.Col})
		switch {
		case e.Key == "annotations":
		case e.Key == "version" && len(above) > 2: // that of a specification, by which all of spec is read
			g.walk(e.Value, named, above[:3])
		default:
			g.walk(e.Value, named || selects(e.Key), above)
		}
		g.keys = g.keys[:len(g.keys)-1]
	}
}

// note notes a gap. What is around it can't be judged either, unless it is the object, its spec, or other labels.
func (g *gaps) note(n *yamlpos.Node, named bool, above []*yamlpos.Node) {
	if g.first == nil {
		g.first, g.at = n, map[[2]int]bool{}
	}
	around := n
	if len(above) > 2 && !named {
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

// commentedKey is a key, or an item, in a comment: below a key without a value it is what people fill in.
var commentedKey = regexp.MustCompile(`^\s*#\s*(- )?["']?[\w./-]+(["']|\$\w+)*:(\s|$)|^\s*#\s*- `)

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
	return ofPools(id) || slices.Contains([]string{"health.selectsNothing", "machineConfig.order",
		"machineConfig.rollouts", "profile.noDefinition"}, id)
}

// ofPools says whether a rule is about which pools there are.
func ofPools(id string) bool {
	return strings.HasSuffix(id, ".noPool") || slices.Contains([]string{"kubelet.unlabelled", "machineConfig.unreached",
		"pool.noConfigs", "pool.withoutWorker", "pool.unmanaged"}, id)
}

var (
	// open are values that are to be filled in: {{ .x }}, {% if %}, $name, 4-${LAST}, <name>; (?<name>.*) of a reference
	// that clusters are compared with; and content that stands for the real one.
	open = regexp.MustCompile(`^[^\n]*(\{\{.*\}\}|\{%.*%\})[^\n]*$|^\$[a-zA-Z_]\w*$|^\$\{\w+\}$|^<[\w .-]+>$|` +
		`^\(\?<\w+>.*\)$|^data:[^,\n]*;base64,(\$\{?\w+\}?|<[^<>\n]+>|[A-Z][A-Z0-9]*(_[A-Z0-9]+)+)$|` +
		`^[\w.,:/-]+\$\{?[a-zA-Z_]\w*\}?[\w.,:/-]*$`)
	// openName are parts of names and labels, in which these letters can't stand.
	openName = regexp.MustCompile(`\$\{?[A-Za-z_]|^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$|<\w[^<>\n]*>`)
	openKey  = regexp.MustCompile(`\{\{.*\}\}|\{%.*%\}|\$\{?[A-Za-z_]\w*|^<[\w .-]+>$`)
)

// unfilled says whether a value is to be filled in; named is a name or a label.
func unfilled(text string, named bool) bool {
	if !strings.ContainsAny(text, "{$<_") { // all of them have one
		return false
	}
	return open.MatchString(text) || named && openName.MatchString(text)
}
