package profile

import "regexp"

// pattern is an expression of recommend.conf, as it is tried on one label. Across
// labels none can match, because each stands on a line of its own.
type pattern struct {
	key   string
	value *string
	// regex for what is no plain label; nil for those.
	regex *regexp.Regexp
}

func newPattern(l *Line) pattern {
	p := pattern{key: l.condition.Label, value: l.condition.Value}
	if !plain(p.key) || p.key == "" || p.value != nil && !plain(*p.value) {
		p.regex, _ = regexp.Compile("(?s)^" + l.Regex)
	}
	return p
}

// plain says whether a text has no special character of regular expressions but the dot.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; !word(c) && c != '.' && c != '-' && c != '/' {
			return false
		}
	}
	return true
}

func word(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// matches says whether the expression finds a label: its key must end with the
// asked one at a word's boundary, and a dot stands for any character.
func (p *pattern) matches(key, value string) bool {
	if p.regex != nil {
		return p.regex.MatchString(key + "=" + value + "\n")
	}
	from := len(key) - len(p.key)
	if from < 0 || !alike(p.key, key[from:]) || p.value != nil && !alike(*p.value, value) {
		return false
	}
	before := from > 0 && word(key[from-1])
	return before != word(key[from])
}

// alike compares a text with a pattern whose dots stand for any character.
func alike(pattern, text string) bool {
	if len(pattern) != len(text) {
		return false
	}
	for i := range len(text) {
		if pattern[i] != text[i] && pattern[i] != '.' {
			return false
		}
	}
	return true
}

// reader43 is what TuneD chooses by a recommend.conf.
type reader43 struct {
	// patterns on node and on pod labels, and for each label seen those that match it.
	patterns [2][]pattern
	cache    [2]map[[2]string][]int32
	// lines are for each section the patterns of both files; of several the last.
	lines [][2]int32
	found [2][]bool
}

// The files as numbers.
const (
	nodeFile = 0
	podFile  = 1
)

func newReader43(conf *RecommendConf) *reader43 {
	r := &reader43{cache: [2]map[[2]string][]int32{{}, {}}}
	known := map[Line]int32{}
	for i := range conf.Sections {
		lines := [2]int32{-1, -1}
		for j := range conf.Sections[i].Lines {
			l := &conf.Sections[i].Lines[j]
			file := nodeFile
			if l.File == podLabelsFile {
				file = podFile
			}
			if l.condition.Type == "any" {
				lines[file] = -1
				continue
			}
			key := Line{File: l.File, Regex: l.Regex}
			n, ok := known[key]
			if !ok {
				n = int32(len(r.patterns[file]))
				known[key], r.patterns[file] = n, append(r.patterns[file], newPattern(l))
			}
			lines[file] = n
		}
		r.lines = append(r.lines, lines)
	}
	for file := range r.found {
		r.found[file] = make([]bool, len(r.patterns[file]))
	}
	return r
}

// see enters the labels of a node or of a pod on it.
func (r *reader43) see(file int, labels map[string]string) {
	for key, value := range labels {
		label := [2]string{key, value}
		hits, ok := r.cache[file][label]
		if !ok {
			for i := range r.patterns[file] {
				if r.patterns[file][i].matches(key, value) {
					hits = append(hits, int32(i))
				}
			}
			r.cache[file][label] = hits
		}
		for _, n := range hits {
			r.found[file][n] = true
		}
	}
}

// choose is the first section whose lines match what was seen, or -1; it forgets
// what was seen.
func (r *reader43) choose() int {
	chosen := -1
	for i, lines := range r.lines {
		if (lines[nodeFile] < 0 || r.found[nodeFile][lines[nodeFile]]) &&
			(lines[podFile] < 0 || r.found[podFile][lines[podFile]]) {
			chosen = i
			break
		}
	}
	for file := range r.found {
		clear(r.found[file])
	}
	return chosen
}

// sections are for each node that counts the section that its TuneD chooses if it
// takes the last of equal keys; -1 is none.
func (c *cluster) sections(conf *RecommendConf) []int {
	r := newReader43(conf)
	pods := make([][]int32, len(c.nodes))
	if len(r.patterns[podFile]) > 0 {
		numbers := make(map[string]int, len(c.nodes))
		for i, n := range c.nodes {
			numbers[c.in.Nodes[n].Name] = i
		}
		for j := range c.in.Pods {
			if i, ok := numbers[c.in.Pods[j].Node]; ok {
				pods[i] = append(pods[i], int32(j))
			}
		}
	}
	out := make([]int, len(c.nodes))
	for i, n := range c.nodes {
		r.see(nodeFile, c.in.Nodes[n].Labels)
		for _, j := range pods[i] {
			r.see(podFile, c.in.Pods[j].Labels)
		}
		out[i] = r.choose()
	}
	return out
}
