package profile

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"plimsoll.dev/api/openshift"
)

// The files in which 4.3 kept a node's labels for TuneD.
const (
	nodeLabelsFile = "/var/lib/tuned/ocp-node-labels.cfg"
	podLabelsFile  = "/var/lib/tuned/ocp-pod-labels.cfg"
)

// OwnChoice stands for the profile of a node whose TuneD can't read recommend.conf
// and goes by the recommendations of its own package: virtual-guest on a virtual
// machine, throughput-performance or balanced on metal.
const OwnChoice = "(TuneD's own choice)"

// RecommendConf is the recommend.conf that the operator of 4.3 made of all CRs, and
// what TuneD makes of it.
type RecommendConf struct {
	Sections []Section `json:"sections"`
	// Refused says why TuneD up to 2.16, which 4.3 had, can't read the file: it then goes
	// by its own recommendations. Empty when it can.
	Refused string `json:"refused,omitempty"`
	// RefusedLater is the same for TuneD from 2.17 on, which takes the last of equal keys.
	RefusedLater string `json:"refusedLater,omitempty"`
}

// Section recommends a profile when all its lines match.
type Section struct {
	// Profile and N are the name of the section.
	Profile string `json:"profile"`
	N       int    `json:"n"`
	// Item that the section was made of.
	Item  int    `json:"item"`
	Lines []Line `json:"lines"`
}

// Line is a file and the regular expression that must match its text.
type Line struct {
	File  string `json:"file"`
	Regex string `json:"regex"`

	condition Condition
}

// conf43 renders recommend.conf.
func conf43(items []Item) *RecommendConf {
	c := &RecommendConf{Sections: []Section{}}
	for i := range items {
		before := len(c.Sections)
		if r := items[i].recommend; len(r.Match) == 0 {
			c.Sections = append(c.Sections,
				Section{Lines: []Line{{File: nodeLabelsFile, Regex: ".*", condition: Condition{Type: "any"}}}})
		} else {
			c.expand(r.Match, nil)
		}
		for n := before; n < len(c.Sections); n++ {
			s := &c.Sections[n]
			s.Profile, s.N, s.Item = items[i].Profile, n, i
		}
	}
	c.judge()
	return c
}

// expand adds a section for each leaf of a match tree. What is nested below an item
// without a label is lost.
func (c *RecommendConf) expand(list []openshift.TunedMatch, above []Line) {
	for i := range list {
		m := &list[i]
		lines := append(slices.Clip(above), lineOf(m))
		switch {
		case len(m.Match) == 0:
			c.Sections = append(c.Sections, Section{Lines: lines})
		case m.Label != nil:
			c.expand(m.Match, lines)
		}
	}
}

// lineOf is the line of a match item: an explicit type other than pod leaves the
// name of the file empty.
func lineOf(m *openshift.TunedMatch) Line {
	l := Line{File: nodeLabelsFile, Regex: ".*", condition: conditionOf(m)}
	if m.Type != nil {
		if l.File = ""; *m.Type == "pod" {
			l.File = podLabelsFile
		}
	}
	if m.Label != nil {
		l.Regex += `\b` + *m.Label + "="
		if m.Value != nil {
			l.Regex += *m.Value + `\n`
		}
	}
	return l
}

// judge finds why the file can't be read.
func (c *RecommendConf) judge() {
	for _, s := range c.Sections {
		files := map[string]bool{}
		for _, l := range s.Lines {
			var what string
			switch {
			case l.File == "":
				what = fmt.Sprintf("section [%s,%d] has a line without the name of a file", s.Profile, s.N)
				c.RefusedLater = cmp.Or(c.RefusedLater, what)
			case files[l.File]:
				what = fmt.Sprintf("section [%s,%d] has two lines for %s", s.Profile, s.N, l.File)
			case badRegex(l.Regex):
				what = fmt.Sprintf("section [%s,%d] has an expression that is not valid: %s", s.Profile, s.N, l.Regex)
				c.RefusedLater = cmp.Or(c.RefusedLater, what)
			}
			c.Refused = cmp.Or(c.Refused, what)
			files[l.File] = true
		}
	}
}

func badRegex(text string) bool {
	_, err := regexp.Compile(text)
	return err != nil
}

// Text is the file.
func (c *RecommendConf) Text() string {
	var b strings.Builder
	for _, s := range c.Sections {
		fmt.Fprintf(&b, "[%s,%d]\n", s.Profile, s.N)
		for _, l := range s.Lines {
			fmt.Fprintf(&b, "%s=%s\n", l.File, l.Regex)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// RecommendFile is the file that a node gets from 4.4 on: one section that always
// matches.
func RecommendFile(profile string) string {
	return "[" + profile + "]\n/etc/tuned/recommend.d/50-openshift.conf=.*\n"
}
