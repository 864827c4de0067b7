package kubeletconfig

import (
	"fmt"
	"maps"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/release"
)

// cipherSuites are those that Go knows by name.
var cipherSuites = strings.Fields(`TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384
	TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384
	TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256 TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256
	TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305 TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305
	TLS_AES_128_GCM_SHA256 TLS_AES_256_GCM_SHA384 TLS_CHACHA20_POLY1305_SHA256
	TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA
	TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA TLS_RSA_WITH_RC4_128_SHA TLS_RSA_WITH_3DES_EDE_CBC_SHA TLS_RSA_WITH_AES_128_CBC_SHA
	TLS_RSA_WITH_AES_256_CBC_SHA TLS_RSA_WITH_AES_128_CBC_SHA256 TLS_RSA_WITH_AES_128_GCM_SHA256
	TLS_RSA_WITH_AES_256_GCM_SHA384 TLS_ECDHE_ECDSA_WITH_RC4_128_SHA TLS_ECDHE_RSA_WITH_RC4_128_SHA
	TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256 TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256`)

// signals are what evictions are decided by.
var signals = []string{"memory.available", "nodefs.available", "nodefs.inodesFree", "imagefs.available",
	"imagefs.inodesFree", "containerfs.available", "containerfs.inodesFree", "pid.available",
	"allocatableMemory.available"}

// evictions finds thresholds, grace periods and least reclaims that can't be read.
func evictions(c Conf) (out []Problem) {
	for _, kind := range []struct {
		field string
		wrong func(string) string
		fix   string
	}{
		{"evictionHard", threshold, "write it like 500Mi or 10%"}, {"evictionSoft", threshold, "write it like 500Mi or 10%"},
		{"evictionSoftGracePeriod", gracePeriod, "write it like 1m30s"},
		{"evictionMinimumReclaim", reclaim, "write it like 500Mi or 5%"},
	} {
		given, _ := c.Get(kind.field).(map[string]any)
		for _, signal := range slices.Sorted(maps.Keys(given)) {
			at := kind.field + "." + signal
			if !slices.Contains(signals, signal) {
				out = append(out, stops(at, "known are "+strings.Join(signals, ", "), "%s has %q, which is no signal", kind.field,
					signal))
				continue
			}
			text, _ := given[signal].(string)
			if wrong := kind.wrong(text); wrong != "" {
				out = append(out, stops(at, kind.fix, "%s %s %q %s", kind.field, signal, text, wrong))
			}
		}
	}
	return out
}

// usual are the signals that have a hard threshold by default; imagefs.inodesFree, too, in later releases, but the
// operators' own KubeletConfigs leave it out as well.
var usual = []string{"memory.available", "nodefs.available", "nodefs.inodesFree", "imagefs.available"}

// partial tells of thresholds that go because others are set.
func partial(c Conf) []Problem {
	const field = "evictionHard"
	given, _ := c.Get(field).(map[string]any)
	if merged, _ := c.Get("mergeDefaultEvictionSettings").(bool); len(given) == 0 || merged {
		return nil
	}
	gone := slices.DeleteFunc(slices.Clone(usual), func(signal string) bool { return given[signal] != nil })
	if len(gone) == 0 {
		return nil
	}
	return []Problem{{Rule: evictionPartial, Path: inConfig(field),
		What: "evictionHard replaces the defaults as a whole: there is no threshold for " + words.And(gone) + " any more",
		Fix:  "write those that are to stay, such as " + gone[0] + " beside it"}}
}

// percent is the number of a share, and whether the text is one.
func percent(text string) (n float64, is bool, err error) {
	rest, is := strings.CutSuffix(text, "%")
	if is {
		n, err = strconv.ParseFloat(strings.TrimRight(rest, "%"), 32)
	}
	return n, is, err
}

// threshold says what is wrong with a threshold; 0% and 100% switch one off.
func threshold(text string) string {
	n, share, err := percent(text)
	switch {
	case share && err != nil:
		return "is no share"
	case share && n < 0:
		return "is negative"
	case share && n > 100:
		return "is more than 100%"
	case share:
		return ""
	}
	q, err := resource.ParseQuantity(text)
	switch {
	case err != nil:
		return "is neither a quantity nor a share"
	case q.Sign() <= 0:
		return "is not above 0"
	}
	return ""
}

