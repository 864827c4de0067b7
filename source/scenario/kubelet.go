package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/schema"
	"plimsoll.dev/unit"
)

// Names of policies and options, as KubeletConfiguration has them.
const (
	static         = "static"
	staticMemory   = "Static"
	none           = "none"
	singleNUMANode = "single-numa-node"

	fullPCPUsOnly    = "full-pcpus-only"
	acrossNUMA       = "distribute-cpus-across-numa"
	acrossCores      = "distribute-cpus-across-cores"
	alignBySocket    = "align-by-socket"
	strictReserved   = "strict-cpu-reservation"
	alignByCache     = "prefer-align-cpus-by-uncorecache"
	closestNUMA      = "prefer-closest-numa-nodes"
	maxAllowableNUMA = "max-allowable-numa-nodes"

	alphaGate = "CPUManagerPolicyAlphaOptions"
	betaGate  = "CPUManagerPolicyBetaOptions"
)

var (
	cpuOptions      = []string{fullPCPUsOnly, acrossNUMA, alignBySocket, acrossCores, strictReserved, alignByCache}
	topologyOptions = []string{closestNUMA, maxAllowableNUMA}
	// gates are those that placement depends on.
	gates = []string{alphaGate, betaGate}
	// exclusive are options of which the kubelet takes one (NewStaticPolicyOptions in
	// pkg/kubelet/cm/cpumanager/policy_options.go).
	exclusive = [][2]string{{fullPCPUsOnly, acrossCores}, {acrossNUMA, acrossCores}, {alignByCache, acrossCores},
		{alignByCache, acrossNUMA}}
)

// kubelet checks the settings with which a kubelet would not start.
func (v *validator) kubelet(at string, t *v1alpha1.NodeType) {
	k := t.Kubelet
	if k == nil {
		return
	}
	v.cpuOptions(at+".kubelet", k)
	v.topologyOptions(at+".kubelet", k)
	v.featureGates(at+".kubelet.featureGates", k)
	v.staticReservation(at, t)
	v.reservedMemory(at, t)
}

// cpuOptions follows pkg/kubelet/cm/cpumanager/policy_options.go and
// policy_none.go of Kubernetes 1.36.
func (v *validator) cpuOptions(at string, k *v1alpha1.Kubelet) {
	options := k.CPUManagerPolicyOptions
	path := at + ".cpuManagerPolicyOptions"
	if len(options) > 0 && k.CPUManagerPolicy == none && v.good(at+".cpuManagerPolicy", path) {
		v.bad(path, "the policy none takes no options", "write cpuManagerPolicy: static, or remove them")
	}
	for _, name := range slices.Sorted(maps.Keys(options)) {
		if v.knownOption(path, name, cpuOptions) {
			v.boolean(path+"."+name, options[name])
			v.gated(path+"."+name, name, k)
		}
	}
	for _, pair := range exclusive {
		if isTrue(options[pair[0]]) && isTrue(options[pair[1]]) && v.good(path) {
			v.bad(path+"."+pair[1], "does not go together with "+pair[0], "remove one of them")
		}
	}
	if k.TopologyManagerPolicy == singleNUMANode && isTrue(options[alignBySocket]) &&
		v.good(path+"."+alignBySocket, at+".topologyManagerPolicy") {
		v.bad(path+"."+alignBySocket, "does not go together with topologyManagerPolicy single-numa-node",
			"remove it, or choose restricted")
	}
}

// topologyOptions follows pkg/kubelet/cm/topologymanager/policy_options.go.
func (v *validator) topologyOptions(at string, k *v1alpha1.Kubelet) {
	path := at + ".topologyManagerPolicyOptions"
	for _, name := range slices.Sorted(maps.Keys(k.TopologyManagerPolicyOptions)) {
		value := k.TopologyManagerPolicyOptions[name]
		switch {
		case !v.knownOption(path, name, topologyOptions):
		case name == closestNUMA:
			v.boolean(path+"."+name, value)
		default:
			n, err := strconv.Atoi(value)
			if err != nil || n < kubeletNUMANodes {
				v.bad(path+"."+name, yamlpos.Quote(value)+" is not a number of NUMA nodes that the kubelet takes",
					fmt.Sprintf("at least \"%d\"", kubeletNUMANodes))
			}
		}
	}
}

// kubeletNUMANodes is the most NUMA nodes on which the Topology Manager works
// unless told otherwise (topology_manager.go, defaultMaxAllowableNUMANodes).
const kubeletNUMANodes = 8

// manyNodes demands that the Topology Manager starts on the machine.
func (v *validator) manyNodes(at string, k *v1alpha1.Kubelet, m machine) {
	allowed := kubeletNUMANodes
	if n, err := strconv.Atoi(k.TopologyManagerPolicyOptions[maxAllowableNUMA]); err == nil {
		allowed = max(allowed, n)
	}
	if path := at + ".topologyManagerPolicy"; k.TopologyManagerPolicy != none && len(m.nodes) > allowed && v.good(path) {
		v.bad(path, fmt.Sprintf("the kubelet does not start with it on %s", words.Count(len(m.nodes), "NUMA node")),
			fmt.Sprintf("add topologyManagerPolicyOptions: {%s: \"%d\"}", maxAllowableNUMA, len(m.nodes)))
	}
}

