package router

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/tune/router/formula"
)

// Bounds of httpKeepAliveTimeout and healthCheckInterval in the API.
const (
	mostKeepAlive  = 15 * time.Minute
	leastInterval  = time.Second
	leastKeepAlive = time.Millisecond
)

// duration checks a tuning option that is a Go duration: the operator passes on
// what is above 0 and leaves the rest to the default.
func (k *checker) duration(path string, s setting, value any) {
	name := path[strings.LastIndexByte(path, '.')+1:]
	text, ok := value.(string)
	if !ok {
		if n, whole := value.(int64); !whole || n != 0 {
			k.find(ruleType, path, fmt.Sprintf("%s is %s, not a duration", name, shown(value)), `write it with a unit and in quotes: "90s"`)
			return
		}
		text = "0"
	}
	d, err := time.ParseDuration(text)
	usual := "the default"
	if s.usual != "" {
		usual = haproxyTime(k.number(s.usual))
	}
	switch {
	case err != nil:
		k.find(ruleType, path, fmt.Sprintf("%s is %q, not a duration", name, text), "numbers with units up to hours, such as 90s or 1h30m; days are not known")
	case name == "httpKeepAliveTimeout" && (d < leastKeepAlive || d > mostKeepAlive):
		k.find(ruleRange, path, fmt.Sprintf("%s is %s", name, text), "1ms to 15m")
	case d <= 0:
		k.find(ruleReplaced, path, fmt.Sprintf("%s is %s, for which %s is taken", name, text, usual), "a time above 0, or leave it out")
	case name == "healthCheckInterval" && d < leastInterval:
		k.find(ruleReplaced, path, fmt.Sprintf("%s is %s, for which the default is taken", name, text), "1s or more")
	case s.kind == interval:
		k.clamp(path, name, d)
	case d > mostTime:
		k.find(ruleClamped, path, fmt.Sprintf("%s is %s, longer than HAProxy can count; %s is taken", name, text, mostTime), "24d or less")
	}
}