func gracePeriod(text string) string {
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return "is no duration with its unit"
	case d < 0:
		return "is negative"
	}
	return ""
}

func reclaim(text string) string {
	n, share, err := percent(text)
	switch {
	case share && err != nil:
		return "is no share"
	case share && n <= 0:
		return "is not above 0%"
	case share:
		return ""
	}
	q, err := resource.ParseQuantity(text)
	switch {
	case err != nil:
		return "is neither a quantity nor a share"
	case q.Sign() < 0:
		return "is negative"
	}
	return ""
}

// texts finds texts of a form that the kubelet doesn't read.
func texts(c Conf) (out []Problem) {
	if size := c.text("containerLogMaxSize"); size != "" {
		q, err := resource.ParseQuantity(size)
		if err == nil {
			if _, whole := q.AsInt64(); !whole {
				err = fmt.Errorf("no whole number")
			}
		}
		if err != nil {
			out = append(out, stops("containerLogMaxSize", "write it like 50Mi",
				"containerLogMaxSize %q is no quantity of bytes",
				size))
		}
	}
	if dir := c.text("podLogsDir"); dir != "" && (!path.IsAbs(dir) || path.Clean(dir) != dir || !ascii(dir)) {
		out = append(out, stops("podLogsDir", "write it like /var/log/pods",
			"podLogsDir %q is no clean absolute path in ASCII",
			dir))
	}
	if e := c.text("tracing.endpoint"); e != "" {
		if !strings.Contains(e, "//") {
			e = "dns://" + e
		}
		u, err := url.Parse(e)
		if err != nil || !slices.Contains([]string{"dns", "unix", "unix-abstract"}, u.Scheme) {
			out = append(out, stops("tracing.endpoint", "write it like localhost:4317", "tracing.endpoint %q is no address",
				c.text("tracing.endpoint")))
		}
	}
	for _, name := range []string{"kubeReserved", "systemReserved"} {
		given, _ := c.Get(name).(map[string]any)
		known := []string{"cpu", "memory", "ephemeral-storage", "pid"}
		for _, key := range slices.Sorted(maps.Keys(given)) {
			text, _ := given[key].(string)
			if !slices.Contains(known, key) {
				out = append(out, stops(name+"."+key, "known are "+words.And(known), "%s can't keep back %s", name, key))
			} else if q, err := resource.ParseQuantity(text); key == "pid" && (err != nil || q.Sign() < 0) {
				out = append(out, stops(name+"."+key, "write it like 1000", "%s pid %q is not a quantity of 0 or more", name, text))
			}
		}
	}
	return out
}

func ascii(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r > 127 })
}

// taints finds taints that the node can't be registered with.
func taints(c Conf) (out []Problem) {
	list, _ := c.Get("registerWithTaints").([]any)
	for i, item := range list {
		t, _ := item.(map[string]any)
		text := func(name string) string { s, _ := t[name].(string); return s }
		at := fmt.Sprintf("registerWithTaints[%d]", i)
		switch effects := []string{"NoSchedule", "PreferNoSchedule", "NoExecute"}; {
		case len(validation.IsQualifiedName(text("key"))) > 0:
			out = append(out, stops(at+".key", "write it like example.com/key", "the key %q of a taint is none", text("key")))
		case len(validation.IsValidLabelValue(text("value"))) > 0:
			out = append(out, stops(at+".value", "write a value as labels have it", "the value %q of a taint is none",
				text("value")))
		case text("effect") != "" && !slices.Contains(effects, text("effect")):
			out = append(out, stops(at+".effect", "write "+words.Some(effects, len(effects)),
				"the effect %q of a taint is none", text("effect")))
		case t["timeAdded"] != nil && text("timeAdded") != "":
			out = append(out, stops(at+".timeAdded", "remove it", "a taint of registerWithTaints has timeAdded"))
		}
	}
	return out
}

