package kubelet

import (
	"fmt"
	"strconv"
	"sync"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	configv1beta1 "k8s.io/kubelet/config/v1beta1"
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
	"k8s.io/kubernetes/pkg/kubelet/apis/config/scheme"
	"k8s.io/kubernetes/pkg/kubelet/apis/config/validation"

	"plimsoll.dev/place/kubelet"
	"plimsoll.dev/unit"
)

// setGates puts the feature gates to what a configuration says; the function that
// it returns puts them back. They are the process's, so sessions run one by one.
func setGates(want map[string]bool) (restore func(), err error) {
	gates := utilfeature.DefaultMutableFeatureGate
	before := map[string]bool{}
	known := gates.GetAll()
	for name := range want {
		if _, ok := known[featuregate.Feature(name)]; !ok {
			return func() {}, fmt.Errorf("unrecognized feature gate: %s", name)
		}
		before[name] = gates.Enabled(featuregate.Feature(name))
	}
	restore = func() {
		if err := gates.SetFromMap(before); err != nil {
			panic(err)
		}
	}
	return restore, gates.SetFromMap(want)
}

// defaults is the kubelet's configuration when nothing is said.
var defaults = sync.OnceValue(func() *kubeletconfig.KubeletConfiguration {
	s, _, err := scheme.NewSchemeAndCodecs()
	if err != nil {
		panic(err)
	}
	versioned, internal := &configv1beta1.KubeletConfiguration{}, &kubeletconfig.KubeletConfiguration{}
	s.Default(versioned)
	if err := s.Convert(versioned, internal, nil); err != nil {
		panic(err)
	}
	return internal
})

// configuration is our configuration as a KubeletConfiguration, checked as the
// kubelet does when it starts.
func configuration(c kubelet.Config) (*kubeletconfig.KubeletConfiguration, error) {
	k := defaults().DeepCopy()
	set(&k.CPUManagerPolicy, c.CPUManagerPolicy)
	set(&k.MemoryManagerPolicy, c.MemoryManagerPolicy)
	set(&k.TopologyManagerPolicy, c.TopologyManagerPolicy)
	set(&k.TopologyManagerScope, c.TopologyManagerScope)
	k.CPUManagerPolicyOptions = c.CPUManagerPolicyOptions
	k.TopologyManagerPolicyOptions = c.TopologyManagerPolicyOptions
	k.ReservedSystemCPUs = c.ReservedSystemCPUs.String()
	k.SystemReserved, k.KubeReserved = reserved(c.SystemReserved), reserved(c.KubeReserved)
	k.EvictionHard = map[string]string{}
	if c.EvictionHard > 0 {
		k.EvictionHard["memory.available"] = quantity(c.EvictionHard)
	}
	if c.MaxPods > 0 {
		k.MaxPods = int32(c.MaxPods)
	}
	k.PodsPerCore = int32(c.PodsPerCore)
	k.FeatureGates = c.FeatureGates
	k.FailCgroupV1 = false // the machine that this runs on is not the one that is asked about
	for _, r := range c.ReservedMemory {
		limits := v1.ResourceList{}
		for name, size := range r.Limits {
			limits[v1.ResourceName(name)] = *resource.NewQuantity(int64(size), resource.BinarySI)
		}
		k.ReservedMemory = append(k.ReservedMemory, kubeletconfig.MemoryReservation{NumaNode: int32(r.Node), Limits: limits})
	}
	return k, validation.ValidateKubeletConfiguration(k, utilfeature.DefaultFeatureGate)
}

func set(field *string, value string) {
	if value != "" {
		*field = value
	}
}

func quantity(b unit.Bytes) string { return strconv.FormatInt(int64(b), 10) }

func reserved(a kubelet.Amounts) map[string]string {
	out := map[string]string{}
	if a.CPU > 0 {
		out["cpu"] = fmt.Sprintf("%dm", int64(a.CPU))
	}
	if a.Memory > 0 {
		out["memory"] = quantity(a.Memory)
	}
	return out
}

// reservation is what is not allocatable by resource, as the container manager
// adds it up from both reservations and the eviction threshold; reserved CPUs
// replace both.
func reservation(c kubelet.Config, capacity v1.ResourceList) v1.ResourceList {
	cpu := int64(c.SystemReserved.CPU + c.KubeReserved.CPU)
	if n := c.ReservedSystemCPUs.Len(); n > 0 {
		cpu = int64(n) * 1000
	}
	memory := c.SystemReserved.Memory + c.KubeReserved.Memory + c.EvictionHard
	out := v1.ResourceList{}
	if cpu > 0 {
		out[v1.ResourceCPU] = *resource.NewMilliQuantity(cpu, resource.DecimalSI)
	}
	if memory > 0 {
		out[v1.ResourceMemory] = *resource.NewQuantity(int64(memory), resource.BinarySI)
	}
	return out
}

// checkReservation is the container manager's check when it starts.
func checkReservation(reserved, capacity v1.ResourceList) error {
	for name, r := range reserved {
		have := capacity[name]
		if r.Cmp(have) > 0 {
			return fmt.Errorf("invalid Node Allocatable configuration. Resource %q has a reservation of %v but capacity of "+
				"%v. Expected capacity >= reservation.", name, &r, &have)
		}
	}
	return nil
}