// clamp checks the time between reloads, which the operator forces into its bounds.
func (k *checker) clamp(path, name string, d time.Duration) {
	least, most := k.number("ocp.router.reloadIntervalMin"), k.number("ocp.router.reloadIntervalMax")
	taken := min(max(d.Seconds(), least), most)
	if taken != d.Seconds() {
		k.find(ruleClamped, path, fmt.Sprintf("%s is %s, for which %s is taken", name, d, haproxyTime(taken)), fmt.Sprintf("%s to %s", haproxyTime(least), haproxyTime(most)))
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
	switch {
	case !hasHardStop.In(k.e):
		k.find(ruleHardStop, path, fmt.Sprintf("OpenShift %s does not know the annotation of a hard stop", k.e), "leave it out; it came with 4.5")
	case !operatorTakes(text):
		k.find(ruleHardStop, path, fmt.Sprintf("the operator passes over the hard stop %q", text), "a whole number with a unit: 30m, 1h, 2d")
	case !timePattern.MatchString(text):
		k.find(ruleHardStop, path, fmt.Sprintf("the router passes over the hard stop %q", text), "a whole number above 0 with one unit: 30m, 90s")
	default:
		if days, ok := strings.CutSuffix(text, "d"); ok {
			if n, err := strconv.Atoi(days); err == nil && time.Duration(n)*24*time.Hour > mostTime {
				k.find(ruleClamped, path, fmt.Sprintf("the hard stop %s is longer than HAProxy can count", text), "24d or less")
			}
		}
	}
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
	k.pile(at, tunnel, between, ic.Metadata.Annotations[hardStopAnnotation])
}

// goSeconds are the seconds of a Go duration above a least one.
func goSeconds(text string, least time.Duration) (float64, bool) {
	d, err := time.ParseDuration(text)
	return d.Seconds(), err == nil && d > least
}

// pile finds too many processes that idle tunnels alone can hold.
func (k *checker) pile(at string, tunnel, between float64, stop string) {
	hard, _ := readTime(stop)
	most := k.number("assumed.router.processesMost")
	n := formula.Processes(tunnel, hard.Seconds(), between, 0)
	if n <= most {
		return
	}
	k.find(rulePileUp, at, fmt.Sprintf("idle tunnels live %s and reloads come every %s: up to %.0f processes pile up", haproxyTime(tunnel), haproxyTime(between), n),
		fmt.Sprintf("a tunnel time-out of %s, or a hard stop, which also ends busy connections", haproxyTime(max(1, (most-1)*between))))
}

// workload checks the variables of a router's pods.
func (k *checker) workload(w workload) {
	for i, c := range w.Spec.Template.Spec.Containers {
		if !isRouter(c.Env) {
			continue
		}
		values := map[string]string{}
		for j, v := range c.Env {
			values[v.Name] = v.Value
			k.variable(fmt.Sprintf("spec.template.spec.containers[%d].env[%d].value", i, j), v)
		}
		k.variablesPile(fmt.Sprintf("spec.template.spec.containers[%d].env", i), values)
	}
}

// isRouter says whether a container has a variable that only routers have.
func isRouter(list []variable) bool {
	for _, v := range list {
		if strings.HasPrefix(v.Name, "ROUTER_") {
			return true
		}
	}
	return false
}

// variable checks a variable of the router.
func (k *checker) variable(path string, v variable) {
	var s setting
	for _, x := range settings {
		if x.variable == v.Name {
			s = x
		}
	}
	if s.name == "" || v.Value == "" {
		return
	}
	if k.object.Kind == "Deployment" && environmentLost.In(k.e) && k.object.Namespace == "openshift-ingress" {
		k.find(ruleLost, path, v.Name+" of a router's deployment is overwritten by the Ingress Operator", "set it in the IngressController: "+orElse(release{minor: k.e.Release()}.where(s), "no field has it"))
	}
	usual := "nothing"
	if s.usual != "" && s.name != "maxConnections" {
		usual = s.write(k.c.Must(s.usual).Value())
	}
	switch s.kind {
	case interval:
		k.reloadVariable(path, v)
	case duration:
		if !timePattern.MatchString(v.Value) {
			k.find(ruleReplaced, path, fmt.Sprintf("%s=%s is no time of HAProxy; %s is taken", v.Name, v.Value, usual), "a whole number above 0 with one unit: 1500ms, 90s, 1h")
		}
	default:
		k.countVariable(path, s, v)
	}
}

// reloadVariable checks RELOAD_INTERVAL, which is a Go duration.
func (k *checker) reloadVariable(path string, v variable) {
	d, err := time.ParseDuration(v.Value)
	switch {
	case err != nil:
		k.find(ruleReplaced, path, fmt.Sprintf("%s=%s is no duration; %s is taken", v.Name, v.Value, haproxyTime(k.number("ocp.router.reloadInterval"))), "a number with a unit up to hours: 30s, 2m")
	case d < time.Second:
		k.find(ruleStart, path, fmt.Sprintf("%s=%s is less than 1s", v.Name, v.Value), "1s or more")
	}
}

// countVariable checks a number: the template leaves out threads that are none, and
// later connections, too; others stop HAProxy.
func (k *checker) countVariable(path string, s setting, v variable) {
	n, err := strconv.Atoi(v.Value)
	switch {
	case s.name == "maxConnections" && v.Value == "auto":
	case err != nil || s.name == "threadCount" && (n < 1 || strings.HasPrefix(v.Value, "0")):
		k.find(ruleReplaced, path, fmt.Sprintf("%s=%s is no number; the line %s is left out, or HAProxy does not start", v.Name, v.Value, s.directive), "a whole number above 0")
	}
}

// variablesPile compares the tunnel time-out of the variables with their reloads,
// where either is set.
func (k *checker) variablesPile(path string, values map[string]string) {
	tunnel, own := readTime(values["ROUTER_DEFAULT_TUNNEL_TIMEOUT"])
	between, set := goSeconds(values["RELOAD_INTERVAL"], time.Second-1)
	if !own && !set {
		return
	}
	idle := tunnel.Seconds()
	if !own {
		idle = k.number("ocp.router.tunnelTimeout")
	}
	if !set {
		between = k.number("ocp.router.reloadInterval")
	}
	k.pile(path, idle, between, values["ROUTER_HARD_STOP_AFTER"])
}
