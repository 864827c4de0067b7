package kubeletconfig

import (
	"cmp"
	"fmt"
	"slices"

	"plimsoll.dev/api/openshift"
)

// File is a file that the operator writes beside kubelet.conf.
type File struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

// Rendered is what the operator makes of a KubeletConfig for a pool.
type Rendered struct {
	// Conf is /etc/kubernetes/kubelet.conf.
	Conf Conf
	// Files are the others.
	Files []File

	pool string
}

// Render makes the files of a pool out of a KubeletConfig and the cluster's
// FeatureGate (nil for the usual), over base. Problems are those of Merge, and what
// the operator refuses beyond; paths are those of the KubeletConfig. With an error
// among them nothing is rendered: the result is the base.
func Render(base Conf, p *openshift.MachineConfigPool, cr *openshift.KubeletConfig,
	f *openshift.FeatureGate) (Rendered, []Problem) {
	of := base.release
	r := newReading(of, cr.Spec.KubeletConfig)
	problems := refuse(&cr.Spec, r.from, of)
	if staticPodsByPool.In(of) {
		problems = append(problems, refuseStaticPods(&cr.Spec, r.from, p)...)
	}
	gates, err := Gates(f, of)
	if err != nil {
		problems = append(problems, Problem{Rule: unknownSet, Path: "spec", What: err.Error(),
			Fix: "correct the FeatureGate"})
	}
	if refused(problems) || refused(r.problems) {
		return Rendered{Conf: base}, append(r.placed(), problems...)
	}
	var files []File
	start := base
	if reservedInFile.In(of) {
		start, files = r.today(base, &cr.Spec)
	}
	out := r.over(start)
	if reservedInFile.In(of) {
		out = settle(out, r.from)
		problems = append(problems, cgroups(out.tree["systemReservedCgroup"], out.tree["systemCgroups"])...)
		r.problems = slices.DeleteFunc(r.problems, func(p Problem) bool { // what the merge ignored, and settling set
			return p.Rule.ID == zeroIgnored.ID && !empty(at(base.tree, p.Path)) && empty(at(out.tree, p.Path))
		})
	}
	if refused(problems) {
		return Rendered{Conf: base}, append(r.placed(), problems...)
	}
	out = out.with("featureGates", merger{}.keys(out.tree["featureGates"], gates))
	return Rendered{out, files, p.Metadata.Name}, append(r.placed(), problems...)
}

// placed are the problems with the paths of the whole KubeletConfig.
func (r *reading) placed() []Problem {
	out := slices.Clone(r.problems)
	for i := range out {
		out[i].Path = inConfig(out[i].Path)
	}
	return out
}

// today takes out of what was read what the operator handles apart: the system's
// reservation, and protectKernelDefaults, which couldn't be switched off otherwise.
func (r *reading) today(base Conf, spec *openshift.KubeletConfigSpec) (Conf, []File) {
	reserved := map[string]any{}
	own := map[string]string{}
	if had, ok := r.from["systemReserved"].(map[string]any); ok {
		for key, v := range had {
			if slices.Contains(sizing[:], key) {
				own[key] = v.(string)
			} else {
				reserved[key] = v
			}
		}
		r.from["systemReserved"] = reserved
	}
	if v, ok := r.raw["protectKernelDefaults"].(bool); ok && !v {
		base = base.with("protectKernelDefaults", false)
	}
	var files []File
	if spec.AutoSizingReserved != nil || len(own) > 0 {
		files = append(files, sizingFile(len(own) == 0 && *spec.AutoSizingReserved, own))
	}
	if l := spec.LogLevel; l != nil {
		files = append(files, File{"/etc/systemd/system/kubelet.service.d/20-logging.conf",
			fmt.Sprintf("[Service]\nEnvironment=\"KUBELET_LOG_LEVEL=%d\"\n", *l)})
	}
	return base, files
}

// sizing are the reservations that stand in a file of their own, sizingUsual what
// holds without them, and sizingNames what the file calls them.
var (
	sizing      = [...]string{"memory", "cpu", "ephemeral-storage"}
	sizingUsual = [...]string{"1Gi", "500m", "1Gi"}
	sizingNames = [...]string{"MEMORY", "CPU", "ES"}
)

const sizingPath = "/etc/node-sizing-enabled.env"

// sizingFile is the file that the kubelet's service takes the system's reservation
// from.
func sizingFile(auto bool, own map[string]string) File {
	text := fmt.Sprintf("NODE_SIZING_ENABLED=%t\n", auto)
	for i, variable := range sizingNames {
		v := cmp.Or(own[sizing[i]], sizingUsual[i])
		text += "SYSTEM_RESERVED_" + variable + "=" + v + "\n"
	}
	return File{sizingPath, text}
}

// The ways to enforce what is kept back.
const (
	enforcePods         = "pods"
	enforceSystem       = "system-reserved"
	enforceCompressible = "system-reserved-compressible"
)

// settle corrects what would stop the kubelet: a cgroup of the system's reservation
// that isn't enforced, or that reservedSystemCPUs stands in for.
func settle(c Conf, from map[string]any) Conf {
	ways, _ := from["enforceNodeAllocatable"].([]any)
	if from["systemReservedCgroup"] == "" && len(ways) > 0 && !slices.ContainsFunc(ways, enforcesSystem) {
		c = c.with("systemReservedCgroup", "")
	}
	if c.text("reservedSystemCPUs") == "" {
		return c
	}
	merged, _ := c.tree["enforceNodeAllocatable"].([]any)
	kept := slices.DeleteFunc(slices.Clone(merged), enforcesSystem)
	if !slices.Contains(kept, any(enforcePods)) {
		kept = append([]any{enforcePods}, kept...)
	}
	return c.with("systemReservedCgroup", "").with("enforceNodeAllocatable", kept)
}

func enforcesSystem(way any) bool { return way == enforceSystem || way == enforceCompressible }
