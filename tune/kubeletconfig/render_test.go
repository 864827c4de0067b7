package kubeletconfig

import (
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/release"
)

// renderOf renders a KubeletConfig for a pool.
func renderOf(t *testing.T, role string, r release.Release, spec openshift.KubeletConfigSpec,
	f *openshift.FeatureGate) (Rendered, []Problem) {
	t.Helper()
	p := poolsOf(role)[0]
	return Render(Base(role, r), &p, &openshift.KubeletConfig{Spec: spec}, f)
}

func config(pairs ...any) openshift.KubeletConfigSpec {
	out := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i].(string)] = pairs[i+1]
	}
	return openshift.KubeletConfigSpec{KubeletConfig: out}
}

// Today what is kept back for the system leaves kubelet.conf for a file of its own.
func TestReservedInFile(t *testing.T) {
	spec := config("systemReserved", map[string]any{"cpu": "1", "memory": "2Gi", "pid": "1000"})
	then, _ := renderOf(t, "worker", release.V45, spec, nil)
	if then.Conf.Get("systemReserved.memory") != "2Gi" || len(then.Files) != 0 {
		t.Errorf("%v %v", then.Conf.Get("systemReserved"), then.Files)
	}
	now, _ := renderOf(t, "worker", release.Current, spec, nil)
	if now.Conf.Get("systemReserved.cpu") != nil || now.Conf.Get("systemReserved.pid") != "1000" {
		t.Errorf("%v", now.Conf.Get("systemReserved"))
	}
	want := File{"/etc/node-sizing-enabled.env",
		"NODE_SIZING_ENABLED=false\nSYSTEM_RESERVED_MEMORY=2Gi\nSYSTEM_RESERVED_CPU=1\nSYSTEM_RESERVED_ES=1Gi\n"}
	if len(now.Files) != 1 || now.Files[0] != want {
		t.Errorf("%q", now.Files)
	}
}

func TestFilesBeside(t *testing.T) {
	yes, level := true, int64(5)
	r, problems := renderOf(t, "worker", release.Current,
		openshift.KubeletConfigSpec{AutoSizingReserved: &yes, LogLevel: &level}, nil)
	if len(problems) > 0 || len(r.Files) != 2 {
		t.Fatalf("%v %v", problems, r.Files)
	}
	if !strings.HasPrefix(r.Files[0].Text,
		"NODE_SIZING_ENABLED=true\nSYSTEM_RESERVED_MEMORY=1Gi\nSYSTEM_RESERVED_CPU=500m\n") {
		t.Error(r.Files[0].Text)
	}
	if r.Files[1] != (File{"/etc/systemd/system/kubelet.service.d/20-logging.conf",
		"[Service]\nEnvironment=\"KUBELET_LOG_LEVEL=5\"\n"}) {
		t.Error(r.Files[1])
	}
}

// protectKernelDefaults is true today, and false can override it by a special way.
func TestProtectKernelDefaults(t *testing.T) {
	r, problems := renderOf(t, "worker", release.Current, config("protectKernelDefaults", false), nil)
	if len(problems) > 0 || r.Conf.Get("protectKernelDefaults") != nil {
		t.Errorf("%v %v", problems, r.Conf.Get("protectKernelDefaults"))
	}
	r, problems = renderOf(t, "worker", release.Current, config("protectkerneldefaults", false), nil)
	if r.Conf.Get("protectKernelDefaults") != true || len(problems) != 2 {
		t.Errorf("in the wrong case: %v %v", problems, r.Conf.Get("protectKernelDefaults"))
	}
}

