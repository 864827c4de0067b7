package health

import (
	"maps"
	"strconv"

	"plimsoll.dev/api/openshift"
)

// The states of a machine, as people see them.
const (
	stateReady        = "ready"
	stateNotReady     = "not-ready"
	stateWaiting      = "waiting"
	stateDue          = "due"
	stateDeleting     = "deleting"
	stateProvisioning = "provisioning"
	stateStarting     = "starting"
	stateFailed       = "failed"
	stateNoNode       = "no-node"
	stateExternal     = "external"
	stateGone         = "gone"
)

// create makes a machine, which then gets an instance and a node in its time.
func (w *world) create(like scriptMachine, name string) *member {
	m := w.add(like, name)
	m.Phase, m.LastUpdated = Provisioning, instant(w.now)
	t := w.takes
	w.at(w.now+t.provision, rankMachine, func() { w.provisioned(m) })
	w.at(w.now+t.join, rankMachine, func() { w.joined(m, t.ready) })
	w.note(Entry{Machine: name, Name: Created})
	w.changed(m)
	return m
}

// waits says whether a machine is still on its way to a node.
func (m *member) waits() bool {
	return !m.gone && !m.stuck && !m.Deleting && m.Phase != Failed && m.NodeName == ""
}

func (w *world) provisioned(m *member) {
	if m.waits() {
		m.setPhase(Provisioned, w.now)
		w.changed(m)
	}
}

// joined gives a machine its node, which becomes Ready after a while.
func (w *world) joined(m *member, ready int64) {
	if !m.waits() {
		return
	}
	status := "True"
	if ready > 0 {
		status = "False"
		w.at(w.now+ready, rankMachine, func() {
			if m.node != nil && !m.silent && m.node.has("Ready", "False") {
				w.setReady(m, "True")
			}
		})
	}
	w.putNode(m, status, w.now)
	w.note(Entry{Machine: m.Name, Name: Joined})
	w.changed(m)
}

// putNode makes the node of a machine, with a Ready condition since a time.
func (w *world) putNode(m *member, ready string, since int64) {
	m.NodeName = m.Name
	m.node = &Node{Name: m.Name, Labels: nodeLabels(m.Labels), Conditions: []Condition{{"Ready", ready, instant(since)}}}
	if m.waitsOrRuns() {
		m.setPhase(Running, w.now)
	}
}

// waitsOrRuns says whether a machine's phase follows its node.
func (m *member) waitsOrRuns() bool { return !m.Deleting && m.Phase != Failed && m.Phase != Running }

// nodeLabels are the labels of a node by those of its machine.
func nodeLabels(machine map[string]string) map[string]string {
	role := machine[LabelMachineRole]
	if role == "" {
		return nil
	}
	return map[string]string{"node-role.kubernetes.io/" + role: ""}
}

// setPhase changes the phase, and with it the start-up clock.
func (m *member) setPhase(phase string, now int64) {
	if m.Phase != phase {
		m.Phase, m.LastUpdated = phase, instant(now)
	}
}

// set gives a node's condition a status; its clock starts if that is another one.
func (w *world) set(m *member, kind, status string) {
	switch c := m.node.condition(kind); {
	case c == nil:
		m.node.Conditions = append(m.node.Conditions, Condition{kind, status, instant(w.now)})
	case c.Status != status:
		c.Status, c.Since = status, instant(w.now)
	}
}

func (w *world) setReady(m *member, status string) {
	w.set(m, "Ready", status)
	w.changed(m)
}

// power turns a kubelet off or on. The node of a silent one is Unknown after a while.
func (w *world) power(m *member, on, planned bool) {
	m.silent, m.planned = !on, !on && planned
	m.silence++
	if m.node == nil {
		return
	}
	if on {
		w.setReady(m, "True")
		return
	}
	count := m.silence
	w.at(w.now+w.takes.grace, rankMachine, func() {
		if m.silence == count && m.node != nil && !m.gone {
			w.setReady(m, "Unknown")
		}
	})
}

// delete asks for a machine's deletion. Its set replaces it at once; what is left
// is drained and ended in its turn.
func (w *world) delete(m *member) {
	if m.Deleting || m.gone {
		return
	}
	m.Deleting = true
	m.setPhase(Deleting, w.now)
	w.changed(m)
	w.drains.requeue(m, w.now)
	if m.set != nil {
		w.reconcileSet(m.set)
	}
}

// remove ends a machine and its node.
func (w *world) remove(m *member) {
	m.gone, m.node = true, nil
	w.note(Entry{Machine: m.Name, Name: Gone})
	for _, c := range w.checks {
		c.uncover(m)
	}
	w.changed(m)
}

// reconcileSet has a set's controller run at this instant, after what happens to
// machines; sets in their order.
func (w *world) reconcileSet(s *machineSet) {
	s.pending = true
	w.at(w.now, rankSet, func() {
		w.spend(len(w.sets))
		for _, s := range w.sets {
			if s.pending {
				s.pending = false
				w.balance(s)
			}
		}
	})
}

// maxAgain is how often machines are made again at one instant before the world stalls.
const maxAgain = 100

// balance makes machines that are missing, which those that are being deleted are,
// and deletes the newest of those that are too many.
func (w *world) balance(s *machineSet) {
	w.spend(len(s.members))
	alive := s.members[:0]
	for _, m := range s.members {
		if !m.Deleting && !m.gone {
			alive = append(alive, m)
		}
	}
	s.members = alive
	if s.at != w.now {
		s.at, s.now = w.now, 0
	}
	for n := len(alive); n < s.want && w.stalled == ""; n++ {
		if s.now++; s.now > 2*s.want+maxAgain {
			w.stalled = "machines of " + s.name + " are deleted and made again without an end at " + clock(w.now)
			return
		}
		w.spend(workStep)
		s.count++
		like := s.like
		like.labels = maps.Clone(like.labels)
		w.create(like, s.name+"-r"+strconv.Itoa(s.count)).made = true
	}
	for n := len(alive); n > s.want; n-- {
		w.delete(alive[n-1])
	}
}

// label of nodes of the control plane, in all releases.
func (n *Node) isMaster() bool {
	_, master := n.Labels[openshift.LabelMaster]
	_, plane := n.Labels[openshift.LabelControlPlane]
	return master || plane
}
