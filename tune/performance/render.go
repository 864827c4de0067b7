package performance

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"maps"
	"strings"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/pool"
	"plimsoll.dev/unit"
)

// Oldest is the first release whose rendering is known.
const Oldest release.Release = 14

// Rendering is what the operator makes of one profile.
type Rendering struct {
	Profile string `json:"profile"`
	// Pool whose nodes get it; empty where none is known.
	Pool string `json:"pool,omitempty"`
	// Tuned, KubeletConfig, MachineConfig and RuntimeClass as the operator writes them, but for texts of its own: of
	// the MachineConfig those that Kept names, and comments and descriptions.
	Tuned         map[string]any `json:"tuned"`
	KubeletConfig map[string]any `json:"kubeletConfig"`
	MachineConfig map[string]any `json:"machineConfig"`
	RuntimeClass  map[string]any `json:"runtimeClass"`
	// NodeConfig sets the version of cgroups of the whole cluster; nil where the operator leaves that alone.
	NodeConfig map[string]any `json:"nodeConfig,omitempty"`
	// Kept are files and units whose text is not reproduced.
	Kept []string `json:"kept,omitempty"`
	// Kernel arguments of the nodes, with what of the profile they come from.
	Kernel []KernelArgument `json:"kernel,omitempty"`

	// CPUs by purpose, those in no set as well, and what else people are shown: huge pages, the command line in order for
	// each maker of CPUs, fields of the kubelet and files, each with what of the profile it comes from.
	CPUs         []CPUs        `json:"cpus,omitempty"`
	HugePages    []HugePages   `json:"hugePages,omitempty"`
	CommandLines []CommandLine `json:"commandLines,omitempty"`
	Kubelet      []Setting     `json:"kubelet,omitempty"`
	Files        []File        `json:"files,omitempty"`

	of       object.Typed[openshift.PerformanceProfile]
	values   *values
	profiles []written
	pieces   []written
	settings []setting
	cpus     map[string]unit.CPUSet
	// nodes is the number of CPUs of the profile's nodes, and arch their architecture, where they are known.
	nodes int
	arch  string
	// maker of their CPUs, where labels of all of them say it.
	maker string
	// open is what the rendering needs and did not get.
	open []string
}

// Objects are all of them, in the order in which they are told.
func (r *Rendering) Objects() []map[string]any {
	out := []map[string]any{r.Tuned, r.KubeletConfig, r.MachineConfig, r.RuntimeClass}
	if r.NodeConfig != nil {
		out = append(out, r.NodeConfig)
	}
	return out
}

// around is what of the cluster decides beside the profile.
type around struct {
	objects []*object.Object
	pools   []openshift.MachineConfigPool
	nodes   []object.Typed[openshift.Node]
	// pinned is a cluster with workload partitioning, mixed one whose feature gate for shared CPUs is on.
	pinned, mixed bool
	// infrastructure, gates and runtimes say that the Infrastructure with its status, the FeatureGate, which tell of
	// these, and a ContainerRuntimeConfig were seen.
	infrastructure, gates, runtimes bool
	// crun are the labels of pools whose containers run with crun.
	crun []*openshift.LabelSelector
}

// see reads what is beside the profiles.
func see(objects []*object.Object) (a around) {
	a.objects = objects
	pools, _ := object.All[openshift.MachineConfigPool](objects, "MachineConfigPool")
	a.pools = object.Values(object.Latest(pools))
	nodes, _ := object.All[openshift.Node](objects, "Node")
	a.nodes = object.Latest(nodes)
	for _, o := range objects {
		switch o.Kind {
		case "Infrastructure":
			a.infrastructure = o.Tree.Has("status")
			a.pinned = o.Tree.Text("status.cpuPartitioning") == "AllNodes"
		case "FeatureGate":
			a.gates = true
			set := o.Tree.Text("spec.featureSet")
			a.mixed = set == "TechPreviewNoUpgrade" || set == "DevPreviewNoUpgrade"
			for i := 0; o.Tree.Has(fmt.Sprintf("spec.customNoUpgrade.enabled[%d]", i)); i++ {
				a.mixed = a.mixed || o.Tree.Text(fmt.Sprintf("spec.customNoUpgrade.enabled[%d]", i)) == "MixedCPUsAllocation"
			}
		case "ContainerRuntimeConfig":
			a.runtimes = true
			if c, _ := object.Decode[runtimeConfig](o); c.Value.Spec.ContainerRuntimeConfig.DefaultRuntime == "crun" {
				a.crun = append(a.crun, c.Value.Spec.MachineConfigPoolSelector)
			}
		}
	}
	return a
}

