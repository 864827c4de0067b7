package manifest

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/kubeletconfig"
)

// setting is one field of the kubelet's configuration that a pool wants.
type setting struct {
	name string
	// text describes the setting: "maxPods 500 (250 by default)".
	text string
	// usual says that the value is the default.
	usual bool
	put   func(*kubeletconfig.Settings)
}

// kubeletConfigs writes one KubeletConfig for each pool whose kubelets are not
// to run with the platform's defaults. There is never more than one for a pool:
// of several the operator uses only the last.
func (r *renderer) kubeletConfigs() {
	workers := r.kubeletSettings(v1alpha1.PoolDecision{})
	if g, ok := r.group(poolWorker); ok {
		workers = r.kubeletSettings(g.members[0].PoolDecision)
	}
	for _, g := range r.allGroups() {
		want := r.kubeletSettings(g.members[0].PoolDecision)
		switch {
		case !custom(g.name) || allUsual(workers):
			if !allUsual(want) {
				r.kubeletConfig(g, unusual(want))
			}
		case describe(want) == describe(workers):
			// The pool takes the machine configs of role worker, this one too.
		case r.beatsWorker(g.name):
			r.kubeletConfig(g, want)
		default:
			r.overruled(g.name, want, workers)
		}
	}
}

// overruled remarks on kubelet settings that lose against those of worker.
func (r *renderer) overruled(pool string, want, workers []setting) {
	var lost []string
	for i, w := range want {
		if i >= len(workers) || w.text != workers[i].text {
			lost = append(lost, w.text)
		}
	}
	if len(lost) == 0 { // the workers alone keep something back for the system
		lost = []string{"the default of systemReserved"}
	}
	r.remark(fmt.Sprintf("Kubelet settings of pool %s: %s. In OpenShift %s its nodes take the kubelet "+
		"settings of pool worker (%s), "+
		"because the machine config of worker comes later in the alphabet; from %s on a custom pool comes after worker.",
		pool, words.And(lost), r.release, describe(unusual(workers)), release.SpanOf(&customPoolWins).Since))
}

// beatsWorker says whether the kubelet settings of a custom pool override those
// of worker.
func (r *renderer) beatsWorker(pool string) bool {
	naming := kubeletconfig.ByUID
	if kubeletPerName.In(r.release) {
		naming = kubeletconfig.ByPool
	}
	return naming.CustomWins(pool, customPoolWins.In(r.release))
}

// leavesWorker says whether a pool has kubelet settings of its own in place of
// worker's.
func (r *renderer) leavesWorker(g group) bool {
	workers, ok := r.group(poolWorker)
	return ok && custom(g.name) && r.beatsWorker(g.name) &&
		describe(r.kubeletSettings(g.members[0].PoolDecision)) != describe(r.kubeletSettings(workers.members[0].PoolDecision))
}

// kubeletSettings are the fields that a plan decides, those left open included
// at their defaults.
func (r *renderer) kubeletSettings(pool v1alpha1.PoolDecision) []setting {
	count := func(name string, value int, fact string, at func(*kubeletconfig.Settings) *int) setting {
		usual := r.number(fact)
		text := fmt.Sprintf("%s %d", name, usual)
		same := value == 0 || value == usual
		if same {
			value = usual
		} else {
			text = fmt.Sprintf("%s %d (%d by default)", name, value, usual)
		}
		return setting{name, text, same, func(s *kubeletconfig.Settings) { *at(s) = value }}
	}
	out := []setting{
		count("maxPods", pool.MaxPods, "ocp.kubelet.maxPods", func(s *kubeletconfig.Settings) *int { return &s.MaxPods }),
		count("podsPerCore", pool.PodsPerCore, "ocp.kubelet.podsPerCore",
			func(s *kubeletconfig.Settings) *int { return &s.PodsPerCore }),
		count("kubeAPIQPS", pool.KubeAPIQPS, "ocp.kubelet.kubeAPIQPS",
			func(s *kubeletconfig.Settings) *int { return &s.KubeAPIQPS }),
		count("kubeAPIBurst", pool.KubeAPIBurst, "ocp.kubelet.kubeAPIBurst",
			func(s *kubeletconfig.Settings) *int { return &s.KubeAPIBurst }),
	}
	return append(out, reserved(pool.SystemReserved)...)
}

