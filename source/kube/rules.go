package kube

import (
	"bytes"
	"math"
	"slices"
	"strconv"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/unit"
)

// rules are what of a pod decides on its node beside its requests. They point
// into the object that is being read.
type rules struct {
	affinity, spread value
	priority         int32
	ranked           bool   // the priority is stated
	class            string // priorityClassName
	never            bool   // preemptionPolicy: Never
	ports            []v1alpha1.HostPort
	mentioned        []string // labels that differ from pod to pod and that the pod's own rules name
}

// appendKey appends what tells pods with different rules apart.
func (u *rules) appendKey(key []byte, hostNetwork, daemon bool) []byte {
	without := ""
	if daemon {
		without = fieldsOfNode // they bind each pod to its node
	}
	key = appendValue(appendValue(key, u.affinity, without), u.spread, "")
	key = strconv.AppendInt(key, int64(u.priority), 10)
	key = append(key, flag(u.never), flag(u.ranked))
	if !u.ranked {
		key = appendText(key, u.class)
	}
	for _, p := range u.ports {
		if !hostNetwork && p.HostIP == containerOnly {
			continue
		}
		key = appendText(appendText(strconv.AppendInt(key, int64(p.Port), 10), p.Protocol), p.HostIP)
	}
	return key
}

// mention appends to key the pod's labels that differ from pod to pod and that
// its rules, which key holds from offset start on, name: matchLabelKeys stand in
// the selectors with their values.
func (p *pod) mention(key []byte, start int) []byte {
	if p.rules.affinity.kind() == nothing && p.rules.spread.kind() == nothing {
		return key
	}
	end := len(key)
	var name [maxWordSize]byte
	for _, l := range p.labels {
		if perPod[l.key] && bytes.Contains(key[start:end], appendText(name[:0], l.key)) {
			p.rules.mentioned = append(p.rules.mentioned, l.key)
			key = appendText(appendText(key, l.key), l.value)
		}
	}
	return key
}

// appendValue appends all that a value holds, but for the entries of one name.
func appendValue(key []byte, v value, without string) []byte {
	switch v.kind() {
	case scalar:
		return appendText(key, string(v.bytes()))
	case list:
		key = append(key, '[')
		for e := range v.elems() {
			key = appendValue(key, e, without)
		}
		return append(key, ']')
	case mapping:
		key = append(key, '{')
		for k, f := range v.fields() {
			if without == "" || string(k) != without {
				key = appendValue(appendText(key, string(k)), f, without)
			}
		}
		return append(key, '}')
	}
	return append(key, '-')
}

// fill sets a pod type's rules.
func (r *reader) fill(t *v1alpha1.PodType) {
	p := &r.pod
	t.Priority = p.rules.priority
	if p.rules.never {
		t.PreemptionPolicy = "Never"
	}
	for _, port := range p.rules.ports {
		if p.hostNetwork || port.HostIP != containerOnly {
			t.HostPorts = append(t.HostPorts, port)
		}
	}
	for i := range t.HostPorts {
		if t.HostPorts[i].HostIP == containerOnly {
			t.HostPorts[i].HostIP = ""
		}
	}
	t.Affinity = affinityOf(p.rules.affinity, p.owner.kind == kindDaemonSet)
	if p.node != "" && !r.live {
		t.Affinity = onNode(t.Affinity, p.node)
	}
	t.TopologySpreadConstraints = spreadOf(p.rules.spread)
	t.Labels = map[string]string{}
	for _, l := range p.labels {
		if !perPod[l.key] || slices.Contains(p.rules.mentioned, l.key) {
			t.Labels[l.key] = l.value
		}
	}
	if len(t.Labels) == 0 {
		t.Labels = nil
	}
	if p.split() {
		t.InitContainers, t.ContainerSpecs = specsOf(p.inits), specsOf(p.containers)
	}
}

// containerOnly marks a port that is one of the host only where the pod shares
// the host's network.
const containerOnly = "container"

