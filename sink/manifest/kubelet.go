package manifest

import (
	"fmt"
	"strings"

	"plimsoll.dev/api/v1alpha1"
)

// setting is one field of the kubelet's configuration that a pool wants.
type setting struct {
	name  string
	value any
	// text describes the setting: "maxPods 500 (250 by default)".
	text string
	// usual says that the value is the default.
	usual bool
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
	r.remark(fmt.Sprintf("Kubelet settings of pool %s: %s. In OpenShift %s its nodes take the kubelet settings of pool worker (%s), "+
		"because the machine config of worker comes later in the alphabet; from %s on a custom pool comes after worker.",
		pool, joinWords(lost), r.release, describe(unusual(workers)), fields[customPoolWins].since))
}

// beatsWorker says whether the kubelet settings of a custom pool override those
// of worker. Before 4.15 the machine configs of both are sorted by their names,
// and the last one wins.
func (r *renderer) beatsWorker(pool string) bool {
	if r.release.has(customPoolWins) {
		return true
	}
	if r.release.has(kubeletPerName) {
		return pool+"-generated-kubelet" > poolWorker+"-generated-kubelet"
	}
	// The pool's random id follows the name and the hyphen.
	return pool > poolWorker && !strings.HasPrefix(pool, poolWorker+"-")
}

// kubeletSettings are the fields that a plan decides, those left open included
// at their defaults. Zero can't be set: the operator takes it for "not given".
func (r *renderer) kubeletSettings(pool v1alpha1.PoolDecision) []setting {
	count := func(name string, value int, fact string) setting {
		usual := r.number(fact)
		if value == 0 || value == usual {
			return setting{name, usual, fmt.Sprintf("%s %d", name, usual), true}
		}
		return setting{name, value, fmt.Sprintf("%s %d (%d by default)", name, value, usual), false}
	}
	out := []setting{
		count("maxPods", pool.MaxPods, "ocp.kubelet.maxPods"),
		count("podsPerCore", pool.PodsPerCore, "ocp.kubelet.podsPerCore"),
		count("kubeAPIQPS", pool.KubeAPIQPS, "ocp.kubelet.kubeAPIQPS"),
		count("kubeAPIBurst", pool.KubeAPIBurst, "ocp.kubelet.kubeAPIBurst"),
	}
	return append(out, reserved(pool.SystemReserved)...)
}

// reserved is the setting for what is kept back for the system, if any.
func reserved(s *v1alpha1.Reserved) []setting {
	if s == nil || s.CPU <= 0 && s.Memory <= 0 {
		return nil
	}
	value := obj{}
	var words []string
	if s.CPU > 0 {
		value["cpu"] = s.CPU.String()
		words = append(words, "CPU "+s.CPU.String())
	}
	if s.Memory > 0 {
		value["memory"] = quantity(s.Memory)
		words = append(words, "memory "+quantity(s.Memory))
	}
	return []setting{{"systemReserved", value, "systemReserved " + joinWords(words) + " in place of the default", false}}
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
	words := make([]string, len(s))
	for i, x := range s {
		words[i] = x.text
	}
	return joinWords(words)
}

func (r *renderer) kubeletConfig(g group, want []setting) {
	config := obj{}
	var decision []string
	for _, x := range want {
		if x.value != 0 {
			config[x.name] = x.value
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
			"A pool may have only one KubeletConfig: of several the operator uses the last one whole. Merge this with one that exists: oc get kubeletconfig",
		},
		sources: ocp("2.1", "2.2"),
	}
	if g.name == poolWorker {
		h.notes = append(h.notes, r.inheriting()...)
	}
	r.add(path, stageKubelet, joinWords(decision), h, obj{
		"apiVersion": "machineconfiguration.openshift.io/v1",
		"kind":       "KubeletConfig",
		"metadata":   obj{"name": "plimsoll-" + g.name},
		"spec": obj{
			"machineConfigPoolSelector": obj{"matchLabels": r.poolLabels(g.name)},
			"kubeletConfig":             config,
		},
	})
}

// labelPool is the command that older releases need before the first use.
func (r *renderer) labelPool(pool string) []string {
	if custom(pool) || r.release.has(poolLabel) {
		return nil
	}
	return []string{fmt.Sprintf("oc label machineconfigpool %s %s=%s", pool, kubeletLabel, pool)}
}

// inheriting says which custom pools take over the worker's settings.
func (r *renderer) inheriting() []string {
	var names []string
	for _, g := range r.groups() {
		if custom(g.name) {
			names = append(names, g.name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("Custom pools (%s) take the machine configs of role worker, this one too, unless they have kubelet settings of their own that come after it.",
		strings.Join(names, ", "))}
}