// Today's template enforces the system's reservation by a cgroup, which must go when
// CPUs are reserved by number, or when the ways of enforcing leave the system out.
func TestSystemReservedCgroup(t *testing.T) {
	for _, c := range []struct {
		spec   openshift.KubeletConfigSpec
		cgroup any
		ways   []any
	}{
		{config(), "/system.slice", []any{"pods", "system-reserved-compressible"}},
		{config("reservedSystemCPUs", "0-3"), nil, []any{"pods"}},
		{config("reservedSystemCPUs", "0-3", "enforceNodeAllocatable", []any{"kube-reserved"}), nil,
			[]any{"pods", "kube-reserved"}},
		{config("enforceNodeAllocatable", []any{"pods"}), nil, []any{"pods"}},
		{config("enforceNodeAllocatable", []any{"pods", "system-reserved"}), "/system.slice",
			[]any{"pods", "system-reserved"}},
		{config("enforceNodeAllocatable", []any{}), "/system.slice", []any{"pods", "system-reserved-compressible"}},
	} {
		r, _ := renderOf(t, "worker", release.Current, c.spec, nil)
		ways, _ := r.Conf.Get("enforceNodeAllocatable").([]any)
		if r.Conf.Get("systemReservedCgroup") != c.cgroup || !slices.Equal(ways, c.ways) {
			t.Errorf("%v: %v %v", c.spec.KubeletConfig, r.Conf.Get("systemReservedCgroup"), ways)
		}
	}
}

// The feature sets of the old releases; CustomNoUpgrade adds to the template's gates.
func TestGates(t *testing.T) {
	f := &openshift.FeatureGate{Spec: openshift.FeatureGateSpec{FeatureSet: "CustomNoUpgrade",
		CustomNoUpgrade: map[string]any{"enabled": []any{"TopologyManager"}, "disabled": []any{"SCTPSupport"}}}}
	r, _ := renderOf(t, "worker", release.V44, config("maxPods", int64(300)), f)
	for name, want := range map[string]any{"TopologyManager": true, "SCTPSupport": false, "SupportPodPidsLimit": true,
		"LegacyNodeRoleBehavior": false} {
		if got := r.Conf.Get("featureGates." + name); got != want {
			t.Errorf("%s is %v", name, got)
		}
	}
	for _, of := range release.Documented()[:3] {
		usual, _ := renderOf(t, "worker", of, config("maxPods", int64(250)), nil)
		if d := usual.Conf.Diff(Base("worker", of)); d != "" {
			t.Errorf("%v: the usual feature set changes the template: %s", of, d)
		}
	}
}

// The bases differ by release, and today by role.
func TestBase(t *testing.T) {
	for _, c := range []struct {
		role    string
		release release.Release
		field   string
		want    any
	}{
		{"worker", release.V43, "featureGates.SCTPSupport", nil}, {"worker", release.V44, "featureGates.SCTPSupport", true},
		{"infra", release.V45, "featureGates.SCTPSupport", true},
		{"worker", release.V44, "systemReserved.memory", "1Gi"}, {"worker", release.Current, "systemReserved", nil},
		{"master", release.V44, "maxPods", int64(250)},
		{"worker", release.Current, "failSwapOn", false}, {"infra", release.Current, "failSwapOn", false},
		{"master", release.Current, "failSwapOn", true}, {"arbiter", release.Current, "failSwapOn", true},
		{"worker", release.V44, "podPidsLimit", nil}, {"worker", release.Current, "podPidsLimit", int64(4096)},
		{"worker", release.Current, "nodeStatusReportFrequency", "5m0s"},
		{"worker", release.Current, "no.such", nil}, {"worker", release.Current, "maxPods.x", nil},
	} {
		if got := Base(c.role, c.release).Get(c.field); got != c.want {
			t.Errorf("%s of %s in %v: %v, want %v", c.field, c.role, c.release, got, c.want)
		}
	}
	if got := Base("worker", release.V44).WithDNS("10.0.0.10").Get("clusterDNS").([]any); got[0] != "10.0.0.10" {
		t.Error(got)
	}
}

// How the file is written.
func TestText(t *testing.T) {
	then, now := Base("worker", release.V44).Text(), Base("worker", release.Current).Text()
	if !strings.HasPrefix(then, "{\n  \"kind\": \"KubeletConfiguration\",\n") ||
		!strings.HasPrefix(now, "apiVersion: kubelet.config.k8s.io/v1beta1\nauthentication:\n") {
		t.Errorf("%.60s\n%.60s", then, now)
	}
	if !strings.Contains(then, `"syncFrequency": "0s"`) {
		t.Error("durations are never left out")
	}
}
