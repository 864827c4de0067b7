package plan

import (
	"fmt"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/part"
	"plimsoll.dev/podres"
	"plimsoll.dev/unit"
)

// FillRequests gives the pods that request no CPU or no memory what the policy says,
// container by container as a LimitRange does, and adds to the assumptions.
func FillRequests(s *v1alpha1.Scenario, assumed []v1alpha1.Assumption) []v1alpha1.Assumption {
	var cpus, memories []string
	for i := range s.Workload.PodTypes {
		t := &s.Workload.PodTypes[i]
		if fill(t, podres.CPU, int64(s.Policy.DefaultRequests.CPU)) {
			cpus = append(cpus, t.Name)
		}
		if fill(t, podres.Memory, int64(s.Policy.DefaultRequests.Memory)) {
			memories = append(memories, t.Name)
		}
	}
	say := func(field, value string, names []string) {
		if len(names) > 0 {
			assumed = append(assumed, v1alpha1.Assumption{Field: "workload.podTypes[*]." + field, Value: value,
				Why: "policy.defaultRequests, for each container of " + list(names)})
		}
	}
	say("cpu", unit.Format(float64(s.Policy.DefaultRequests.CPU), unit.Millicores), cpus)
	say("memory", unit.FormatBytes(s.Policy.DefaultRequests.Memory), memories)
	return assumed
}

// fill gives the containers of a pod that asks for nothing of a resource each so much.
func fill(t *v1alpha1.PodType, resource string, each int64) bool {
	if pod := podres.Of(*t); each == 0 || podres.RequestOf(&pod, resource) > 0 {
		return false
	}
	n := max(1, t.Containers)
	if t.ContainerSpecs = slices.Clone(t.ContainerSpecs); len(t.ContainerSpecs) > 0 {
		n = len(t.ContainerSpecs)
	}
	cpu, memory := unit.CPU(each), unit.Bytes(each)
	if t.QOSClass == "BestEffort" {
		t.QOSClass = ""
	}
	if resource == podres.CPU {
		t.CPU = cpu * unit.CPU(n)
		for i := range t.ContainerSpecs {
			t.ContainerSpecs[i].CPU = &cpu
		}
		return true
	}
	t.Memory = memory * unit.Bytes(n)
	for i := range t.ContainerSpecs {
		t.ContainerSpecs[i].Memory = &memory
	}
	return true
}

// sayRequests names the pods that count as nothing. Without any request their number is
// no load at all, and what the nodes are good for stays open.
func (p *planner) sayRequests(s *part.Part) {
	var neither, cpu, memory counted
	for _, t := range slices.Concat(p.load.pods, p.load.daemons) {
		switch pod := podres.Of(t); {
		case len(t.HugePages)+len(t.Devices) > 0 || t.Replicas == 0 && !t.DaemonSet:
		case podres.RequestOf(&pod, podres.CPU) == 0 && podres.RequestOf(&pod, podres.Memory) == 0:
			neither.add(t)
		case podres.RequestOf(&pod, podres.CPU) == 0:
			cpu.add(t)
		case podres.RequestOf(&pod, podres.Memory) == 0:
			memory.add(t)
		}
	}
	for _, c := range []struct {
		counted
		id, what string
		severity v1alpha1.Severity
	}{{neither, "workload.requests", "neither CPU nor memory", v1alpha1.Warning},
		{cpu, "workload.requests.cpu", "no CPU", v1alpha1.Info},
		{memory, "workload.requests.memory", "no memory", v1alpha1.Info}} {
		if len(c.names) == 0 {
			continue
		}
		message := fmt.Sprintf("%s request %s, which counts as 0", c.counted, c.what)
		s.Find(c.severity, c.id, message, "give the pods requests (a LimitRange in their namespaces does), or set "+
			"policy.defaultRequests to what they use").Field = "policy.defaultRequests"
		if c.severity == v1alpha1.Warning {
			p.lacking = append(p.lacking, "requests: "+message)
		}
	}
}

// sayDisks names the pods that ask for local storage of nodes whose disk nobody states,
// where it binds nothing, so that whether they fit stays open.
func (p *planner) sayDisks(s *part.Part) {
	var asking counted
	for _, t := range slices.Concat(p.load.pods, p.load.daemons) {
		if t.EphemeralStorage > 0 && (t.Replicas > 0 || t.DaemonSet) {
			asking.add(t)
		}
	}
	var diskless []string
	for _, t := range p.s.Hardware.NodeTypes {
		if t.Role == "worker" && t.Disk == 0 {
			diskless = append(diskless, t.Name)
		}
	}
	if len(asking.names) > 0 && len(diskless) > 0 {
		message := fmt.Sprintf("%s request ephemeral storage, and no disk is stated of %s", asking, list(diskless))
		s.Find(v1alpha1.Warning, "workload.disk", message+": it is taken to be large enough",
			"give the node types their disk").Field = "hardware.nodeTypes"
		p.askDisk = asking.String()
	}
}

// diskless says of which of the nodes that are chosen no disk is stated that pods ask for.
func (p *planner) diskless() []string {
	if p.askDisk == "" || p.choice == nil {
		return nil
	}
	var names []string
	for i, r := range p.choice.rooms {
		if r.Type.Disk == 0 && p.choice.opt.Nodes[i].Count > 0 {
			names = append(names, r.Type.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("disk: %s request ephemeral storage, and no disk is stated of %s", p.askDisk, list(names))}
}

// counted are pods by their types.
type counted struct {
	pods, daemons int
	names         []string
}

func (c *counted) add(t v1alpha1.PodType) {
	c.names = append(c.names, t.Name)
	if t.DaemonSet {
		c.daemons++
		return
	}
	c.pods += t.Replicas
}

func (c counted) String() string {
	var parts []string
	if c.pods > 0 {
		parts = append(parts, words.Count(c.pods, "pod"))
	}
	if c.daemons > 0 {
		parts = append(parts, words.Count(c.daemons, "DaemonSet"))
	}
	return fmt.Sprintf("%s of %s (%s)", words.And(parts), words.Count(len(c.names), "type"), list(c.names))
}
