package performance

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/kubeletconfig"
	"plimsoll.dev/unit"
)

// snippetNote is the annotation with a part of the kubelet's configuration as JSON.
const snippetNote = "kubeletconfig.experimental"

// draNote gives CPUs and memory to drivers of dynamic resource allocation.
const draNote = "performance.openshift.io/dra-resource-management"

const mixedAndDRA = "workloadHints.mixedCpus and the annotation " + draNote + " exclude one another"

// setting is a field of the kubelet's configuration that the operator sets, and what it comes from.
type setting struct {
	field, value, from string
}

// newer are fields of the kubelet's configuration that the types of the operator have from a release on.
var newer = map[string]release.Release{
	"imageMaximumGCAge": 16, "podLogsDir": 18, "containerLogMaxWorkers": 18, "containerLogMonitorInterval": 18,
	"failCgroupV1": 18, "logging.options.text": 18, "crashLoopBackOff": 19, "singleProcessOOMKill": 19,
	"userNamespaces":                         20,
	"imagePullCredentialsVerificationPolicy": 20, "preloadedImagesVerificationAllowlist": 20,
	"mergeDefaultEvictionSettings": 20, "memoryReservationPolicy": release.Newest + 1,
	"tlsCurvePreferences": release.Newest + 1,
}

// lacking says which fields the types of a release do not have.
func lacking(r release.Release) func(string) bool {
	return func(path string) bool { return newer[path] > r.Minor() }
}

// snippet is what the annotation adds; wrong says why the operator can't read it.
func snippet(notes map[string]string, r release.Release) (fields map[string]any, wrong string) {
	text, given := notes[snippetNote]
	if !given {
		return map[string]any{}, ""
	}
	if err := json.Unmarshal([]byte(text), &fields); err != nil {
		return nil, "it is no JSON object: " + err.Error()
	}
	if l, _ := fields["logging"].(map[string]any); !flushAsText.In(r) {
		if text, is := l["flushFrequency"].(string); is {
			return nil, fmt.Sprintf("logging.flushFrequency is %q, not a number of nanoseconds", text)
		}
	}
	fields, problems := kubeletconfig.Written(fields, r, lacking(r))
	for _, p := range problems {
		if p.Rule.Severity == "error" {
			return nil, p.What
		}
	}
	return fields, ""
}

// kubelet fills in the configuration of the kubelet over the annotation's.
type kubelet struct {
	fields map[string]any
	told   []setting
	// lost are fields of the annotation that have another value now.
	lost []string
}

// set gives a field a value, whatever the annotation has.
func (k *kubelet) set(field, value, from string) {
	if had := k.fields[field]; !slices.Contains([]any{nil, "", "0s"}, had) && fmt.Sprint(had) != value {
		k.lost = append(k.lost, fmt.Sprintf("%s %v becomes %s", field, had, value))
	}
	k.fields[field] = value
	k.told = append(k.told, setting{field, value, from})
}

// add gives a key of a field a value where the annotation has none, and returns what it is.
func (k *kubelet) add(field, key, value, from string) string {
	m, _ := k.fields[field].(map[string]any)
	if m == nil {
		m = map[string]any{}
		k.fields[field] = m
	}
	if had, ok := m[key]; ok {
		value, from = fmt.Sprint(had), snippetNote
	}
	m[key] = value
	k.told = append(k.told, setting{field + "." + key, value, from})
	return value
}

// configure puts the whole configuration together; wrong says why the operator can't.
func configure(p *openshift.PerformanceProfile, r release.Release, mixed bool) (k kubelet, wrong string) {
	s, cpus := &p.Spec, setsOf(p, r)
	if k.fields, wrong = snippet(p.Metadata.Annotations, r); wrong != "" {
		return k, wrong
	}
	if dra, _ := strconv.ParseBool(p.Metadata.Annotations[draNote]); dra && draKnown.In(r) {
		if mixed {
			return k, mixedAndDRA
		}
		k.fields["cpuManagerPolicyOptions"] = map[string]any{}
		k.set("cpuManagerPolicy", "none", draNote)
		k.set("memoryManagerPolicy", "None", draNote)
		k.set("topologyManagerPolicy", "none", draNote)
		return k, ""
	}
	k.set("cpuManagerPolicy", "static", "")
	k.set("cpuManagerReconcilePeriod", "5s", "")
	evict := k.add("evictionHard", "memory.available", "100Mi", "")
	k.add("evictionHard", "nodefs.available", "10%", "")
	k.add("evictionHard", "imagefs.available", "15%", "")
	k.add("evictionHard", "nodefs.inodesFree", "5%", "")
	kept := []string{k.add("kubeReserved", "memory", "500Mi", ""), k.add("systemReserved", "memory", "500Mi", ""), evict}
	reserved, from := *s.CPU.Reserved, "spec.cpu.reserved"
	if all := cpus["reserved"].Union(cpus["ovsDpdk"]); dpdkJudged.In(r) || mixed {
		if !cpus["ovsDpdk"].IsEmpty() {
			from += ", spec.cpu.ovsDpdk"
		}
		if mixed {
			all, from = all.Union(cpus["shared"]), from+", spec.cpu.shared"
		}
		reserved = all.String()
	}
	k.set("reservedSystemCPUs", reserved, from)
	return k, k.topology(s.NUMA.TopologyPolicy, kept)
}

