// Package kubeletconf asks the kubelet's own code which configurations it doesn't start with: the oracle of
// tune/kubeletconfig. What an operator makes of a KubeletConfig is that package's; only what the operator lets
// through is asked.
//
//	go run . kubeletconf record -seed 1
package kubeletconf

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	cliflag "k8s.io/component-base/cli/flag"
	logsapi "k8s.io/component-base/logs/api/v1"
	_ "k8s.io/component-base/logs/json/register"
	"k8s.io/klog/v2"
	kubeletapi "k8s.io/kubernetes/pkg/kubelet/apis/config"
	"k8s.io/kubernetes/pkg/kubelet/apis/config/scheme"
	"k8s.io/kubernetes/pkg/kubelet/apis/config/validation"
	"k8s.io/kubernetes/pkg/kubelet/cm/topologymanager"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	"k8s.io/kubernetes/pkg/kubelet/eviction"
	"k8s.io/kubernetes/pkg/kubelet/logs"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/kubeletconfig"
)

// answer is whether the kubelet stops with what becomes of a KubeletConfig.
type answer struct {
	Config map[string]any `json:"config"`
	Stops  bool           `json:"stops,omitempty"`
	// Kind is the kind of fault of those that were made by hand.
	Kind string `json:"kind,omitempty"`
}

// Main records the fixture and returns the exit code.
func Main(args []string) int {
	flags := flag.NewFlagSet("oracle kubeletconf", flag.ContinueOnError)
	out := flags.String("out", "../tune/kubeletconfig/testdata/oracle/starts.jsonl.gz", "the fixture")
	seed := flags.Uint64("seed", 1, "of the random configurations")
	n := flags.Int("n", 3000, "random configurations")
	why := flags.Bool("why", false, "say what the kubelet says of those that were made by hand")
	if len(args) == 0 || args[0] != "record" {
		fmt.Fprintln(os.Stderr, "oracle kubeletconf: record is the only step")
		return 2
	}
	if err := flags.Parse(args[1:]); err != nil {
		return 2
	}
	if err := record(*out, *seed, *n, *why); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func record(file string, seed uint64, n int, why bool) error {
	if err := logsapi.AddFeatureGates(utilfeature.DefaultMutableFeatureGate); err != nil {
		return err
	}
	if _, refused, err := ask("{}"); refused != nil || err != nil {
		return fmt.Errorf("the template alone: %v %v", refused, err)
	}
	var all []answer
	for _, f := range faults {
		a, refused, err := ask(f.config)
		if refused != nil {
			return fmt.Errorf("%s: %s: the operator refuses it: %v", f.kind, f.config, refused)
		}
		if a.Kind = f.kind; !a.Stops {
			return fmt.Errorf("%s: %s: the kubelet starts", f.kind, f.config)
		}
		if why {
			fmt.Println(f.kind, err)
		}
		all = append(all, a)
	}
	r := rand.New(rand.NewPCG(seed, 0))
	for range n {
		if a, refused, _ := ask(random(r)); refused == nil {
			all = append(all, a)
		}
	}
	var packed bytes.Buffer
	zip, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return err
	}
	e := json.NewEncoder(zip)
	for _, a := range all {
		if err := e.Encode(a); err != nil {
			return err
		}
	}
	if err := zip.Close(); err != nil {
		return err
	}
	return os.WriteFile(file, packed.Bytes(), 0o644)
}

// ask renders a KubeletConfig as the operator does, and asks the kubelet. refused is set when the operator makes
// nothing of it, err is what the kubelet says.
func ask(config string) (a answer, refused, err error) {
	if err := json.Unmarshal([]byte(config), &a.Config); err != nil {
		return a, err, nil
	}
	cr := openshift.KubeletConfig{Spec: openshift.KubeletConfigSpec{KubeletConfig: numbers(a.Config).(map[string]any)}}
	pool := openshift.MachineConfigPool{Metadata: openshift.ObjectMeta{Name: "worker"}}
	out, problems := kubeletconfig.Render(kubeletconfig.Base("worker", release.Current), &pool, &cr, nil)
	for _, p := range problems {
		if p.Rule.Severity == v1alpha1.Error {
			return a, fmt.Errorf("%s", p.What), nil
		}
	}
	err = start(out.Conf.Text())
	a.Stops = err != nil
	return a, nil, err
}

// numbers makes whole numbers of JSON whole.
func numbers(v any) any {
	switch x := v.(type) {
	case float64:
		if x == float64(int64(x)) {
			return int64(x)
		}
	case map[string]any:
		out := map[string]any{}
		for k, item := range x {
			out[k] = numbers(item)
		}
		return out
	case []any:
		out := make([]any, len(x))
		for i, item := range x {
			out[i] = numbers(item)
		}
		return out
	}
	return v
}

// start does what the kubelet does with its configuration before it runs, as far as that asks nothing of the machine.
func start(text string) error {
	_, codecs, err := scheme.NewSchemeAndCodecs(serializer.EnableStrict)
	if err != nil {
		return err
	}
	object, err := runtime.Decode(codecs.UniversalDecoder(kubeletapi.SchemeGroupVersion), []byte(text))
	if err != nil {
		return err
	}
	c := object.(*kubeletapi.KubeletConfiguration)
	c.ContainerRuntimeEndpoint = "unix:///run/crio/crio.sock" // a flag of the kubelet's service
	c.FailCgroupV1 = false                                    // which asks the machine that this runs on
	if err := validation.ValidateKubeletConfiguration(c, utilfeature.DefaultFeatureGate); err != nil {
		return err
	}
	if _, err := eviction.ParseThresholdConfig(c.EnforceNodeAllocatable, c.EvictionHard, c.EvictionSoft,
		c.EvictionSoftGracePeriod, c.EvictionMinimumReclaim); err != nil {
		return err
	}
	if _, err := cliflag.TLSCipherSuites(c.TLSCipherSuites); err != nil {
		return err
	}
	if _, err := cliflag.TLSVersion(c.TLSMinVersion); err != nil {
		return err
	}
	if _, err := topologymanager.NewPolicyOptions(klog.Background(), c.TopologyManagerPolicyOptions); err != nil {
		return err
	}
	_, err = logs.NewContainerLogManager(nil, kubecontainer.RealOS{}, c.ContainerLogMaxSize, int(c.ContainerLogMaxFiles),
		int(c.ContainerLogMaxWorkers), c.ContainerLogMonitorInterval)
	return err
}
