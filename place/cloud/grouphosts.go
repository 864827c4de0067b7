package cloud

import (
	"fmt"
	"slices"

	"plimsoll.dev/api/v1alpha1"
)

// groupHosts are the hosts on which a server group has VMs, by state and number of
// these VMs: all that a choice can tell apart.
type groupHosts struct {
	byState map[groupState]*hostSet
	// inState is the number of such hosts by state.
	inState map[int32]int
}

// groupState is a state of hosts that each have so many VMs of a group.
type groupState struct{ state, vms int32 }

func newGroupHosts() *groupHosts {
	return &groupHosts{byState: map[groupState]*hostSet{}, inState: map[int32]int{}}
}

func (g *groupHosts) add(host int32, c groupState) {
	set := g.byState[c]
	if set == nil {
		set = &hostSet{}
		g.byState[c] = set
	}
	set.add(host)
	g.inState[c.state]++
}

func (g *groupHosts) remove(host int32, c groupState) {
	set := g.byState[c]
	set.remove(host)
	if set.empty() {
		delete(g.byState, c)
	}
	if g.inState[c.state]--; g.inState[c.state] == 0 {
		delete(g.inState, c.state)
	}
}

// joinGroups tells the groups that have VMs on a host that it is in a state now;
// leaveGroups that it is no longer.
func (s *sim) joinGroups(host, id int32) {
	for _, g := range s.groupsOf[host] {
		s.groupHosts[g].add(host, groupState{id, int32(s.members[g][host])})
	}
}

func (s *sim) leaveGroups(host, id int32) {
	for _, g := range s.groupsOf[host] {
		s.groupHosts[g].remove(host, groupState{id, int32(s.members[g][host])})
	}
}

// member counts n more VMs of a group on a host, which may have failed.
func (s *sim) member(group int, host int32, n int) {
	m, id := s.members[group], s.of[host]
	before := m[host]
	after := before + n
	if before > 0 && id >= 0 {
		s.groupHosts[group].remove(host, groupState{id, int32(before)})
	}
	if after > 0 && id >= 0 {
		s.groupHosts[group].add(host, groupState{id, int32(after)})
	}
	m[host] = after
	switch {
	case before == 0:
		s.groupsOf[host] = append(s.groupsOf[host], int32(group))
	case after == 0:
		delete(m, host)
		s.groupsOf[host] = without(s.groupsOf[host], int32(group))
	}
}

// without takes a value from a list whose order is of no account.
func without(list []int32, v int32) []int32 {
	for i := range list {
		if list[i] == v {
			list[i] = list[len(list)-1]
			return list[:len(list)-1]
		}
	}
	return list
}

// outside is the first host of a state without VMs of the group, and the number of
// such hosts; -1 is none.
func (s *sim) outside(group int, id int32) (first int32, n int) {
	set := &s.sets[id]
	n = set.size() - s.groupHosts[group].inState[id]
	if n == 0 {
		return -1, 0
	}
	for host := range set.all() {
		if s.members[group][host] == 0 {
			return host, n
		}
	}
	return -1, 0
}

// Softer is the policy of a server group that wishes what the given one demands; empty for one
// that demands nothing.
func Softer(policy string) string {
	switch policy {
	case affinity:
		return softAffinity
	case antiAffinity:
		return softAntiAffinity
	}
	return ""
}

// SoftGroup is a server group that wishes what it demands.
func SoftGroup(name, policy string) Remedy {
	soft := Softer(policy)
	return Remedy{Says: fmt.Sprintf("%s in place of %s in the server group %s", soft, policy, name),
		Do: func(s *v1alpha1.Scenario) {
			s.Workload.ServerGroups = slices.Clone(s.Workload.ServerGroups)
			for i := range s.Workload.ServerGroups {
				if s.Workload.ServerGroups[i].Name == name {
					s.Workload.ServerGroups[i].Policy = soft
				}
			}
		}}
}