// alignBySocket follows ValidateStaticPolicyOptions of policy_options.go.
func (v *validator) alignBySocket(at string, k *v1alpha1.Kubelet, m machine) {
	path := at + ".cpuManagerPolicyOptions." + alignBySocket
	if isTrue(k.CPUManagerPolicyOptions[alignBySocket]) && m.sockets > len(m.nodes) && v.good(path) {
		v.bad(path, fmt.Sprintf("needs a NUMA node on each socket; here are %d sockets and %s", m.sockets,
			words.Count(len(m.nodes), "NUMA node")), "remove it")
	}
}

// knownOption says whether the policy has an option of this name, and notes when it
// doesn't.
func (v *validator) knownOption(path, name string, known []string) bool {
	switch near := schema.Nearest(name, known); {
	case !v.good(path + "." + name):
		return false
	case slices.Contains(known, name):
		return true
	case near != "":
		v.bad(path+"."+name, "there is no option "+yamlpos.Quote(name), "did you mean "+near+"?")
	default:
		v.bad(path+"."+name, "there is no option "+yamlpos.Quote(name), "known are "+strings.Join(known, ", "))
	}
	return false
}

func (v *validator) boolean(path, value string) {
	if _, err := strconv.ParseBool(value); err != nil && v.good(path) {
		v.bad(path, yamlpos.Quote(value)+" is neither true nor false", `write "true" or "false"`)
	}
}

func isTrue(value string) bool {
	b, err := strconv.ParseBool(value)
	return err == nil && b
}

// gated demands that the feature gate of an option is on.
func (v *validator) gated(path, option string, k *v1alpha1.Kubelet) {
	if alpha := option == alignBySocket || option == acrossCores; alpha && !k.FeatureGates[alphaGate] && v.good(path) {
		v.bad(path, "is an alpha option", "add featureGates: {"+alphaGate+": true}")
	}
	if on, given := k.FeatureGates[betaGate]; option == acrossNUMA && given && !on && v.good(path) {
		v.bad(path, "is a beta option, and "+betaGate+" is off", "remove the option, or the feature gate")
	}
}

func (v *validator) featureGates(at string, k *v1alpha1.Kubelet) {
	for _, name := range slices.Sorted(maps.Keys(k.FeatureGates)) {
		if slices.Contains(gates, name) || !v.good(at+"."+name) {
			continue
		}
		fix := "it takes " + strings.Join(gates, ", ")
		if near := schema.Nearest(name, gates); near != "" {
			fix = "did you mean " + near + "?"
		}
		v.bad(at+"."+name, "placing takes no feature gate of this name", fix)
	}
}

// reservedCPUs demands that the CPUs are there and that some are left.
func (v *validator) reservedCPUs(at string, t *v1alpha1.NodeType, m machine) {
	path := at + ".reservedSystemCPUs"
	reserved, err := unit.ParseCPUSet(t.Kubelet.ReservedSystemCPUs)
	missing := reserved.Minus(m.cpus)
	switch {
	case err != nil || !v.good(path):
	case missing.Len() == 1:
		v.bad(path, fmt.Sprintf("there is no CPU %s", missing), "the machine has "+m.cpus.String())
	case !missing.IsEmpty():
		v.bad(path, fmt.Sprintf("there are no CPUs %s", missing), "the machine has "+m.cpus.String())
	case m.cpus == reserved && !reserved.IsEmpty():
		v.bad(path, "no CPU is left for pods", "reserve fewer of "+m.cpus.String())
	}
}

// staticReservation demands what the static policy needs to start: a CPU that is
// not a pod's (NewStaticPolicy in pkg/kubelet/cm/cpumanager/policy_static.go).
func (v *validator) staticReservation(at string, t *v1alpha1.NodeType) {
	path := at + ".kubelet.cpuManagerPolicy"
	if t.Kubelet.CPUManagerPolicy != static || t.Kubelet.ReservedSystemCPUs != "" ||
		!v.good(path, at+".systemReserved", at+".kubeReserved", at+".kubelet.reservedSystemCPUs") {
		return
	}
	if reservedOf(t).CPU == 0 {
		v.bad(path, "the kubelet does not start with static when no CPU is reserved for the system",
			`add reservedSystemCPUs: "0", or systemReserved: {cpu: 500m}`)
	}
}

// reservedOf is what the machine keeps back in all.
func reservedOf(t *v1alpha1.NodeType) (sum v1alpha1.Reserved) {
	for _, r := range []*v1alpha1.Reserved{t.SystemReserved, t.KubeReserved} {
		if r != nil {
			sum.CPU = add(sum.CPU, r.CPU)
			sum.Memory = add(sum.Memory, r.Memory)
		}
	}
	return sum
}
