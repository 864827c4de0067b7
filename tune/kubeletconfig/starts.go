package kubeletconfig

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"plimsoll.dev/internal/words"
)

// bounds are numbers that the kubelet starts with. A number that is not given has the kubelet's default, which is one.
type bounds struct {
	field     string
	low, high float64
}

func (b bounds) String() string {
	if b.high == math.MaxFloat64 {
		return fmt.Sprintf("%v or more", b.low)
	}
	return fmt.Sprintf("%v to %v", b.low, strconv.FormatFloat(b.high, 'f', -1, 64))
}

const (
	unbounded = math.MaxFloat64
	ports     = 1<<16 - 1
)

var ranges = []bounds{
	{"maxPods", 0, unbounded}, {"podsPerCore", 0, unbounded}, {"kubeAPIQPS", 0, unbounded}, {"kubeAPIBurst", 0, unbounded},
	{"registryPullQPS", 0, unbounded}, {"registryBurst", 0, unbounded}, {"eventRecordQPS", 0, unbounded},
	{"eventBurst", 0, unbounded}, {"maxOpenFiles", 0, unbounded}, {"nodeStatusMaxImages", -1, unbounded},
	{"nodeLeaseDurationSeconds", 1, unbounded}, {"maxParallelImagePulls", 1, unbounded},
	{"containerLogMaxFiles", 2, unbounded}, {"containerLogMaxWorkers", 1, unbounded},
	{"imageGCHighThresholdPercent", 0, 100}, {"imageGCLowThresholdPercent", 0, 100}, {"iptablesDropBit", 0, 31},
	{"iptablesMasqueradeBit", 0, 31}, {"oomScoreAdj", -1000, 1000}, {"port", 1, ports}, {"readOnlyPort", 0, ports},
	{"healthzPort", 0, ports}, {"tracing.samplingRatePerMillion", 0, 1e6}, {"logging.verbosity", 0, math.MaxInt32},
	{"userNamespaces.idsPerPod", idsUnit, math.MaxUint32},
}

// idsUnit is the number of ids that pods get as one.
const idsUnit = 1 << 16

// numbers finds numbers beyond their bounds.
func numbers(c Conf) (out []Problem) {
	for _, b := range ranges {
		if n, ok := c.Get(b.field).(int64); ok && (float64(n) < b.low || float64(n) > b.high) {
			what := fmt.Sprintf("%s %d is not %s", b.field, n, b)
			if n < 0 && b.low == 0 {
				what = fmt.Sprintf("%s %d is negative", b.field, n)
			}
			out = append(out, stops(b.field, "write "+b.String(), "%s", what))
		}
	}
	if f, ok := c.Get("memoryThrottlingFactor").(float64); ok && (f <= 0 || f > 1) {
		out = append(out, stops("memoryThrottlingFactor", "write 0.9",
			"memoryThrottlingFactor %v is not above 0 and at most 1",
			f))
	}
	if n := c.int("userNamespaces.idsPerPod"); n%idsUnit != 0 {
		out = append(out, stops("userNamespaces.idsPerPod", "write 65536",
			"userNamespaces.idsPerPod %d is not a multiple of %d",
			n, idsUnit))
	}
	high, low := c.Get("imageGCHighThresholdPercent"), c.Get("imageGCLowThresholdPercent")
	h, l := int64(85), int64(80)
	if high != nil {
		h = high.(int64)
	}
	if low != nil {
		l = low.(int64)
	}
	if l >= h {
		out = append(out, stops("imageGCLowThresholdPercent", "write a lower one, such as "+fmt.Sprint(max(0, h-5)),
			"imageGCLowThresholdPercent %d is not below imageGCHighThresholdPercent %d", l, h))
	}
	return out
}

// duration is the value of a duration, and whether there is one other than 0, which stands for the default.
func (c Conf) duration(field string) (time.Duration, bool) {
	d, err := time.ParseDuration(c.text(field))
	return d, err == nil && d != 0
}

// spans are the durations that the kubelet starts with.
var spans = []struct {
	field     string
	low, high time.Duration
}{
	{"cpuCFSQuotaPeriod", time.Millisecond, time.Second}, {"containerLogMonitorInterval", 3 * time.Second, math.MaxInt64},
	{"imageMinimumGCAge", 0, math.MaxInt64}, {"imageMaximumGCAge", 0, math.MaxInt64},
	{"shutdownGracePeriod", time.Second, math.MaxInt64}, {"shutdownGracePeriodCriticalPods", time.Second, math.MaxInt64},
	{"crashLoopBackOff.maxContainerRestartPeriod", time.Second, 300 * time.Second},
}