// hostPort reads a container's port.
func (r *reader) hostPort(port value) {
	p := v1alpha1.HostPort{Protocol: "TCP"}
	inside := int32(0)
	for k, f := range port.fields() {
		switch string(k) {
		case "hostPort":
			p.Port = int32Of(f)
		case "containerPort":
			inside = int32Of(f)
		case "protocol":
			p.Protocol = r.word(f.bytes())
		case "hostIP":
			p.HostIP = r.word(f.bytes())
		}
	}
	if p.Port == 0 {
		p.Port, p.HostIP = inside, containerOnly
	}
	if p.Port > 0 {
		r.pod.rules.ports = append(r.pod.rules.ports, p)
	}
}

// int32Of reads a number; what is none, or too large, is 0.
func int32Of(v value) int32 {
	n, err := strconv.ParseInt(v.text(), 10, 32)
	if err != nil {
		return 0
	}
	return int32(n)
}

// specsOf are containers in the scenario's terms.
func specsOf(list []container) []v1alpha1.ContainerSpec {
	var out []v1alpha1.ContainerSpec
	for i := range list {
		c := &list[i]
		s := v1alpha1.ContainerSpec{Name: c.name, EphemeralStorage: unit.Bytes(c.requests.of(resDisk)),
			HugePages: c.requests.hugePages(), Devices: c.requests.devices()}
		s.CPU, s.Memory = pointer[unit.CPU](c.requests, resCPU), pointer[unit.Bytes](c.requests, resMemory)
		s.CPULimit, s.MemoryLimit = pointer[unit.CPU](c.limits, resCPU), pointer[unit.Bytes](c.limits, resMemory)
		if c.sidecar {
			s.RestartPolicy = "Always"
		}
		out = append(out, s)
	}
	return out
}

func pointer[T ~int64](a amounts, name string) *T {
	n, ok := a.get(name)
	if !ok || n == math.MaxInt64 {
		return nil
	}
	t := T(n)
	return &t
}

// spreadOf reads topologySpreadConstraints.
func spreadOf(v value) []v1alpha1.TopologySpreadConstraint {
	var out []v1alpha1.TopologySpreadConstraint
	for e := range v.elems() {
		c := v1alpha1.TopologySpreadConstraint{MaxSkew: 1, WhenUnsatisfiable: "DoNotSchedule", NodeAffinityPolicy: "Honor",
			NodeTaintsPolicy: "Ignore"}
		for k, f := range e.fields() {
			switch string(k) {
			case "maxSkew":
				c.MaxSkew = max(1, int32Of(f))
			case "topologyKey":
				c.TopologyKey = f.text()
			case "whenUnsatisfiable":
				c.WhenUnsatisfiable = f.text()
			case "labelSelector":
				c.LabelSelector = selectorOf(f)
			case "minDomains":
				n := int32Of(f)
				c.MinDomains = &n
			case "nodeAffinityPolicy":
				c.NodeAffinityPolicy = f.text()
			case "nodeTaintsPolicy":
				c.NodeTaintsPolicy = f.text()
			case "matchLabelKeys":
				c.MatchLabelKeys = textsOf(f)
			}
		}
		out = append(out, c)
	}
	return out
}

// selectorOf reads a label selector; nil when there is none.
func selectorOf(v value) *v1alpha1.LabelSelector {
	if v.kind() != mapping {
		return nil
	}
	return &v1alpha1.LabelSelector{MatchLabels: texts(v.get("matchLabels")),
		MatchExpressions: requirementsOf(v.get("matchExpressions"))}
}

// texts is a mapping of texts; nil when it is empty.
func texts(v value) map[string]string {
	var out map[string]string
	for k, f := range v.fields() {
		if out == nil {
			out = map[string]string{}
		}
		out[string(k)] = f.text()
	}
	return out
}

func requirementsOf(v value) []v1alpha1.Requirement {
	var out []v1alpha1.Requirement
	for e := range v.elems() {
		out = append(out, v1alpha1.Requirement{Key: e.get("key").text(), Operator: e.get("operator").text(),
			Values: textsOf(e.get("values"))})
	}
	return out
}

func textsOf(v value) []string {
	var out []string
	for e := range v.elems() {
		out = append(out, e.text())
	}
	return out
}
