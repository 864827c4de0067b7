package profile

import (
	"slices"

	"plimsoll.dev/api/openshift"
)

// The states of a label of a node; from firstValue on they are values that
// somebody asks for.
const (
	absent uint32 = iota
	other         // has a value that nobody asks for
	firstValue
)

// universe are all labels that anything asks for. What a node's other labels are
// doesn't matter to any choice.
type universe struct {
	// keys of node labels, and the values of each that are asked for.
	keys   []string
	values [][]string
	codes  []map[string]uint32
	key    map[string]int32
	// pods are conditions on pods; byLabel finds them by key.
	pods    []Condition
	byLabel map[string]*podLabel
}

// podLabel are the conditions on one key of pods' labels.
type podLabel struct {
	present int32 // condition on the key alone, or -1
	values  map[string]int32
}

func newUniverse() *universe {
	return &universe{key: map[string]int32{}, byLabel: map[string]*podLabel{}}
}

// nodeKey is the number of a key of node labels.
func (u *universe) nodeKey(key string) int32 {
	k, ok := u.key[key]
	if !ok {
		k = int32(len(u.keys))
		u.key[key] = k
		u.keys, u.values, u.codes = append(u.keys, key), append(u.values, nil), append(u.codes, nil)
	}
	return k
}

// nodeValue is the state that a value is.
func (u *universe) nodeValue(k int32, value string) uint32 {
	code, ok := u.codes[k][value]
	if !ok {
		if u.codes[k] == nil {
			u.codes[k] = map[string]uint32{}
		}
		code = firstValue + uint32(len(u.values[k]))
		u.codes[k][value], u.values[k] = code, append(u.values[k], value)
	}
	return code
}

// stateOf is the state of a label that a node has.
func (u *universe) stateOf(k int32, value string) uint32 {
	if code, ok := u.codes[k][value]; ok {
		return code
	}
	return other
}

// podCondition is the number of a condition on pods.
func (u *universe) podCondition(label string, value *string) int32 {
	l := u.byLabel[label]
	if l == nil {
		l = &podLabel{present: -1, values: map[string]int32{}}
		u.byLabel[label] = l
	}
	id := int32(len(u.pods))
	if value == nil {
		if l.present >= 0 {
			return l.present
		}
		l.present = id
	} else {
		if old, ok := l.values[*value]; ok {
			return old
		}
		l.values[*value] = id
	}
	u.pods = append(u.pods, Condition{Type: "pod", Label: label, Value: value})
	return id
}

// step is one condition of a path: a state of the node's label id, where other asks
// for the key alone, or the pod condition id.
type step struct {
	id    int32
	state uint32
	pod   bool
}

// path is a way through a match tree from an item to a leaf: all its steps must
// hold. A tree is the OR of its paths.
type path struct {
	steps []step
	// impossible says that one label would need two values.
	impossible bool
}

// tree is a compiled item.
type tree struct {
	paths []path
	// always says that there is nothing to ask for.
	always bool
	// hits are the pools by name that machineConfigLabels hit; nil without them.
	hits map[string]bool
	// hitSet numbers equal hits.
	hitSet int32
	// keys and pods that the paths ask for, sorted.
	keys, pods []int32
}

// compile reads the match tree of an item. Without match, only an item without
// machineConfigLabels matches everything.
func (u *universe) compile(item *Item) tree {
	var t tree
	r := item.recommend
	if r.Match != nil || item.MachineConfigLabels == nil {
		t.always = len(r.Match) == 0
		u.walk(r.Match, nil, &t)
	}
	for _, p := range t.paths {
		t.always = t.always || len(p.steps) == 0
		for _, s := range p.steps {
			if s.pod {
				t.pods = append(t.pods, s.id)
			} else {
				t.keys = append(t.keys, s.id)
			}
		}
	}
	slices.Sort(t.keys)
	slices.Sort(t.pods)
	t.keys, t.pods = slices.Compact(t.keys), slices.Compact(t.pods)
	return t
}

// walk adds the paths below a match list, in the order of the list.
func (u *universe) walk(list []openshift.TunedMatch, above []step, t *tree) {
	for i := range list {
		m := &list[i]
		steps := slices.Clip(above)
		if m.Label != nil {
			steps = append(steps, u.step(m))
		}
		if len(m.Match) > 0 {
			u.walk(m.Match, steps, t)
			continue
		}
		t.paths = append(t.paths, path{steps: steps, impossible: contradicts(steps)})
	}
}

func (u *universe) step(m *openshift.TunedMatch) step {
	if isPod(m) {
		return step{pod: true, id: u.podCondition(*m.Label, m.Value)}
	}
	s := step{id: u.nodeKey(*m.Label), state: other}
	if m.Value != nil {
		s.state = u.nodeValue(s.id, *m.Value)
	}
	return s
}

// contradicts says whether steps ask for two values of one label of the node.
func contradicts(steps []step) bool {
	for i := range steps {
		if contradict(steps[i:i+1], steps[:i]) {
			return true
		}
	}
	return false
}

// contradict says whether some steps ask for another value of a label than others do.
func contradict(some, others []step) bool {
	for _, a := range some {
		for _, b := range others {
			if !a.pod && !b.pod && a.id == b.id && a.state != b.state && a.state >= firstValue && b.state >= firstValue {
				return true
			}
		}
	}
	return false
}

// situation is what the choice sees of a node.
type situation struct {
	// node has the state of each key.
	node []uint32
	// pods has a bit for each pod condition that some pod of the node meets.
	pods []uint64
	// member is the node's pools.
	member *membership
}

func (s *situation) holds(st step) bool {
	if st.pod {
		return s.pods[st.id>>6]>>(st.id&63)&1 != 0
	}
	have := s.node[st.id]
	if st.state == other {
		return have != absent
	}
	return have == st.state
}

// first is the number of the first path that holds, or -1.
func (t *tree) first(s *situation) int {
	for i := range t.paths {
		p := t.paths[i].steps
		ok := true
		for _, st := range p {
			if !s.holds(st) {
				ok = false
				break
			}
		}
		if ok {
			return i
		}
	}
	return -1
}

// matches says whether the item matches.
func (t *tree) matches(s *situation) bool {
	return t.always || t.first(s) >= 0 || t.byPool(s)
}

// byPool says whether machineConfigLabels hit a pool of the node.
func (t *tree) byPool(s *situation) bool { return t.hits != nil && s.member.hit(t.hitSet) }
