package haproxy

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/tune/haproxy/formula"
)

// What the API demands of some durations beyond what Go reads: no sign, a digit on
// both sides of the point, and of one of them only some units.
var (
	unsigned   = regexp.MustCompile(`^(0|(\d+(\.\d+)?(ns|us|µs|μs|ms|s|m|h))+)$`)
	keepAlive  = regexp.MustCompile(`^(\d+(\.\d+)?(ms|s|m))+$`)
	apiPattern = map[string]*regexp.Regexp{"connectTimeout": unsigned, "healthCheckInterval": unsigned,
		"reloadInterval": unsigned, "httpKeepAliveTimeout": keepAlive}
)

// mostKeepAlive is the greatest length of httpKeepAliveTimeout's text in the API.
const mostKeepAlive = 16

// duration checks a tuning option that is a Go duration: the operator passes on
// what is above 0 and leaves the rest to the default.
func (k *checker) duration(path string, s setting, value any) {
	name := path[strings.LastIndexByte(path, '.')+1:]
	text, ok := value.(string)
	if !ok {
		k.find(ruleType, path, fmt.Sprintf("%s is %s, not a duration", name, shown(value)),
			`write it with a unit and in quotes: "90s"`)
		return
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		k.find(ruleType, path, fmt.Sprintf("%s is %q, not a duration", name, text),
			"numbers with units up to hours, such as 90s or 1h30m; days are not known")
		return
	}
	if p := apiPattern[name]; p != nil && !p.MatchString(text) ||
		p == keepAlive && utf8.RuneCountInString(text) > mostKeepAlive {
		k.find(ruleType, path, fmt.Sprintf("%s is %q, which the API server does not take", name, text),
			map[bool]string{true: "numbers with the units ms, s and m, of 16 letters at most: 90s",
				false: "numbers with units and without a sign: 90s, 1.5m"}[p == keepAlive])
		return
	}
	k.length(path, name, s, text, d)
}

// length checks how long a duration is. What is shorter than a microsecond comes to
// nothing, since the operator writes whole ones.
func (k *checker) length(path, name string, s setting, text string, d time.Duration) {
	usual, most := "the default", k.time("ocp.router.timeMax")
	if s.usual != "" {
		usual = haproxyTime(k.number(s.usual))
	}
	least, highest := k.time("ocp.router.httpKeepAliveTimeoutMin"), k.time("ocp.router.httpKeepAliveTimeoutMax")
	switch {
	case name == "httpKeepAliveTimeout" && (d < least || d > highest):
		k.find(ruleRange, path, fmt.Sprintf("%s is %s", name, text),
			fmt.Sprintf("%s to %s", least, haproxyTime(highest.Seconds())))
	case s.kind == interval && d == 0: // which stands in every object that the API server gives out
	case s.kind == interval:
		k.clamp(path, name, d)
	case d < time.Microsecond:
		k.find(ruleReplaced, path, fmt.Sprintf("%s is %s, for which %s is taken", name, text, usual),
			"a time above 0, or leave it out")
	case name == "healthCheckInterval" && d < k.time("ocp.router.healthCheckIntervalMin"):
		k.find(ruleReplaced, path, fmt.Sprintf("%s is %s, for which the default is taken", name, text), "1s or more")
	case d > most:
		k.find(ruleClamped, path, fmt.Sprintf("%s is %s, longer than HAProxy can count; %s is taken", name, text, most),
			"24d or less")
	}
}

// clamp checks the time between reloads, which the operator forces into its bounds.
func (k *checker) clamp(path, name string, d time.Duration) {
	least, most := k.number("ocp.router.reloadIntervalMin"), k.number("ocp.router.reloadIntervalMax")
	taken := min(max(d.Seconds(), least), most)
	if taken != d.Seconds() {
		k.find(ruleClamped, path, fmt.Sprintf("%s is %s, for which %s is taken", name, d, haproxyTime(taken)),
			fmt.Sprintf("%s to %s", haproxyTime(least), haproxyTime(most)))
	}
}

// annotation checks the hard stop. The operator takes Go durations and days, the
// template after it only whole numbers with one unit.
func (k *checker) annotation(ic openshift.IngressController) {
	text, ok := ic.Metadata.Annotations[hardStopAnnotation]
	if !ok {
		return
	}
	path := "metadata.annotations"
	d, taken := readTime(text)
	switch {
	case !hasHardStop.In(k.release):
		k.find(ruleHardStop, path, fmt.Sprintf("OpenShift %s does not know the annotation of a hard stop", k.release),
			"leave it out; it came with 4.5")
	case !operatorTakes(text):
		k.find(ruleHardStop, path, fmt.Sprintf("the operator passes over the hard stop %q", text),
			"a whole number with a unit: 30m, 1h, 2d")
	case !taken:
		k.find(ruleHardStop, path, fmt.Sprintf("the router passes over the hard stop %q", text),
			"a whole number above 0 with one unit: 30m, 90s")
	case d > k.time("ocp.router.timeMax"):
		k.find(ruleClamped, path, fmt.Sprintf("the hard stop %s is longer than HAProxy can count; %s is taken", text,
			k.time("ocp.router.timeMax")), "24d or less")
	}
}

// hardStop is how long old processes live by an annotation; 0 is for ever.
func (k *checker) hardStop(text string) time.Duration {
	if d, ok := readTime(text); ok && hasHardStop.In(k.release) && operatorTakes(text) {
		return d
	}
	return 0
}

// operatorTakes says whether the operator hands a hard stop on.
func operatorTakes(text string) bool {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		_, err := strconv.Atoi(days)
		return err == nil
	}
	_, err := time.ParseDuration(text)
	return err == nil
}

// pileUp compares the tunnel time-out with the time between reloads, where either
// is set: the defaults are not the author's doing.
func (k *checker) pileUp(ic openshift.IngressController) {
	options := ic.Spec.TuningOptions
	seconds := func(name string) (float64, bool) {
		text, _ := options[name].(string)
		return goSeconds(text, 0)
	}
	tunnel, own := seconds("tunnelTimeout")
	between, set := seconds("reloadInterval")
	at := "spec.tuningOptions.reloadInterval"
	switch {
	case !own && !set:
		return
	case own:
		at = "spec.tuningOptions.tunnelTimeout"
	default:
		tunnel = k.number("ocp.router.tunnelTimeout")
	}
	if !set {
		between = k.number("ocp.router.reloadInterval")
	}
	between = min(max(between, k.number("ocp.router.reloadIntervalMin")), k.number("ocp.router.reloadIntervalMax"))
	k.pile(at, tunnel, between, k.hardStop(ic.Metadata.Annotations[hardStopAnnotation]))
}

// goSeconds are the seconds of a Go duration above a least one.
func goSeconds(text string, least time.Duration) (float64, bool) {
	d, err := time.ParseDuration(text)
	return d.Seconds(), err == nil && d > least
}

// pile finds too many processes that idle tunnels alone can hold; stop is how long
// old ones live at most, 0 for ever.
func (k *checker) pile(at string, tunnel, between float64, stop time.Duration) {
	most := k.number("assumed.router.processesMost")
	tunnel = min(tunnel, k.number("ocp.router.timeMax"))
	n := formula.Processes(tunnel, stop.Seconds(), between, 0)
	if n <= most {
		return
	}
	k.find(rulePileUp, at, fmt.Sprintf("idle tunnels live %s and reloads come every %s: up to %.0f processes pile up",
		haproxyTime(tunnel), haproxyTime(between), n),
		fmt.Sprintf("a tunnel time-out of %s, or a hard stop, which also ends busy connections",
			haproxyTime(max(1, (most-1)*between))))
}
