package audit

import (
	"fmt"
	"strings"

	"plimsoll.dev/unit"
)

// spare is what a worker has left, and what of it would have to go elsewhere: not the pods of DaemonSets, which others
// have as well, nor those of the kubelet itself.
type spare struct{ free, moves Amounts }

// spares of the workers that take pods.
func (l *look) spares() map[string]*spare {
	out := map[string]*spare{}
	for i := range l.Nodes {
		if n := &l.Nodes[i]; n.takes() && (!n.control() || n.open()) {
			out[n.Metadata.Name] = &spare{free: Amounts{n.allocatable("cpu"), n.allocatable("memory")}}
		}
	}
	for i := range l.Pods {
		p := &l.Pods[i]
		r := out[p.Node]
		if r == nil || p.ended() {
			continue
		}
		r.free = Amounts{r.free.CPU - p.Requests.CPU, r.free.Memory - p.Requests.Memory}
		if !p.mirrored() && !strings.HasPrefix(p.Owner, "DaemonSet/") {
			r.moves = Amounts{r.moves.CPU + p.Requests.CPU, r.moves.Memory + p.Requests.Memory}
		}
	}
	return out
}

// nodeLoss finds workers whose pods request more than all others have left. That they find a node otherwise is not
// said: place tries it.
func (l *look) nodeLoss() {
	rooms := l.spares()
	if len(rooms) < 2 {
		l.notApplicable("there are no two workers that take pods")
		return
	}
	var all Amounts
	for _, r := range rooms {
		all = Amounts{all.CPU + max(0, r.free.CPU), all.Memory + max(0, r.free.Memory)}
	}
	var bad []where
	for i := range l.Nodes {
		r := rooms[l.Nodes[i].Metadata.Name]
		if r == nil {
			continue
		}
		cpu, memory := all.CPU-max(0, r.free.CPU), all.Memory-max(0, r.free.Memory)
		switch {
		case r.moves.Memory > memory:
			bad = append(bad, at("Node", l.Nodes[i].Metadata.Name, "%s requested, %s free elsewhere", bytes(r.moves.Memory),
				bytes(memory)))
		case r.moves.CPU > cpu:
			bad = append(bad, at("Node", l.Nodes[i].Metadata.Name, "%s requested, %s free elsewhere", cores(r.moves.CPU),
				cores(cpu)))
		}
	}
	if len(bad) > 0 {
		l.find(bad, "add a node, or lower requests that are not used; plimsoll place --snapshot FILE --failures 1 tries the "+
			"loss of each", "its pods request more than all other workers have free")
	}
}

func bytes(n int64) string { return unit.FormatBytes(unit.Bytes(n)) }

func cores(millis int64) string { return fmt.Sprintf("%.3g cores", float64(millis)/1000) }