// explicit are the durations behind pointers, of which 0 is a value.
var explicit = []string{"cpuCFSQuotaPeriod", "containerLogMonitorInterval",
	"crashLoopBackOff.maxContainerRestartPeriod"}

// durations finds durations beyond their bounds, and those that contradict one another.
func durations(c Conf) (out []Problem) {
	for _, s := range spans {
		d, given := c.duration(s.field)
		if !given && (c.text(s.field) == "" || !slices.Contains(explicit, s.field)) {
			continue
		}
		switch {
		case d < s.low && s.low == 0:
			out = append(out, stops(s.field, "write 0s or more", "%s %v is negative", s.field, d))
		case d < s.low:
			out = append(out, stops(s.field, "write "+s.low.String()+" or more", "%s %v is less than %v", s.field, d, s.low))
		case d > s.high:
			out = append(out, stops(s.field, "write "+s.high.String()+" or less", "%s %v is more than %v", s.field, d, s.high))
		}
	}
	least := 2 * time.Minute
	if d, given := c.duration("imageMinimumGCAge"); given {
		least = d
	}
	if d, _ := c.duration("imageMaximumGCAge"); d > 0 && d <= least {
		out = append(out, stops("imageMaximumGCAge", "write more than "+least.String(),
			"imageMaximumGCAge %v is not above imageMinimumGCAge %v", d, least))
	}
	all, _ := c.duration("shutdownGracePeriod")
	if critical, _ := c.duration("shutdownGracePeriodCriticalPods"); critical > all {
		out = append(out, stops("shutdownGracePeriodCriticalPods",
			"write at most "+all.String()+", or raise shutdownGracePeriod",
			"shutdownGracePeriodCriticalPods %v is more than shutdownGracePeriod %v", critical, all))
	}
	return out
}

// policies are the values that a field takes; empty is its default.
var policies = []struct {
	field  string
	values []string
}{
	{"cpuManagerPolicy", []string{"none", "static"}},
	{"topologyManagerPolicy", []string{"none", "best-effort", "restricted", "single-numa-node"}},
	{"topologyManagerScope", []string{"container", "pod"}},
	{"memoryManagerPolicy", []string{"None", "Static"}},
	{"hairpinMode", []string{"none", "hairpin-veth", "promiscuous-bridge"}},
	{"configMapAndSecretChangeDetectionStrategy", []string{"Get", "Cache", "Watch"}},
	{"authorization.mode", []string{"AlwaysAllow", "Webhook"}},
	{"memoryReservationPolicy", []string{"None", "TieredReservation"}},
	{"memorySwap.swapBehavior", []string{"NoSwap", "LimitedSwap"}},
	{"imagePullCredentialsVerificationPolicy", []string{"NeverVerify", "NeverVerifyPreloadedImages",
		"NeverVerifyAllowlistedImages", "AlwaysVerify"}},
	{"logging.format", []string{"json", "text"}},
	{"tlsMinVersion", []string{"VersionTLS10", "VersionTLS11", "VersionTLS13", "VersionTLS12"}},
}

func choices(c Conf) (out []Problem) {
	for _, w := range policies {
		if v := c.text(w.field); v != "" && !slices.Contains(w.values, v) {
			out = append(out, stops(w.field, "write "+w.values[len(w.values)-1], "%s %q is not %s", w.field, v,
				strings.Join(w.values, ", ")))
		}
	}
	suites, _ := c.Get("tlsCipherSuites").([]any)
	for i, s := range suites {
		if name, _ := s.(string); !slices.Contains(cipherSuites, name) {
			out = append(out, stops(fmt.Sprintf("tlsCipherSuites[%d]", i), "write names like "+cipherSuites[0],
				"tlsCipherSuites names %q, which is none", name))
		}
	}
	return out
}