// runtimeConfig is the part of a ContainerRuntimeConfig that names the program which starts containers.
type runtimeConfig struct {
	Spec struct {
		MachineConfigPoolSelector *openshift.LabelSelector `json:"machineConfigPoolSelector,omitempty"`
		ContainerRuntimeConfig    struct {
			DefaultRuntime string `json:"defaultRuntime,omitempty"`
		} `json:"containerRuntimeConfig"`
	} `json:"spec"`
}

// Render makes the objects of the PerformanceProfiles among the objects, as the operator of a release does, which is
// Oldest or a later one. It makes nothing of a profile that Check finds an error in. Pools, nodes, the Infrastructure,
// the FeatureGate and ContainerRuntimeConfigs among the objects say what the operator sees of the cluster.
func Render(objects []*object.Object, r release.Release) (out []Rendering) {
	profiles, found := object.All[openshift.PerformanceProfile](objects, "PerformanceProfile")
	refused := map[string]bool{}
	for _, f := range append(found, Check(objects, r)...) {
		if Refuses(f) {
			refused[f.Place.Object] = true
		}
	}
	a := see(objects)
	for _, p := range object.Latest(profiles) {
		if !refused[p.String()] && complete(&p.Value) {
			out = append(out, a.render(p, r))
		}
	}
	return out
}

// complete says whether a profile has the CPUs that it must; that one has not, the definition of the kind tells.
func complete(p *openshift.PerformanceProfile) bool {
	return p.Spec.CPU.Reserved != nil && p.Spec.CPU.Isolated != nil
}

// render makes the objects of a profile that the operator takes.
func (a *around) render(p object.Typed[openshift.PerformanceProfile], r release.Release) Rendering {
	out := Rendering{Profile: p.Name, of: p, values: &values{release: r, by: map[string]string{}}}
	out.cpus = setsOf(&p.Value, r)
	of, label := pool.ConfigLabel(&p.Value), pool.ProfileRole(&p.Value)
	poolLabels := p.Value.Spec.MachineConfigPoolSelector
	if pools := a.poolsOf(&p.Value, r); len(pools) > 0 { // one, or Check refuses it
		out.Pool, label = pools[0].Metadata.Name, pools[0].Metadata.Labels
	}
	out.see(a)
	out.open = out.unseen(a)
	out.take(a, label)
	out.profiles, out.pieces = out.values.write(tunedText), out.values.write(machineText)
	if poolLabels == nil {
		poolLabels = label
	}
	out.Tuned, out.MachineConfig = out.tuned(of), out.machineConfig(of)
	out.KubeletConfig = out.kubeletConfig(poolLabels)
	out.RuntimeClass = made("node.k8s.io/v1", "RuntimeClass", map[string]any{"name": "performance-" + p.Name})
	out.RuntimeClass["handler"] = "high-performance"
	out.RuntimeClass["scheduling"] = map[string]any{"nodeSelector": p.Value.Spec.NodeSelector}
	if cgroupV1.In(r) && p.Value.Metadata.Annotations["performance.openshift.io/ignore-cgroups-version"] != "true" {
		out.NodeConfig = made("config.openshift.io/v1", "Node", map[string]any{"name": "cluster"})
		out.NodeConfig["spec"] = map[string]any{"cgroupMode": "v1"}
	}
	return out
}

// makerLabel is what Node Feature Discovery says of the CPUs of a node.
const makerLabel = "feature.node.kubernetes.io/cpu-model.vendor_id"

// see takes what the nodes of the profile say.
func (r *Rendering) see(a *around) {
	first := true
	for _, n := range a.nodesOf(&r.of.Value, r.values.release) {
		r.nodes, r.arch = max(r.nodes, pool.CPUs(n)), cmp.Or(n.Status.NodeInfo.Architecture, r.arch)
		if maker := n.Metadata.Labels[makerLabel]; first {
			r.maker, first = maker, false
		} else if maker != r.maker {
			r.maker = ""
		}
	}
}

// made begins an object.
func made(version, kind string, metadata map[string]any) map[string]any {
	return map[string]any{"apiVersion": version, "kind": kind, "metadata": metadata}
}

