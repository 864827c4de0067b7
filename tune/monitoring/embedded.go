package monitoring

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/infra/placement"
)

// mask stands for characters that were judged already, so that the rest can be
// read: of what was not filled in, and of keys that stand twice.
const mask = '\ue000'

func masked(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r >= mask && r <= mask+yamlpos.MaxProblems })
}

// holes are values that are to be filled in: {{PROMETHEUS_STORAGE_SIZE}}, ${RETENTION}, and of references that
// clusters are compared with, (?<storage>.*).
var holes = regexp.MustCompile(`\{\{[^{}\n]*\}\}|\$\{[A-Za-z_]\w*\}|\(\?<\w+>.*\)`)

// wholes are the same as whole values: $RETENTION, <retention>.
var wholes = regexp.MustCompile(`:\s+["']?(\$[A-Za-z_]\w*|<[\w .-]+>)["']?\s*$`)

// relabelled are keys whose values have such groups, and places for them, of their own.
var relabelled = regexp.MustCompile(`\b(regex|replacement|targetLabel|target_label):`)

// config is a config.yaml within its ConfigMap.
type config struct {
	object  *object.Object
	keys    []key // that exist
	release release.Release
	cluster placement.Cluster
	inner   yamlpos.Inner
	tree    *yamlpos.Tree // nil when it can't be read
	lines   [][]rune      // of the text
	found   []v1alpha1.Finding
}

// where is the field of config.yaml in its object.
const where = "data." + ConfigKey

// bad notes a finding at a place within the text.
func (c *config) bad(r object.Rule, line, col int, path, what, fix string) {
	f := c.object.Finding(r, where, what, fix)
	f.Place.Line, f.Place.Col = c.inner.At(line, col)
	if path != "" {
		f.Place.Field = where + "." + path
	}
	c.found = append(c.found, f)
}

// badValue notes a finding at a value.
func (c *config) badValue(r object.Rule, n *yamlpos.Node, path, what, fix string) {
	c.bad(r, n.Line, n.Col, path, what, fix)
}

// read parses the text as far as it can be read.
func (c *config) read(text string) {
	text = c.fillHoles(text)
	tree, problems := yamlpos.Parse(ConfigKey, []byte(text))
	if doubled := c.doubles(problems); doubled != nil {
		tree, problems = yamlpos.Parse(ConfigKey, []byte(maskAt(text, doubled)))
	}
	for _, p := range problems {
		c.bad(unreadable, p.Line, p.Col, "", p.What, p.Fix)
	}
	if len(problems) > 0 {
		return
	}
	c.tree = tree
	for line := range strings.Lines(text) {
		c.lines = append(c.lines, []rune(line))
	}
}

// fillHoles notes what was not filled in and masks it.
func (c *config) fillHoles(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if relabelled.MatchString(line) && !strings.Contains(line, "{{") {
			continue
		}
		places := holes.FindAllStringIndex(line, -1)
		if m := wholes.FindStringSubmatchIndex(line); m != nil {
			places = append(places, m[2:4])
		}
		for _, at := range places {
			if commented(line[:at[0]]) {
				continue
			}
			hole, col := line[at[0]:at[1]], utf8.RuneCountInString(line[:at[0]])+1
			what := yamlpos.Shorten(hole) + " is not filled in: it is not judged"
			if strings.HasPrefix(hole, "{") {
				what += ", and as it stands the operator can't read config.yaml"
			}
			c.bad(notFilledIn, i+1, col, "", what, "put the value in its place, or check what becomes of it")
		}
		for _, at := range slices.Backward(places) {
			lines[i] = lines[i][:at[0]] + strings.Repeat(string(mask), utf8.RuneCountInString(line[at[0]:at[1]])) +
				lines[i][at[1]:]
		}
	}
	return strings.Join(lines, "\n")
}

// commented says whether what follows the start of a line is a comment.
func commented(start string) bool {
	return strings.HasPrefix(start, "#") || strings.Contains(start, " #") || strings.Contains(start, "\t#")
}

// doubles notes the keys that stand twice, and returns their places; nil when
// there are none, or other problems that hide the rest anyway.
func (c *config) doubles(problems yamlpos.Problems) []yamlpos.Problem {
	for _, p := range problems {
		if !strings.HasSuffix(p.What, " stands twice") {
			return nil
		}
	}
	for _, p := range problems {
		what := p.What + ": only the last one counts"
		if HandlingOf(c.release) >= Refused {
			what = p.What + ": the operator refuses config.yaml"
		}
		r := doubleKey
		r.Severity = severity(HandlingOf(c.release))
		c.bad(r, p.Line, p.Col, "", what, "remove one")
	}
	return problems
}

// severity of a key that should not be there.
func severity(h Handling) v1alpha1.Severity {
	if h >= Refused {
		return v1alpha1.Error
	}
	return v1alpha1.Warning
}

// maskAt masks keys, each by a character of its own, so that no two are alike.
func maskAt(text string, places []yamlpos.Problem) string {
	lines := strings.Split(text, "\n")
	for i, p := range places {
		line := []rune(lines[p.Line-1])
		for at := p.Col - 1; at < len(line) && line[at] != ':'; at++ {
			if line[at] != '"' && line[at] != '\'' {
				line[at] = mask + rune(i+1)
			}
		}
		lines[p.Line-1] = string(line)
	}
	return strings.Join(lines, "\n")
}
