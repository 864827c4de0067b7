package audit

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"
)

// podText is what counts of a pod, as the API server writes it.
type podText struct {
	Metadata Meta `json:"metadata"`
	Spec     struct {
		NodeName                   string
		HostNetwork                bool
		Priority                   int
		Containers, InitContainers []containerText
		Volumes                    []struct {
			PersistentVolumeClaim *struct{ ClaimName string }
			EmptyDir              *struct{ Medium, SizeLimit string }
		}
	}
	Status struct {
		Phase, Reason, QOSClass string
		Conditions              conditions
		ContainerStatuses       []statusText
		InitContainerStatuses   []statusText
	}
}

// statusText is what became of a container.
type statusText struct {
	Name             string
	RestartCount     int
	LastState, State struct {
		Waiting    *struct{ Reason string }
		Terminated *struct {
			Reason     string
			FinishedAt time.Time
		}
	}
}

type containerText struct {
	Name      string
	Resources struct{ Requests, Limits map[string]string }
}

func (c *Cloud) addPod(text []byte) error {
	var o podText
	if err := json.Unmarshal(text, &o); err != nil {
		return err
	}
	p := Pod{Name: o.Metadata.Name, Created: o.Metadata.Created, HostNetwork: o.Spec.HostNetwork,
		Priority: o.Spec.Priority, Containers: len(o.Spec.Containers)}
	scheduled := o.Status.Conditions.of("PodScheduled")
	p.Unschedulable = scheduled.Status == "False" && scheduled.Reason == "Unschedulable"
	p.Changed = p.Created
	for _, c := range o.Status.Conditions {
		p.Changed = later(p.Changed, c.LastTransitionTime)
	}
	limits := map[string]int64{}
	for _, c := range slices.Concat(o.Spec.InitContainers, o.Spec.Containers) {
		limits[c.Name] = quantity("memory", c.Resources.Limits["memory"])
	}
	for _, s := range slices.Concat(o.Status.InitContainerStatuses, o.Status.ContainerStatuses) {
		p.became(s, limits[s.Name])
	}
	for _, v := range o.Spec.Volumes {
		if v.PersistentVolumeClaim != nil {
			p.Claims = append(p.Claims, v.PersistentVolumeClaim.ClaimName)
		}
		if v.EmptyDir != nil {
			p.paged(v.EmptyDir.Medium, v.EmptyDir.SizeLimit)
		}
	}
	p.amounts(o.Spec.Containers)
	c.mu.Lock()
	defer c.mu.Unlock()
	p.Namespace, p.Node, p.Phase = c.text(o.Metadata.Namespace), c.text(o.Spec.NodeName), c.text(o.Status.Phase)
	p.Reason, p.QoS, p.Labels = c.text(o.Status.Reason), c.text(o.Status.QOSClass), c.set(o.Metadata.Labels)
	for _, owner := range o.Metadata.Owners {
		if owner.Controller {
			p.Owner = c.text(owner.Kind + "/" + owner.Name)
		}
	}
	c.Pods = append(c.Pods, p)
	return nil
}

// became adds what became of a container with a limit of memory, of which 0 is none.
func (p *Pod) became(s statusText, limit int64) {
	p.Restarts += s.RestartCount
	waits := []string{"ContainerCreating", "PodInitializing"} // as each does
	if w := s.State.Waiting; w != nil && p.Waiting == "" && !slices.Contains(waits, w.Reason) {
		p.Waiting, p.WaitingIn = w.Reason, s.Name
	}
	for _, t := range []*struct {
		Reason     string
		FinishedAt time.Time
	}{s.LastState.Terminated, s.State.Terminated} {
		if t != nil && t.Reason == "OOMKilled" {
			p.OOMKilled = true
			p.NodeOOM = p.NodeOOM || limit == 0
			if p.Killed == "" || t.FinishedAt.After(p.OOMKilledAt) {
				p.Killed, p.KilledLimit = s.Name, limit
			}
			p.OOMKilledAt = later(p.OOMKilledAt, t.FinishedAt)
		}
	}
}

// amounts of all containers together.
func (p *Pod) amounts(containers []containerText) {
	for _, c := range containers {
		requests, limits := c.Resources.Requests, c.Resources.Limits
		if limits["memory"] == "" {
			p.Limitless = true
		}
		cpu := quantity("cpu", limits["cpu"])
		p.Fractional = p.Fractional || cpu > core && cpu%core != 0
		p.Limits.CPU += cpu
		p.Limits.Memory += quantity("memory", limits["memory"])
		for name, text := range limits { // a request that is not written is the limit
			if _, said := requests[name]; !said {
				p.request(name, text)
			}
		}
		for name, text := range requests {
			p.request(name, text)
		}
	}
}

func (p *Pod) request(name, text string) {
	n := quantity(name, text)
	switch {
	case name == "cpu":
		p.Requests.CPU += n
	case name == "memory":
		p.Requests.Memory += n
	case name != "ephemeral-storage":
		if p.Resources == nil {
			p.Resources = map[string]int64{}
		}
		p.Resources[name] += n
	}
}

// core is one CPU in millicores.
const core = 1000

// paged keeps the size of a volume of huge pages.
func (p *Pod) paged(medium, size string) {
	if !strings.HasPrefix(medium, "HugePages") || size == "" {
		return
	}
	if p.PageVolumes == nil {
		p.PageVolumes = map[string]int64{}
	}
	p.PageVolumes[medium] = max(p.PageVolumes[medium], quantity("memory", size))
}

// later of two times.
func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// text is kept once.
func (c *Cloud) text(s string) string {
	if known, ok := c.texts[s]; ok {
		return known
	}
	c.texts[s] = s
	return s
}

// set of labels is kept once.
func (c *Cloud) set(labels map[string]string) map[string]string {
	var key strings.Builder
	for _, k := range slices.Sorted(maps.Keys(labels)) {
		key.WriteString(k + "\x00" + labels[k] + "\x00")
	}
	known, ok := c.sets[key.String()]
	if !ok {
		known = labels
		c.sets[key.String()] = known
	}
	return known
}