// setsOf are the CPUs by the field that names them; of those that a release doesn't know, or that can't be read, there
// are none.
func setsOf(p *openshift.PerformanceProfile, r release.Release) map[string]unit.CPUSet {
	c := &p.Spec.CPU
	out := map[string]unit.CPUSet{}
	for name, text := range map[string]string{"reserved": *c.Reserved, "isolated": *c.Isolated, "offlined": c.Offlined,
		"shared": c.Shared, "ovsDpdk": c.OVSDPDK} {
		if set, err := unit.ParseCPUSet(text); err == nil && !set.IsEmpty() && (name != "ovsDpdk" || dpdkJudged.In(r)) {
			out[name] = set
		}
	}
	return out
}

// What the names begin with of what is made of a profile.
const tunedPrefix, kubeletPrefix = "openshift-node-performance-", "performance-"

var prefixes = map[string]string{"Tuned": tunedPrefix, "KubeletConfig": kubeletPrefix}

// tuned is the Tuned.
func (r *Rendering) tuned(label map[string]string) map[string]any {
	name := tunedPrefix + r.Profile
	out := made("tuned.openshift.io/v1", "Tuned", map[string]any{"name": name, "namespace": openshift.NamespaceTuned})
	var profiles []any
	for _, p := range r.profiles {
		profiles = append(profiles, map[string]any{"name": p.name, "data": p.text()})
	}
	out["spec"] = map[string]any{"profile": profiles, "recommend": []any{map[string]any{"profile": name, "priority": 20,
		"machineConfigLabels": label, "operand": map[string]any{"tunedConfig": map[string]any{"reapply_sysctl": nil}}}}}
	return out
}

// keptSource stands in the place of a text that is not reproduced. Ignition knows no such scheme, so that neither it
// nor the Machine Config Operator takes what is not whole.
const keptSource = "not-reproduced:"

// machineConfig is the MachineConfig, with what Go programs write of fields that are not set.
func (r *Rendering) machineConfig(label map[string]string) map[string]any {
	var files, units []any
	for _, w := range r.pieces {
		if w.kind == "kept" {
			r.Kept = append(r.Kept, w.name)
		}
		if w.mode == 0 {
			units = append(units, w.unit())
			continue
		}
		source, hash := "data:text/plain;charset=utf-8;base64,"+base64.StdEncoding.EncodeToString([]byte(w.text())),
			map[string]any{}
		if w.kind == "kept" {
			source = keptSource + w.name[strings.LastIndexByte(w.name, '/')+1:]
			if w.digest != "" {
				hash["hash"] = "sha256-" + w.digest
			}
		}
		files = append(files, map[string]any{"path": w.name, "mode": w.mode, "group": map[string]any{},
			"user": map[string]any{}, "contents": map[string]any{"source": source, "verification": hash}})
	}
	none := func() map[string]any { return map[string]any{} }
	out := made("machineconfiguration.openshift.io/v1", "MachineConfig",
		map[string]any{"name": "50-performance-" + r.Profile, "labels": maps.Clone(label)})
	out["spec"] = map[string]any{"baseOSExtensionsContainerImage": "", "extensions": nil, "fips": false,
		"kernelArguments": nil, "kernelType": r.kernelType(), "osImageURL": "",
		"config": map[string]any{
			"ignition": map[string]any{"version": "3.2.0", "proxy": none(), "timeouts": none(),
				"config":   map[string]any{"replace": map[string]any{"verification": none()}},
				"security": map[string]any{"tls": none()}},
			"passwd": none(), "storage": map[string]any{"files": files}, "systemd": map[string]any{"units": units}}}
	return out
}

// unit is a unit of the MachineConfig.
func (w *written) unit() map[string]any {
	out := map[string]any{"name": w.name, "contents": w.text()}
	if w.kind == "kept" {
		out["contents"] = "# not reproduced: the operator's text, of SHA-256 " + w.digest + "\n"
	}
	if w.enabled {
		out["enabled"] = true
	}
	return out
}

// kernelType is the kernel that the nodes run.
func (r *Rendering) kernelType() string {
	s := &r.of.Value.Spec
	switch {
	case s.RealTimeKernel.Enabled:
		return "realtime"
	case s.KernelPageSize == "64k" && byArchitecture.In(r.values.release):
		return "64k-pages"
	}
	return "default"
}
