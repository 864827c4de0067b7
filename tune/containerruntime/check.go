// Package containerruntime knows ContainerRuntimeConfigs: what the Machine Config Operator refuses of one, release by
// release, which pools it is for, and what of it nothing comes to.
//
// It knows no types and fields, which package crd does, and renders no file of CRI-O.
//
//	found := containerruntime.Check(objects, release.Current)
package containerruntime

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/schema"
	"plimsoll.dev/tune/kubeletconfig"
	"plimsoll.dev/tune/pool"
	"plimsoll.dev/unit"
)

// config is a ContainerRuntimeConfig as far as it is decoded; its settings are read where they stand.
type config struct {
	Metadata openshift.ObjectMeta `json:"metadata"`
	Spec     struct {
		MachineConfigPoolSelector *openshift.LabelSelector `json:"machineConfigPoolSelector"`
		ContainerRuntimeConfig    map[string]any           `json:"containerRuntimeConfig"`
	} `json:"spec"`
}

// words are values that a setting has.
type words []string

func (w words) String() string { return strings.Join(w, ", ") }

// settingsPath is where the settings stand.
const settingsPath = "spec.containerRuntimeConfig"

// checker judges one.
type checker struct {
	object.Typed[config]
	release release.Release
	// reached are the pools that it is for.
	reached []openshift.MachineConfigPool
	found   []v1alpha1.Finding
}

// Check judges ContainerRuntimeConfigs as the operator of a release does. Pools among the objects say which they are
// for, and KubeletConfigs how many processes a pod may have.
func Check(objects []*object.Object, r release.Release) []v1alpha1.Finding {
	typed, _ := object.All[config](objects, "ContainerRuntimeConfig")
	if len(typed) == 0 {
		return nil
	}
	given, _ := object.All[openshift.MachineConfigPool](objects, "MachineConfigPool")
	pools := object.Values(object.Latest(given))
	all, listed := pool.Complete(pools, r), pool.ListedWhole(pools)
	var list []*checker
	for _, t := range object.Latest(typed) {
		c := &checker{Typed: t, release: r}
		c.selects(all, listed)
		c.settings()
		c.processes(objects)
		list = append(list, c)
	}
	rivals(list)
	var out []v1alpha1.Finding
	for _, c := range list {
		out = append(out, c.found...)
	}
	return out
}

func (c *checker) bad(r object.Rule, path, what, fix string) {
	c.found = append(c.found, c.Finding(r, path, what, fix))
}

// selects judges machineConfigPoolSelector.
func (c *checker) selects(pools []openshift.MachineConfigPool, listed bool) {
	const path = "spec.machineConfigPoolSelector"
	s := c.Value.Spec.MachineConfigPoolSelector
	var reach pool.Reach
	c.reached, reach = pool.Selection(s, pools, listed)
	fix := pool.LabelFix(s, "custom-crio=debug")
	switch reach {
	case pool.NoSelector:
		c.bad(noSelector, path, "machineConfigPoolSelector is missing or empty: it selects no pool, not all",
			"select a label of the pool: matchLabels: {custom-crio: debug}")
	case pool.NodeLabel:
		c.bad(noPool, path, "machineConfigPoolSelector asks for "+pool.RoleLabel(s)+", a label of nodes: no pool has it", fix)
	case pool.Nowhere:
		c.bad(noPool, path, "no MachineConfigPool has the labels that machineConfigPoolSelector asks for: "+
			"the operator refuses the ContainerRuntimeConfig", fix)
	case pool.Unlabelled:
		c.bad(unlabelled, path, "the pools of a new cluster don't have the labels that machineConfigPoolSelector asks for",
			fix)
	}
}

// refuse notes what the operator refuses of a setting.
func (c *checker) refuse(name, what, fix string) {
	c.bad(refusedValue, settingsPath+"."+name, what+": the operator refuses the ContainerRuntimeConfig", fix)
}

// Bounds of the operator's own check.
const (
	leastProcesses = 20
	readBuffer     = 8192 // of conmon, which a log must exceed
)

