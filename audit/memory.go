package audit

import (
	"fmt"
	"slices"

	"plimsoll.dev/internal/words"
)

// strained is a node whose pods may take more memory than it has, and what that has led to.
type strained struct {
	limits          int64
	evicted, killed int
	pressure        bool
	most            *Pod // whose limit is furthest above its request
}

// overcommitted are the nodes on which limits of memory are more than there is, and memory ran out: evictions alone
// may be for lack of disk, and are told by podEvicted.
func (l *look) overcommitted() map[string]*strained {
	all := map[string]*strained{}
	for i := range l.Nodes {
		pressure := l.Nodes[i].Status.Conditions.of("MemoryPressure").Status == "True"
		all[l.Nodes[i].Metadata.Name] = &strained{pressure: pressure}
	}
	for i := range l.Pods {
		p := &l.Pods[i]
		s := all[p.Node]
		if s == nil {
			continue
		}
		switch {
		case p.NodeOOM && l.lately(p.OOMKilledAt):
			s.killed++
		case p.Reason == "Evicted" && l.lately(p.Changed):
			s.evicted++
		}
		if p.ended() {
			continue
		}
		s.limits += p.Limits.Memory
		if m := s.most; m == nil || m.Limits.Memory-m.Requests.Memory < p.Limits.Memory-p.Requests.Memory {
			s.most = p
		}
	}
	for i := range l.Nodes {
		name, has := l.Nodes[i].Metadata.Name, l.Nodes[i].allocatable("memory")
		if s := all[name]; has == 0 || s.limits <= has || !s.pressure && s.killed == 0 {
			delete(all, name)
		}
	}
	return all
}

// memoryOvercommit: limits may add up to more than there is; where memory runs out as well, it is too much.
func (l *look) memoryOvercommit() {
	over := l.overcommitted()
	var bad []where
	var first []string
	for i := range l.Nodes {
		name := l.Nodes[i].Metadata.Name
		s := over[name]
		if s == nil {
			continue
		}
		note := fmt.Sprintf("limits are %s of its memory, %s evicted or killed",
			ofWhole(s.limits, l.Nodes[i].allocatable("memory")), words.Count(s.evicted+s.killed, "pod"))
		if s.pressure {
			note += ", MemoryPressure now"
		}
		bad = append(bad, at("Node", name, "%s", note))
		if owner := s.most.workload(); !slices.Contains(first, owner) {
			first = append(first, owner)
		}
	}
	if len(bad) > 0 {
		l.find(bad, "request as much memory as the limit is, of "+words.Some(first, shown)+" first",
			"limits of memory add up to more than there is, and it ran out")
	}
}