// pairs finds what can't be used together, or not without something else.
func pairs(c Conf) (out []Problem) {
	bad := func(field, fix, what string) { out = append(out, stops(field, fix, "%s", what)) }
	for _, cgroup := range []string{"systemReservedCgroup", "kubeReservedCgroup"} {
		if c.text("reservedSystemCPUs") != "" && c.text(cgroup) != "" {
			bad("reservedSystemCPUs", "remove one of them", "reservedSystemCPUs and "+cgroup+" can't be used together")
		}
	}
	if serial, given := c.Get("serializeImagePulls").(bool); (serial || !given) && c.int("maxParallelImagePulls") > 1 {
		bad("maxParallelImagePulls", "set serializeImagePulls false, or write 1",
			"maxParallelImagePulls above 1 and serializeImagePulls can't be used together")
	}
	if once, _ := c.Get("runOnce").(bool); once {
		bad("runOnce", "remove it", "runOnce is no mode of the kubelet any more")
	}
	byPriority, _ := c.Get("shutdownGracePeriodByPodPriority").([]any)
	all, _ := c.duration("shutdownGracePeriod")
	critical, _ := c.duration("shutdownGracePeriodCriticalPods")
	if len(byPriority) > 0 && (all > 0 || critical > 0) {
		bad("shutdownGracePeriodByPodPriority", "remove one of them",
			"shutdownGracePeriodByPodPriority and shutdownGracePeriod can't be used together")
	}
	query, _ := c.Get("enableSystemLogQuery").(bool)
	if handler, given := c.Get("enableSystemLogHandler").(bool); query && given && !handler {
		bad("enableSystemLogHandler", "remove it, or set enableSystemLogQuery false",
			"enableSystemLogQuery is on and enableSystemLogHandler is off")
	}
	if c.text("systemCgroups") != "" && c.text("cgroupRoot") == "" {
		bad("systemCgroups", "set cgroupRoot /", "systemCgroups is set and cgroupRoot is not")
	}
	modules, _ := c.Get("logging.vmodule").([]any)
	if format := c.text("logging.format"); len(modules) > 0 && format != "" && format != "text" {
		bad("logging.vmodule", "remove it, or write format: text", "logging.vmodule is for the format text alone")
	}
	if list, _ := c.Get("preloadedImagesVerificationAllowlist").([]any); len(list) > 0 &&
		c.text("imagePullCredentialsVerificationPolicy") != "NeverVerifyAllowlistedImages" {
		bad("preloadedImagesVerificationAllowlist", "set imagePullCredentialsVerificationPolicy NeverVerifyAllowlistedImages",
			"preloadedImagesVerificationAllowlist is for the policy NeverVerifyAllowlistedImages alone")
	}
	return out
}

// The ways to enforce reservations, beside those of package render.
const (
	enforceKube             = "kube-reserved"
	enforceKubeCompressible = "kube-reserved-compressible"
	enforceNone             = "none"
)

// enforcement finds reservations that are enforced without a cgroup, or twice.
func enforcement(c Conf) (out []Problem) {
	const field = "enforceNodeAllocatable"
	bad := func(fix, format string, args ...any) { out = append(out, stops(field, fix, field+" "+format, args...)) }
	ways, _ := c.Get(field).([]any)
	known := []string{enforcePods, enforceSystem, enforceCompressible, enforceKube, enforceKubeCompressible, enforceNone}
	seen := map[any]bool{}
	for _, way := range ways {
		name, _ := way.(string)
		switch {
		case seen[way]:
			bad("write it once", "has %q twice", name)
		case !slices.Contains(known, name):
			bad("write "+words.Some(known, len(known)), "has %q", name)
		case name == enforceNone && len(ways) > 1:
			bad("write none alone, or leave it out", "has none beside others")
		}
		seen[way] = true
	}
	system, kube := slices.ContainsFunc(ways, enforcesSystem), seen[enforceKube] || seen[enforceKubeCompressible]
	if system && c.text("systemReservedCgroup") == "" {
		bad("set systemReservedCgroup, or enforce pods alone",
			"enforces the system's reservation, and systemReservedCgroup is not set")
	}
	if kube && c.text("kubeReservedCgroup") == "" {
		bad("set kubeReservedCgroup, or enforce pods alone", "enforces kubeReserved, and kubeReservedCgroup is not set")
	}
	if seen[enforceSystem] && seen[enforceCompressible] || seen[enforceKube] && seen[enforceKubeCompressible] {
		bad("write one of them", "has a reservation both whole and compressible")
	}
	byQOS, given := c.Get("cgroupsPerQOS").(bool)
	none := seen[enforceNone] || given && len(ways) == 0 && c.Get(field) != nil
	if given && !byQOS && !none {
		out = append(out, stops("cgroupsPerQOS", "remove it, or enforce none",
			"cgroupsPerQOS is off, and enforceNodeAllocatable needs it"))
	}
	return out
}