// settings judges the values that the operator looks at.
func (c *checker) settings() {
	if n := c.Tree.Node(settingsPath + ".pidsLimit"); n != nil && n.Kind == yamlpos.Int {
		v, _ := strconv.ParseInt(n.Text, 10, 64)
		if v != 0 && v < leastProcesses && (v > 0 || negativeRefused.In(c.release)) {
			c.refuse("pidsLimit", fmt.Sprintf("pidsLimit %d is below %d", v, leastProcesses),
				fmt.Sprintf("write %d or more", leastProcesses))
		}
	}
	c.choice("logLevel", levels.In(c.release))
	if runtimeKnown.In(c.release) {
		c.choice("defaultRuntime", []string{"crun", "runc"})
	}
	if v, ok := c.quantity("logSizeMax"); ok && v > 0 && v <= readBuffer {
		c.refuse("logSizeMax", fmt.Sprintf("logSizeMax is %d bytes, and must be more than %d", v, readBuffer),
			"write 16Ki or more, or -1 for no limit")
	}
	if v, ok := c.quantity("overlaySize"); ok && v < 0 && negativeRefused.In(c.release) {
		c.refuse("overlaySize", "overlaySize is below 0", "write a size like 20G")
	}
}

// choice judges a text that is one of a few; none at all is none.
func (c *checker) choice(name string, known []string) {
	n := c.Tree.Node(settingsPath + "." + name)
	if n == nil || n.Kind != yamlpos.Text || n.Text == "" || slices.Contains(known, n.Text) {
		return
	}
	fix := "write one of " + strings.Join(known, ", ")
	if near := schema.Nearest(n.Text, known); near != "" {
		fix = "write " + near
	}
	c.refuse(name, name+" "+yamlpos.Shorten(n.Text)+" is not known", fix)
}

// quantity is a number of bytes. What can't be read keeps the operator from reading any object of the kind.
func (c *checker) quantity(name string) (int64, bool) {
	n := c.Tree.Node(settingsPath + "." + name)
	if n == nil || n.Kind != yamlpos.Text && n.Kind != yamlpos.Int {
		return 0, false
	}
	q, err := unit.ParseQuantity(n.Text)
	if err != nil {
		c.bad(noQuantity, settingsPath+"."+name, name+" "+yamlpos.Shorten(n.Text)+" is no quantity: the operator can't read "+
			"it, nor any other ContainerRuntimeConfig", "write it like 16Ki, 50M or 20G")
		return 0, false
	}
	return q.Value(), true
}

// processes tells of a limit of processes above the kubelet's, which counts for the whole pod.
func (c *checker) processes(objects []*object.Object) {
	n := c.Tree.Node(settingsPath + ".pidsLimit")
	if n == nil || n.Kind != yamlpos.Int || !podLimit.In(c.release) {
		return
	}
	most, _ := kubeletconfig.Base(pool.Worker, c.release).Get("podPidsLimit").(int64)
	kubelets, _ := object.All[openshift.KubeletConfig](objects, "KubeletConfig")
	for _, k := range kubelets {
		if v, ok := k.Value.Spec.KubeletConfig["podPidsLimit"].(int64); ok && (v > most || v == -1) {
			return
		}
	}
	if v, _ := strconv.ParseInt(n.Text, 10, 64); v > most {
		c.bad(kubeletsLimit, settingsPath+".pidsLimit", fmt.Sprintf("pidsLimit %d has no effect: the kubelet gives each pod "+
			"%d processes, all its containers together", v, most), "write podPidsLimit into a KubeletConfig of the pool")
	}
}

// rivals tells of two for one pool that set the same: the operator writes a file for each setting, and one wins.
func rivals(list []*checker) {
	for i, c := range list {
		for _, o := range list[:i] {
			shared := slices.ContainsFunc(c.reached, func(p openshift.MachineConfigPool) bool {
				return slices.ContainsFunc(o.reached,
					func(q openshift.MachineConfigPool) bool { return p.Metadata.Name == q.Metadata.Name })
			})
			for _, name := range []string{"pidsLimit", "logLevel", "logSizeMax", "overlaySize", "defaultRuntime"} {
				one, other := c.Value.Spec.ContainerRuntimeConfig[name], o.Value.Spec.ContainerRuntimeConfig[name]
				if shared && one != nil && other != nil && one != other {
					c.bad(sameSetting, settingsPath+"."+name, fmt.Sprintf("ContainerRuntimeConfig %s sets %s for the same pool: "+
						"one of the two wins", o.Name, name), "keep one of them")
				}
			}
		}
	}
}
