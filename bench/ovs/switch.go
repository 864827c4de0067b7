package ovs

import (
	"cmp"
	"slices"
)

// Switch finds rules fast: of each table, all that look at the same bits stand in one hash table, and those
// whose highest priority is highest are asked first (tuple space search, as Open vSwitch's own).
type Switch struct {
	tables [256]*table
	rules  []*Rule
}

type table struct {
	tuples []*tuple
	sorted []*Rule // by falling priority, once an audit has asked
}

// tuple is the rules with one mask.
type tuple struct {
	words []maskWord
	mask  Key
	most  int // priority
	slots []slot
	rules []*Rule // by falling priority
}

type maskWord struct {
	index int
	mask  uint64
}

// masks are the words of a key that have bits.
func (k *Key) masks() []maskWord {
	var out []maskWord
	for i, mask := range k {
		if mask != 0 {
			out = append(out, maskWord{i, mask})
		}
	}
	return out
}

type slot struct {
	hash uint32
	rule *Rule // nil for an empty one
}

// New is a switch with rules. Of those that are equal but for their actions the last is taken, as
// ovs-ofctl add-flows does.
func New(rules []*Rule) *Switch {
	s := &Switch{}
	type same struct {
		table, priority int
		match           Match
	}
	last := make(map[same]int, len(rules))
	for _, r := range rules {
		key := same{r.Table, r.Priority, r.Match}
		if i, ok := last[key]; ok {
			s.rules[i] = r
			continue
		}
		last[key] = len(s.rules)
		s.rules = append(s.rules, r)
	}
	for _, r := range s.rules {
		if s.tables[r.Table] == nil {
			s.tables[r.Table] = &table{}
		}
		s.tables[r.Table].add(r)
	}
	for _, t := range s.tables {
		if t != nil {
			t.build()
		}
	}
	return s
}

// Rules of the switch, without those that others replaced.
func (s *Switch) Rules() []*Rule { return s.rules }

func (t *table) add(r *Rule) {
	i := slices.IndexFunc(t.tuples, func(u *tuple) bool { return u.mask == r.Match.Mask })
	if i < 0 {
		u := &tuple{mask: r.Match.Mask, words: r.Match.Mask.masks()}
		t.tuples = append(t.tuples, u)
		i = len(t.tuples) - 1
	}
	t.tuples[i].rules = append(t.tuples[i].rules, r)
}

func (t *table) build() {
	for _, u := range t.tuples {
		slices.SortStableFunc(u.rules, func(a, b *Rule) int { return cmp.Compare(b.Priority, a.Priority) })
		u.most = u.rules[0].Priority
		size := 4
		for size < 2*len(u.rules) {
			size *= 2
		}
		u.slots = make([]slot, size)
		for _, r := range u.rules {
			h := u.hash(&r.Match.Value)
			i := int(h) & (size - 1)
			for u.slots[i].rule != nil && !u.same(&u.slots[i].rule.Match.Value, &r.Match.Value) {
				i = (i + 1) & (size - 1)
			}
			if u.slots[i].rule == nil { // of the same match the higher priority is there already
				u.slots[i] = slot{h, r}
			}
		}
	}
	slices.SortStableFunc(t.tuples, func(a, b *tuple) int { return cmp.Compare(b.most, a.most) })
}

// hash of what the tuple looks at.
func (u *tuple) hash(k *Key) uint32 {
	h := uint64(0x9e3779b97f4a7c15)
	for _, w := range u.words {
		h = (h ^ k[w.index]&w.mask) * 0xff51afd7ed558ccd
		h ^= h >> 32
	}
	return uint32(h)
}

// same says that a key has the bits of a rule's value.
func (u *tuple) same(value, k *Key) bool {
	for _, w := range u.words {
		if value[w.index] != k[w.index]&w.mask {
			return false
		}
	}
	return true
}

func (u *tuple) find(k *Key) *Rule {
	h := u.hash(k)
	last := len(u.slots) - 1
	for i := int(h) & last; u.slots[i].rule != nil; i = (i + 1) & last {
		if u.slots[i].hash == h && u.same(&u.slots[i].rule.Match.Value, k) {
			return u.slots[i].rule
		}
	}
	return nil
}

// lookup the rule of a table that matches with the highest priority; nil for none.
func (s *Switch) lookup(number int, k *Key) *Rule {
	t := s.tables[number]
	if t == nil {
		return nil
	}
	if frag.Get(k).Lo&fragAny != 0 { // the ports of fragments are not looked at, not even the first's
		plain := *k
		tcpSrc.Put(&plain, Value{}, ones(16))
		tcpDst.Put(&plain, Value{}, ones(16))
		k = &plain
	}
	var best *Rule
	for _, u := range t.tuples {
		if best != nil && u.most <= best.Priority {
			break
		}
		if r := u.find(k); r != nil && (best == nil || r.Priority > best.Priority) {
			best = r
		}
	}
	return best
}

// Rivals are rules of the same table and priority that match the packet as well: which of them is taken
// OpenFlow does not say.
func (s *Switch) rivals(r *Rule, k *Key) []*Rule {
	var out []*Rule
	for _, u := range s.tables[r.Table].tuples {
		if u.most < r.Priority {
			break
		}
		for _, o := range u.rules {
			if o != r && o.Priority == r.Priority && o.Match.Matches(k) {
				out = append(out, o)
			}
		}
	}
	return out
}
