package kubeletconfig

import (
	"cmp"
	"slices"
	"strconv"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/release"
	"plimsoll.dev/selector"
	"plimsoll.dev/tune/machineconfig"
	"plimsoll.dev/tune/pool"
)

// Naming is how the operator names the MachineConfigs that it makes of
// KubeletConfigs.
type Naming uint8

// The namings.
const (
	// ByUID is 99-POOL-UID-kubelet, one for a pool, up to 4.5.
	ByUID Naming = iota
	// ByPool is 99-POOL-generated-kubelet, one for a pool, in 4.6.
	ByPool
	// Numbered is 99-POOL-generated-kubelet, then -1 to -9, one for each KubeletConfig, from 4.7 on.
	Numbered
)

var namings = [...]string{"99-POOL-UID-kubelet, one for a pool", "99-POOL-generated-kubelet, one for a pool",
	"99-POOL-generated-kubelet and -1 to -9, one for each KubeletConfig"}

func (n Naming) String() string { return namings[n] }

// highest is the last number of a name.
const highest = 9

// suffixAnnotation of a KubeletConfig holds the number that its MachineConfig got.
const suffixAnnotation = "machineconfiguration.openshift.io/mc-name-suffix"

// Name is the name of a MachineConfig of a pool, whose UID may be unknown; number
// is 0 for the first.
func (n Naming) Name(pool, uid string, number int) string {
	switch {
	case n == ByUID:
		return "99-" + pool + "-" + cmp.Or(uid, "UID") + "-kubelet"
	case n == ByPool || number == 0:
		return "99-" + pool + "-generated-kubelet"
	}
	return "99-" + pool + "-generated-kubelet-" + strconv.Itoa(number)
}

// CustomWins says whether a KubeletConfig of a custom pool surely goes before one of
// pool worker, which the custom pool's nodes get too: of the two MachineConfigs the
// one that comes later in the order of rendering is left, whole. workerFirst says
// that those of worker come first whatever their names, as they do from 4.15 on.
func (n Naming) CustomWins(custom string, workerFirst bool) bool {
	// The ids are random: the custom pool must win with the least against the greatest.
	return workerFirst || n.Name(custom, "0", 0) > n.Name(pool.Worker, "ffffffff", 0)
}

// Selects says whether a KubeletConfig is for a pool: its selector is compared with
// the labels of the pool, not of nodes, and an empty one selects nothing.
func Selects(cr *openshift.KubeletConfig, p *openshift.MachineConfigPool) bool {
	s := cr.Spec.MachineConfigPoolSelector
	return !selector.Empty(s) && selector.Selects(s, p.Metadata.Labels)
}

// Contender is a KubeletConfig that reaches the nodes of a pool.
type Contender struct {
	// Index of the KubeletConfig among those given.
	Index int
	// Role is the pool whose KubeletConfig it is: the nodes' own, or worker.
	Role string
	// MachineConfig is the name of what the operator makes of it; empty when it makes nothing.
	MachineConfig string
	// Number of the KubeletConfig among those of its pool, in the order of their creation.
	Number int
	// Stopped says why there is no name left for what the operator would make.
	Stopped Stopped
}

// Contenders are the KubeletConfigs that reach the nodes of a pool, the one that
// wins last. refused says which of them the operator makes nothing of.
func Contenders(p *openshift.MachineConfigPool, pools []openshift.MachineConfigPool, crs []openshift.KubeletConfig,
	r release.Release, refused func(int) bool) []Contender {
	out := ofPool(p, crs, r, refused)
	if name := p.Metadata.Name; name != pool.Worker && !controlPlane(name) && takesWorkers(p) {
		for i := range pools {
			if pools[i].Metadata.Name == pool.Worker {
				out = append(out, ofPool(&pools[i], crs, r, refused)...)
			}
		}
	}
	place := places(p, out, r)
	slices.SortStableFunc(out, func(a, b Contender) int {
		return cmp.Or(cmp.Compare(place[a.MachineConfig], place[b.MachineConfig]), cmp.Compare(a.Number, b.Number))
	})
	return out
}

// places are the MachineConfigs of contenders by their place in the order in which
// a pool's are rendered, from 1 on.
func places(p *openshift.MachineConfigPool, list []Contender, r release.Release) map[string]int {
	var configs []openshift.MachineConfig
	for _, c := range list {
		configs = append(configs, openshift.MachineConfig{
			Metadata: openshift.ObjectMeta{Name: c.MachineConfig, Labels: map[string]string{openshift.LabelRole: c.Role}},
		})
	}
	everything := *p
	everything.Spec.MachineConfigSelector = &openshift.LabelSelector{
		MatchExpressions: []v1alpha1.Requirement{{Key: openshift.LabelRole, Operator: "Exists"}},
	}
	out := map[string]int{}
	for i, name := range machineconfig.Render(configs, []openshift.MachineConfigPool{everything}, r).Pools[0].Order {
		if name != "" {
			out[name] = i + 1
		}
	}
	return out
}

// takesWorkers says whether a custom pool takes the MachineConfigs of role worker.
func takesWorkers(p *openshift.MachineConfigPool) bool {
	s := p.Spec.MachineConfigSelector
	return s == nil || selector.Selects(s, map[string]string{openshift.LabelRole: pool.Worker})
}

// ofPool are the KubeletConfigs of one pool, the oldest first, with the names of
// their MachineConfigs.
func ofPool(p *openshift.MachineConfigPool, crs []openshift.KubeletConfig, r release.Release,
	refused func(int) bool) []Contender {
	var out []Contender
	for i := range crs {
		if Selects(&crs[i], p) {
			out = append(out, Contender{Index: i, Role: p.Metadata.Name})
		}
	}
	slices.SortStableFunc(out, func(a, b Contender) int {
		return cmp.Compare(crs[a.Index].Metadata.CreationTimestamp, crs[b.Index].Metadata.CreationTimestamp)
	})
	next := nextNumber(out, crs)
	for i := range out {
		c := &out[i]
		c.Number = i
		if refused(c.Index) {
			continue
		}
		n := naming.In(r)
		first := n.Name(p.Metadata.Name, p.Metadata.UID, 0)
		suffix, has := crs[c.Index].Metadata.Annotations[suffixAnnotation]
		switch {
		case n != Numbered || has && suffix == "":
			c.MachineConfig = first
		case has:
			c.MachineConfig = first + "-" + suffix
		case next < 0:
			c.Stopped = BadSuffix
		case next > highest:
			c.Stopped = TooMany
		default:
			c.MachineConfig = n.Name(p.Metadata.Name, p.Metadata.UID, next)
			next++
		}
	}
	return out
}

// Stopped is why a KubeletConfig that the operator doesn't refuse gets no MachineConfig.
type Stopped uint8

// The reasons; the zero one is none.
const (
	// TooMany is that all numbers are taken.
	TooMany Stopped = iota + 1
	// BadSuffix is that another KubeletConfig's annotation is no number, so that the next
	// one isn't known.
	BadSuffix
)

// nextNumber is the number of the next KubeletConfig that has none in its annotation;
// below 0 when one of the annotations is no number.
func nextNumber(list []Contender, crs []openshift.KubeletConfig) int {
	next := 0
	for _, c := range list {
		suffix, has := crs[c.Index].Metadata.Annotations[suffixAnnotation]
		if !has {
			continue
		}
		next = max(next, 1)
		if suffix == "" {
			continue
		}
		n, err := strconv.Atoi(suffix)
		if err != nil {
			return -1
		}
		next = max(next, min(n, highest)+1)
	}
	return next
}
