package haproxy

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// workload checks the variables of a router's pods.
func (k *checker) workload(w workload) {
	for i, c := range w.Spec.Template.Spec.Containers {
		if !slices.ContainsFunc(c.Env, func(v variable) bool { return strings.HasPrefix(v.Name, "ROUTER_") }) {
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

// version is that of the objects' routers: a DeploymentConfig is 3.x's.
func (k *checker) version() version {
	if k.object.Kind == "DeploymentConfig" {
		return version{three: true}
	}
	return version{minor: k.release.Minor()}
}

// variable checks a variable of the router.
func (k *checker) variable(path string, v variable) {
	i := slices.IndexFunc(settings, func(s setting) bool { return s.variable == v.Name })
	if i < 0 || v.Value == "" {
		return
	}
	s := settings[i]
	if k.object.Kind == "Deployment" && environmentLost.In(k.release) && k.object.Namespace == "openshift-ingress" {
		where := "leave it out: no field has it"
		if field := k.version().where(s); field != "" {
			where = "set it in the IngressController: " + field
		}
		k.find(ruleLost, path, v.Name+" of a router's deployment is overwritten by the Ingress Operator",
			where)
	}
	switch {
	case !k.version().reads(s):
		k.find(ruleUnread, path, fmt.Sprintf("%s is not read by the router's template", v.Name),
			fmt.Sprintf("leave it out; the first release that reads it is %s", s.variableSince))
	case s.kind == interval:
		k.reloadVariable(path, v)
	case s.kind == duration:
		k.timeVariable(path, s, v)
	default:
		k.countVariable(path, s, v)
	}
}

// timeVariable checks a time of HAProxy: the template takes the default for what is
// none, and shortens the hard stop alone when it is too long.
func (k *checker) timeVariable(path string, s setting, v variable) {
	usual, most := "nothing", k.time("ocp.router.timeMax")
	if s.usual != "" {
		usual = s.write(k.c.Must(s.usual).Value())
	}
	switch d, ok := readTime(v.Value); {
	case !ok:
		k.find(ruleReplaced, path, fmt.Sprintf("%s=%s is no time of HAProxy; %s is taken", v.Name, v.Value, usual),
			"a whole number above 0 with one unit: 1500ms, 90s, 1h")
	case d > most && s.name == hardStopName:
		k.find(ruleClamped, path, fmt.Sprintf("%s=%s is longer than HAProxy can count; %s is taken", v.Name, v.Value, most),
			"24d or less")
	case d > most:
		k.find(ruleRefused, path, fmt.Sprintf("%s=%s is longer than HAProxy can count: it refuses the configuration, "+
			"or (1.8) takes another time", v.Name, v.Value), "24d or less")
	}
}

// reloadVariable checks RELOAD_INTERVAL, which is a Go duration.
func (k *checker) reloadVariable(path string, v variable) {
	d, err := time.ParseDuration(v.Value)
	switch {
	case err != nil:
		k.find(ruleReplaced, path, fmt.Sprintf("%s=%s is no duration; %s is taken", v.Name, v.Value,
			haproxyTime(k.number("ocp.router.reloadInterval"))), "a number with a unit up to hours: 30s, 2m")
	case d < time.Second:
		k.find(ruleStart, path, fmt.Sprintf("%s=%s is less than 1s", v.Name, v.Value), "1s or more")
	}
}

// digits are what the template takes for a number of threads.
var digits = regexp.MustCompile(`^[1-9][0-9]*$`)

// countVariable checks a number. The template leaves out threads that are none, and
// from 4.9 on connections; buffers go to HAProxy as they are.
func (k *checker) countVariable(path string, s setting, v variable) {
	n, err := strconv.Atoi(v.Value)
	left := fmt.Sprintf("the line %s is left out", s.directive)
	most := bufferMax
	switch s.name {
	case "maxConnections":
		if err == nil || v.Value == "auto" {
			return
		}
		if k.version().three || !connectionsChecked.In(k.release) {
			left = "HAProxy takes the digits that it begins with"
		}
		k.find(ruleReplaced, path, fmt.Sprintf("%s=%s is no number; %s", v.Name, v.Value, left), "a whole number above 0")
		return
	case "threadCount":
		if !digits.MatchString(v.Value) {
			k.find(ruleReplaced, path, fmt.Sprintf("%s=%s is no number above 0; %s", v.Name, v.Value, left),
				"a whole number above 0")
			return
		}
		most = s.most
	}
	if err != nil || n < 1 || float64(n) > k.number(most) {
		k.find(ruleRefused, path, fmt.Sprintf("%s=%s: HAProxy does not start", v.Name, v.Value),
			fmt.Sprintf("1 to %.0f", k.number(most)))
	}
}

// variablesPile compares the tunnel time-out of the variables with their reloads,
// where either is set.
func (k *checker) variablesPile(path string, values map[string]string) {
	tunnel, own := readTime(values["ROUTER_DEFAULT_TUNNEL_TIMEOUT"])
	stop, _ := readTime(values["ROUTER_HARD_STOP_AFTER"])
	if !k.version().reads(settingOf(hardStopName)) {
		stop = 0
	}
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
	k.pile(path, idle, between, stop)
}
