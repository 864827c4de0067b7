package ovs

import (
	"fmt"
	"slices"

	"plimsoll.dev/api/v1alpha1"
)

// advise on single rules: those that never match, lead to nowhere, or send packets round without need.
func (f *File) advise(s *Switch) []v1alpha1.Finding {
	return slices.Concat(f.needless(s), f.missing(s), f.shadowed(s), f.unreached(s))
}

// needless recirculations are after a commit where no later rule looks at what connection tracking says.
func (f *File) needless(s *Switch) []v1alpha1.Finding {
	looks := map[int]bool{}
	var out []v1alpha1.Finding
	for _, r := range s.rules {
		for i := range r.Actions {
			c := r.Actions[i].Track
			if c == nil || c.Table == NoTable || !c.Commit || c.NAT != nil {
				continue
			}
			look, known := looks[c.Table]
			if !known {
				look = s.looks(c.Table)
				looks[c.Table] = look
			}
			if !look {
				out = append(out, f.finding(v1alpha1.Warning, r.Line, r.Actions[i].Col, "needless", fmt.Sprintf(
					"ct(commit,table=%d) sends each packet round again, but no rule from table %d on looks at ct_state, ct_mark, "+
						"ct_label or ct_zone", c.Table, c.Table),
					fmt.Sprintf("commit without a table, and go on: ct(commit),resubmit(,%d)", c.Table)))
			}
		}
	}
	return out
}

// looks says whether a rule that is reached from a table without further recirculation looks at what
// connection tracking says.
func (s *Switch) looks(from int) bool {
	var conn Key
	for _, w := range connection {
		conn[w.index] = w.mask
	}
	seen := [256]bool{}
	queue := []int{from}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		if seen[n] || s.tables[n] == nil {
			continue
		}
		seen[n] = true
		for _, u := range s.tables[n].tuples {
			for _, w := range u.words {
				if w.mask&conn[w.index] != 0 {
					return true
				}
			}
			for _, r := range u.rules {
				if reads(r.Actions) {
					return true
				}
				queue = append(queue, r.onward(n)...)
			}
		}
	}
	return false
}

// reads says that actions use what connection tracking says.
func reads(actions []Action) bool {
	for i := range actions {
		if f := actions[i].Source.Field; f == ctState || f == ctZone || f == ctMark || f == ctLabel {
			return true
		}
	}
	return false
}

// onward are the tables to which a rule leads without recirculation.
func (r *Rule) onward(own int) []int {
	var out []int
	for i := range r.Actions {
		if a := &r.Actions[i]; a.Verb == Goto || a.Verb == Resubmit {
			if a.Table == NoTable {
				out = append(out, own)
			} else {
				out = append(out, a.Table)
			}
		}
	}
	return out
}

// missing tables drop all packets that come to them.
func (f *File) missing(s *Switch) []v1alpha1.Finding {
	var out []v1alpha1.Finding
	told := [256]bool{}
	for _, r := range s.rules {
		tables := r.onward(r.Table)
		for i := range r.Actions {
			if c := r.Actions[i].Track; c != nil && c.Table != NoTable {
				tables = append(tables, c.Table)
			}
		}
		for _, n := range tables {
			if s.tables[n] == nil && !told[n] {
				told[n] = true
				out = append(out, f.finding(v1alpha1.Warning, r.Line, r.Col, "missing", fmt.Sprintf(
					"table %d has no rule: each packet that comes to it is dropped", n), "add its rules, or dump all tables"))
			}
		}
	}
	return out
}

// shadowed rules never match: another of a higher priority takes all that they would.
func (f *File) shadowed(s *Switch) []v1alpha1.Finding {
	var out []v1alpha1.Finding
	for _, r := range s.rules {
		for _, u := range s.tables[r.Table].tuples {
			if u.most <= r.Priority {
				break
			}
			o := u.find(&r.Match.Value)
			if o != nil && o.Priority > r.Priority && r.Match.within(&o.Match) {
				out = append(out, f.finding(v1alpha1.Warning, r.Line, r.Col, "shadowed", fmt.Sprintf(
					"it never matches: the rule of line %d has a higher priority and takes all such packets", o.Line),
					"remove it, or raise its priority"))
				break
			}
		}
	}
	return out
}

// unreached tables have rules, but no way leads to them.
func (f *File) unreached(s *Switch) []v1alpha1.Finding {
	seen := [256]bool{true}
	queue := []int{0}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		for _, r := range s.sorted(n) {
			next := r.onward(n)
			for i := range r.Actions {
				if c := r.Actions[i].Track; c != nil && c.Table != NoTable {
					next = append(next, c.Table)
				}
			}
			for _, m := range next {
				if !seen[m] {
					seen[m] = true
					queue = append(queue, m)
				}
			}
		}
	}
	var out []v1alpha1.Finding
	for n, t := range s.tables {
		if t != nil && !seen[n] {
			first := s.sorted(n)[0]
			out = append(out, f.finding(v1alpha1.Info, first.Line, first.Col, "unreached", fmt.Sprintf(
				"no rule leads to table %d", n), ""))
		}
	}
	return out
}
