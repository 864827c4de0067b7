package machineconfig

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/selector"
)

// readOnlyDirs are those of the system's image; /bin and the like are links into /usr.
var readOnlyDirs = []string{"/usr/", "/bin/", "/sbin/", "/lib/", "/lib64/"}

// writableDir is kept below /var.
const writableDir = "/usr/local/"

// memoryDirs are made anew with each start of a node.
var memoryDirs = []string{"/run/", "/var/run/", "/dev/", "/proc/", "/sys/"}

// place tells of a file that a node can't write, or doesn't keep.
func (c *checker) place(s subject, f file) {
	below := func(dirs []string) bool {
		return slices.ContainsFunc(dirs, func(d string) bool { return strings.HasPrefix(f.path, d) })
	}
	switch {
	case below(readOnlyDirs) && !strings.HasPrefix(f.path, writableDir):
		c.add(s, readOnlyRule, f.at+".path", f.path+" is part of the system's image, which is read-only: "+
			"the daemon can't write it, and the pool is degraded", "write below /etc, /var or "+writableDir)
	case below(memoryDirs) && f.path != forceFile:
		c.add(s, volatileRule, f.at+".path", f.path+" is on no disk: the daemon can't write it, or misses it after "+
			"the reboot, and the pool is degraded", "write below /etc or /var, or have a unit write it at each start")
	}
}

// vitalUnit is one without which a node is none.
type vitalUnit struct {
	name  string
	since release.Release
	// byItself says that no other unit starts it: it must be enabled.
	byItself bool
	// of says in which clusters, where not in all.
	of string
}

const ovn = "where the network is OVN-Kubernetes, "

// The kubelet asks for CRI-O and, since 4.12, for the target; that asks for the size of the node, as the kubelet did
// before, and for the network's units (MCO, templates/common/_base/units).
var vitalUnits = []vitalUnit{
	{"kubelet.service", 1, true, ""},
	{"crio.service", 1, false, ""},
	{"NetworkManager.service", 1, false, ""},
	{"kubelet-dependencies.target", 12, false, ""},
	{"kubelet-auto-node-size.service", 8, false, ""},
	{"openvswitch.service", 6, false, ovn},
	{"ovs-configuration.service", 6, true, ovn},
}

// vital tells of units without which a node doesn't come back.
func (c *checker) vital(s subject) {
	for _, u := range s.c.units {
		i := slices.IndexFunc(vitalUnits, func(v vitalUnit) bool { return v.name == u.name && v.since <= c.release.Minor() })
		if i < 0 {
			continue
		}
		v, r := vitalUnits[i], vitalRule
		switch {
		case v.of != "" && c.otherNetwork:
			continue
		case v.of != "":
			r.Severity = v1alpha1.Warning
		}
		switch never := ": " + v.of + "a node that reboots with it never comes back"; {
		case value(u.mask):
			c.add(s, r, u.at+".mask", "the unit "+u.name+" is masked"+never, "remove the unit")
		case v.byItself && u.enabled != nil && !*u.enabled:
			c.add(s, r, u.at+".enabled", "the unit "+u.name+" is not enabled"+never, "remove the field")
		}
	}
}

// otherNetwork says whether a Network among objects is of none of the two that come with OpenShift.
func otherNetwork(objects []*object.Object) bool {
	return slices.ContainsFunc(objects, func(o *object.Object) bool {
		return o.Kind == "Network" && o.Tree.Has("spec.networkType") &&
			!slices.Contains([]string{"OVNKubernetes", "OpenShiftSDN"}, o.Tree.Text("spec.networkType"))
	})
}

// kubeletConf is the file that each KubeletConfig writes whole.
const kubeletConf = "/etc/kubernetes/kubelet.conf"

// rivals tells of MachineConfigs that write the file of a KubeletConfig of their pool.
func (c *checker) rivals(objects []*object.Object) {
	typed, _ := object.All[openshift.KubeletConfig](objects, "KubeletConfig")
	for _, k := range typed {
		sel := k.Value.Spec.MachineConfigPoolSelector
		for _, p := range c.pools {
			if sel != nil && !selector.Empty(sel) && selector.Wrong(sel) == "" && selector.Selects(sel, p.Metadata.Labels) {
				c.rivalsIn(p, k.Value.Metadata.Name)
			}
		}
	}
}

// rivalsIn tells of them in a pool.
func (c *checker) rivalsIn(p openshift.MachineConfigPool, kubelet string) {
	for _, s := range c.configs {
		if made(s.Value) || !takes(p, s.Value.Metadata.Labels) {
			continue
		}
		by := openshift.MachineConfig{Metadata: openshift.ObjectMeta{Name: "99-" + p.Metadata.Name + "-generated-kubelet",
			Labels: map[string]string{openshift.LabelRole: p.Metadata.Name}}}
		what := fmt.Sprintf("KubeletConfig %s writes it again in pool %s: this content is lost", kubelet, p.Metadata.Name)
		if inOrder(&s.Value, &by, c.release) > 0 {
			what = fmt.Sprintf("this content is rendered after that of KubeletConfig %s in pool %s, which has no effect",
				kubelet, p.Metadata.Name)
		}
		for _, f := range s.c.files {
			if f.path == kubeletConf {
				c.add(s, rivalRule, f.at+".path", f.path+" is the operator's own: "+what,
					"write the settings into the KubeletConfig")
			}
		}
	}
}