// topology sets the policies that follow from that of the topology manager. kept are what the node keeps of memory.
func (k *kubelet) topology(policy *string, kept []string) (wrong string) {
	const from = "spec.numa.topologyPolicy"
	if policy == nil {
		k.set("topologyManagerPolicy", "best-effort", "")
		return ""
	}
	k.set("topologyManagerPolicy", *policy, from)
	if !slices.Contains([]string{"restricted", "single-numa-node"}, *policy) {
		return ""
	}
	k.set("memoryManagerPolicy", "Static", from)
	if k.fields["reservedMemory"] == nil {
		var sum resource.Quantity
		for _, text := range kept {
			q, err := unit.ParseQuantity(text)
			if err != nil {
				return fmt.Sprintf("%q is no quantity, and what the memory manager keeps is the sum of it and others", text)
			}
			sum.Add(q)
		}
		k.fields["reservedMemory"] = []any{map[string]any{"numaNode": 0.0,
			"limits": map[string]any{"memory": sum.String()}}}
		k.told = append(k.told, setting{"reservedMemory", "memory " + sum.String() + " on NUMA node 0", from})
	}
	if *policy == "single-numa-node" {
		k.add("cpuManagerPolicyOptions", "full-pcpus-only", "true", from)
	}
	return ""
}

// kubeletConfig is the KubeletConfig.
func (r *Rendering) kubeletConfig(poolLabels map[string]string) map[string]any {
	_, mixed := r.values.by["mixed"]
	k, _ := configure(&r.of.Value, r.values.release, mixed)
	k.fields["apiVersion"], k.fields["kind"] = "kubelet.config.k8s.io/v1beta1", "KubeletConfiguration"
	fields, _ := kubeletconfig.Written(k.fields, r.values.release, lacking(r.values.release))
	slices.SortFunc(k.told, func(a, b setting) int { return cmp.Compare(a.field, b.field) })
	r.settings = k.told
	out := made("machineconfiguration.openshift.io/v1", "KubeletConfig",
		map[string]any{"name": kubeletPrefix + r.Profile})
	out["spec"] = map[string]any{"machineConfigPoolSelector": map[string]any{"matchLabels": poolLabels},
		"kubeletConfig": fields}
	return out
}

// strict says whether only the CPUs that are not reserved go to pods, by the annotation.
func (k *kubelet) strict() bool {
	o, _ := k.fields["cpuManagerPolicyOptions"].(map[string]any)
	return o["strict-cpu-reservation"] == "true"
}

// kubelet judges what the kubelet's configuration is made of, and what the CPUs of OVS-DPDK ask of it. Of what is
// refused anyway it says nothing.
func (c *checker) kubelet(a *around) {
	if len(c.found) > 0 || !complete(&c.Value) {
		return
	}
	const nothing = ": the operator makes nothing of the profile"
	s := &c.Value.Spec
	k, wrong := configure(&c.Value, c.release, mixes(a, &c.Value, c.release))
	if wrong == mixedAndDRA {
		c.found = append(c.found,
			c.Finding(badSnippet, "metadata.annotations."+draNote, wrong+nothing, "leave one of the two"))
		return
	}
	if wrong != "" {
		c.found = append(c.found, c.Finding(badSnippet, "metadata.annotations."+snippetNote,
			"the annotation "+snippetNote+": "+wrong+nothing, "write fields of the kubelet's configuration as JSON"))
		return
	}
	if len(k.lost) > 0 {
		c.found = append(c.found, c.Finding(overwritten, "metadata.annotations."+snippetNote, "the operator sets itself "+
			"what the annotation "+snippetNote+" has: "+words.And(k.lost), "take it out of the annotation"))
	}
	if s.CPU.OVSDPDK != "" && dpdkJudged.In(c.release) && !a.pinned && !k.strict() {
		c.found = append(c.found, c.Finding(dpdkOpen, "spec.cpu.ovsDpdk", "there are CPUs for OVS-DPDK, and neither "+
			"workload partitioning nor strict-cpu-reservation"+nothing, "add the annotation "+snippetNote+
			`: '{"cpuManagerPolicyOptions": {"strict-cpu-reservation": "true"}}'`))
	}
}