// reservedMemory finds reservations by NUMA node that the kubelet doesn't take, and such that are not what is kept back
// of the whole node, where that is known.
func reservedMemory(r Rendered) (out []Problem) {
	const field = "reservedMemory"
	list, _ := r.Conf.Get(field).([]any)
	static := r.Conf.text("memoryManagerPolicy") == "Static"
	var sum resource.Quantity
	seen := map[string]bool{}
	for i, item := range list {
		r, _ := item.(map[string]any)
		limits, _ := r["limits"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(limits)) {
			at := fmt.Sprintf(field+"[%d].limits.%s", i, name)
			q, err := resource.ParseQuantity(fmt.Sprint(limits[name]))
			if v, ok := limits[name].(resource.Quantity); ok {
				q, err = v, nil
			}
			key := fmt.Sprint(r["numaNode"], name)
			switch {
			case name != "memory" && !strings.HasPrefix(name, "hugepages-"):
				out = append(out, stops(at, "write memory or hugepages-1Gi", "reservedMemory can't keep back %s", name))
			case err == nil && q.IsZero():
				out = append(out, stops(at, "remove it, or write more", "reservedMemory keeps back 0 of %s", name))
			case seen[key]:
				out = append(out, stops(at, "add them up", "reservedMemory has %s of NUMA node %v twice", name, r["numaNode"]))
			case name == "memory":
				sum.Add(q)
			case static:
				out = append(out, stops(at, "remove it", "reservedMemory keeps back %s, of which nothing else does", name))
			}
			seen[key] = true
		}
	}
	whole, known := keptMemory(r)
	more := fencedMemory(r)
	more.Add(whole)
	if static && known && len(list) > 0 && len(out) == 0 && whole.Cmp(sum) != 0 && more.Cmp(sum) != 0 {
		kept := whole.String()
		if more.Cmp(whole) != 0 {
			kept += " (of two fenced nodes to " + more.String() + ")"
		}
		out = append(out, stops(field, "make both the same", "reservedMemory comes to %s of memory, and systemReserved, "+
			"kubeReserved and evictionHard to %s", sum.String(), kept))
	}
	return out
}

// keptMemory is the memory that pods don't get, and whether that is known: a share of the node's is not.
func keptMemory(r Rendered) (resource.Quantity, bool) {
	given, _ := r.Conf.Get("evictionHard").(map[string]any)
	merged, _ := r.Conf.Get("mergeDefaultEvictionSettings").(bool)
	text, told := given[usual[0]].(string)
	if !told && (merged || len(given) == 0) {
		text = "100Mi"
	}
	sum, known := reserved(r, 0)
	if n, share, _ := percent(text); share {
		return sum, known && (n == 0 || n == 100)
	}
	if q, err := resource.ParseQuantity(text); err == nil {
		sum.Add(q)
	}
	return sum, known
}

// gated are fields that need a feature gate of the kubelet, which is on by itself since a release; 0 is never.
var gated = []struct {
	field, gate string
	since       release.Release
}{
	{"cpuCFSQuotaPeriod", "CustomCPUCFSQuotaPeriod", 23},
	{"crashLoopBackOff.maxContainerRestartPeriod", "KubeletCrashLoopBackOffMax", 22},
	{"imagePullCredentialsVerificationPolicy", "KubeletEnsureSecretPulledImages", 22},
	{"imageMaximumGCAge", "ImageMaximumGCAge", 17}, {"shutdownGracePeriodByPodPriority",
		"GracefulNodeShutdownBasedOnPodPriority", 11}, {"qosReserved", "QOSReserved", 0},
}

// gates finds fields that the kubelet only starts with when a feature gate is on.
func gates(c Conf, cr *openshift.KubeletConfig) (out []Problem) {
	note := func(field, what, gate string) {
		p := stops(field, "remove it, or see that the gate is on in the cluster's FeatureGate",
			"%s needs the feature gate %s, which is not on by itself in %s: without it", what, gate, c.release.OpenShift())
		p.What = strings.Replace(p.What, "without it: the", "without it the", 1)
		p.Rule.Severity = v1alpha1.Warning
		out = append(out, p)
	}
	for _, g := range gated {
		v := at(cr.Spec.KubeletConfig, g.field)
		on, told := c.Get("featureGates." + g.gate).(bool)
		if empty(v) || v == "0s" || on || !told && g.since > 0 && c.release.Minor() >= g.since {
			continue
		}
		note(g.field, g.field, g.gate)
	}
	if on, _ := c.Get("featureGates.MemoryQoS").(bool); c.text("memoryReservationPolicy") == "TieredReservation" && !on {
		note("memoryReservationPolicy", "memoryReservationPolicy TieredReservation", "MemoryQoS")
	}
	return out
}