// reserved is the setting for what is kept back for the system, if any.
func reserved(r *v1alpha1.Reserved) []setting {
	if r == nil || r.CPU <= 0 && r.Memory <= 0 {
		return nil
	}
	amounts := map[string]string{}
	var parts []string
	if r.CPU > 0 {
		amounts["cpu"] = r.CPU.String()
		parts = append(parts, "CPU "+r.CPU.String())
	}
	if r.Memory > 0 {
		amounts["memory"] = r.Memory.Rounded()
		parts = append(parts, "memory "+r.Memory.Rounded())
	}
	return []setting{{"systemReserved", "systemReserved " + words.And(parts) + " in place of the default", false,
		func(s *kubeletconfig.Settings) { s.SystemReserved = amounts }}}
}

func allUsual(s []setting) bool { return len(unusual(s)) == 0 }

// unusual are the settings that differ from the defaults.
func unusual(s []setting) []setting {
	var out []setting
	for _, x := range s {
		if !x.usual {
			out = append(out, x)
		}
	}
	return out
}

// describe lists settings in words.
func describe(s []setting) string {
	parts := make([]string, len(s))
	for i, x := range s {
		parts[i] = x.text
	}
	return words.And(parts)
}

func (r *renderer) kubeletConfig(g group, want []setting) {
	var s kubeletconfig.Settings
	for _, x := range want {
		x.put(&s)
	}
	written := s.Fields()
	var decision []string
	for _, x := range want {
		if _, ok := written[x.name]; ok {
			decision = append(decision, x.text)
		}
	}
	path := "kubeletconfig-" + g.name + ".yaml"
	h := header{
		title:    fmt.Sprintf("Kubelet settings of machine config pool %s.", g.name),
		decision: decision,
		figures:  r.figures(topicKubelet, g.members[0].Type),
		apply:    append(r.labelPool(g.name), "oc apply -f "+path),
		notes: []string{
			"The nodes of the pool are drained and rebooted, as many at once as maxUnavailable says.",
			"A pool may have only one KubeletConfig: of several the operator uses the last one whole. " +
				"Merge this with one that exists: oc get kubeletconfig",
		},
		sources: ocp("2.1", "2.2"),
	}
	if g.name == poolWorker {
		h.notes = append(h.notes, r.inheriting()...)
		if slices.ContainsFunc(r.groups(), r.leavesWorker) {
			h.answered = map[string]string{"name: ": "kubelet.fromWorker"}
		}
	}
	r.add(path, stageKubelet, words.And(decision), h, kubeletconfig.Generate("plimsoll-"+g.name, r.poolLabels(g.name), s))
}

// labelPool is the command that older releases need before the first use.
func (r *renderer) labelPool(pool string) []string {
	labels := r.poolLabels(pool)
	if _, own := labels[kubeletLabel]; !own || custom(pool) {
		return nil
	}
	return []string{fmt.Sprintf("oc label machineconfigpool %s %s=%s", pool, kubeletLabel, labels[kubeletLabel])}
}

// inheriting says which custom pools take over the worker's settings.
func (r *renderer) inheriting() []string {
	names := r.customPools()
	if len(names) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("Custom pools (%s) take the machine configs of role worker, this one too, "+
		"unless they have kubelet settings of their own that come after it.",
		strings.Join(names, ", "))}
}

// customPools are the names of the plan's custom pools.
func (r *renderer) customPools() []string {
	var names []string
	for _, g := range r.groups() {
		if custom(g.name) {
			names = append(names, g.name)
		}
	}
	return names
}
