package machineconfig

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/object"
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

// vitalUnits are those without which a node is none.
var vitalUnits = []string{"kubelet.service", "crio.service"}

// vital tells of units without which a node doesn't come back.
func (c *checker) vital(s subject) {
	for _, u := range s.c.units {
		switch {
		case !slices.Contains(vitalUnits, u.name):
		case value(u.mask):
			c.add(s, vitalRule, u.at+".mask", u.name+" is masked: a node that reboots with it never comes back",
				"remove the unit")
		case u.enabled != nil && !*u.enabled:
			c.add(s, vitalRule, u.at+".enabled", u.name+" is not enabled: a node that reboots with it never comes back",
				"remove the field")
		}
	}
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
