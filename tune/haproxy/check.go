package haproxy

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
)

// Check looks at IngressControllers, and at the variables of routers in Deployments
// and DeploymentConfigs. The latter are 3.x's own and have no release.
func Check(objects []*object.Object, r release.Release) []v1alpha1.Finding {
	k := &checker{release: r, c: facts.Load()}
	controllers, _ := object.All[openshift.IngressController](objects, "IngressController")
	for _, o := range controllers {
		k.object = o.Object
		k.controller(o.Value)
	}
	for _, kind := range []string{"Deployment", "DeploymentConfig"} {
		list, _ := object.All[workload](objects, kind)
		for _, o := range list {
			k.object = o.Object
			k.workload(o.Value)
		}
	}
	return k.found
}

// workload is what Check reads of a Deployment or DeploymentConfig.
type workload struct {
	Spec struct {
		Template struct {
			Spec struct {
				Containers []struct {
					Env []variable `json:"env,omitempty"`
				} `json:"containers,omitempty"`
			} `json:"spec,omitempty"`
		} `json:"template,omitempty"`
	} `json:"spec,omitempty"`
}

// variable of a container's environment.
type variable struct {
	Name  string `json:"name"`
	Value string `json:"value,omitempty"`
}

type checker struct {
	release release.Release
	c       *facts.Catalogue
	object  *object.Object
	found   []v1alpha1.Finding
}

func (k *checker) find(r object.Rule, path, what, fix string) {
	k.found = append(k.found, k.object.Finding(r, path, what, fix))
}

func (k *checker) number(id string) float64 { return k.c.Must(id).Number }

// time is a fact in seconds, to the millisecond.
func (k *checker) time(id string) time.Duration {
	return time.Duration(math.Round(k.number(id)*1000)) * time.Millisecond
}

// controller checks an IngressController.
func (k *checker) controller(ic openshift.IngressController) {
	const options = "spec.tuningOptions"
	k.annotation(ic)
	if len(ic.Spec.TuningOptions) == 0 {
		return
	}
	if !hasTuning.In(k.release) {
		k.find(ruleNoTuning, options, fmt.Sprintf("tuningOptions are not known to OpenShift %s and are dropped", k.release),
			"leave them out; the first came with 4.8")
		return
	}
	for _, name := range slices.Sorted(maps.Keys(ic.Spec.TuningOptions)) {
		k.option(options+"."+name, name, ic.Spec.TuningOptions[name])
	}
	k.buffers(options, ic.Spec.TuningOptions)
	k.pileUp(ic)
}

// others are fields that no advice speaks of.
var others = map[string]kind{"healthCheckInterval": duration}

// option checks one tuning option.
func (k *checker) option(path, name string, value any) {
	if name == "configurationManagement" {
		if !slices.Contains([]any{"Dynamic", "ForkAndReload"}, value) {
			k.find(ruleRange, path, fmt.Sprintf("%s is %s", name, shown(value)), "Dynamic or ForkAndReload")
		}
		return
	}
	s := settingOf(name)
	other, known := others[name]
	switch {
	case known:
		s.kind = other
	case s.field == "":
		k.find(ruleUnknown, path, fmt.Sprintf("%s is no tuning option and is dropped", name),
			"one of "+strings.Join(fields(), ", "))
		return
	}
	if s.kind == duration || s.kind == interval {
		k.duration(path, s, value)
		return
	}
	n, ok := value.(int64)
	if !ok {
		k.find(ruleType, path, fmt.Sprintf("%s is %s, not a whole number", name, shown(value)),
			"a whole number without quotes")
		return
	}
	if name == "maxConnections" && (n == 0 || n == -1) {
		return // the default, and as many as the limits of the container allow
	}
	low, high := k.number(s.least), float64(math.MaxInt32)
	if s.most != "" {
		high = k.number(s.most)
	}
	switch {
	case float64(n) < low || float64(n) > high:
		k.find(ruleRange, path, fmt.Sprintf("%s is %d", name, n), k.rangeText(s))
	case s.name == bufferName && float64(n) > k.number(bufferMax):
		k.find(ruleRefused, path, fmt.Sprintf("%s is %d, with which HAProxy does not start", name, n), k.rangeText(s))
	}
}

// rangeText says which values an option may have.
func (k *checker) rangeText(s setting) string {
	most := cmp.Or(s.most, bufferMax)
	out := fmt.Sprintf("%.0f to %.0f", k.number(s.least), k.number(most))
	if s.name == "maxConnections" {
		out += ", 0 for the default, -1 for as many as the container's limits allow"
	}
	return out
}

// fields are the names of all tuning options.
func fields() []string {
	out := []string{"configurationManagement", "healthCheckInterval"}
	for _, s := range settings {
		if s.field != "" {
			out = append(out, s.field)
		}
	}
	slices.Sort(out)
	return out
}

// shown is a value for a message.
func shown(v any) string {
	switch v := v.(type) {
	case string:
		return fmt.Sprintf("%q", v)
	case nil:
		return "empty"
	}
	return fmt.Sprint(v)
}

// buffers demands room for headers.
func (k *checker) buffers(path string, options map[string]any) {
	size, rewrite := k.number("ocp.router.bufferSize"), k.number("ocp.router.maxRewriteSize")
	at := path
	for name, to := range map[string]*float64{"headerBufferBytes": &size, "headerBufferMaxRewriteBytes": &rewrite} {
		if n, ok := options[name].(int64); ok && n > 0 {
			*to, at = float64(n), path+"."+name
		}
	}
	if options["headerBufferBytes"] != nil {
		at = path + ".headerBufferBytes"
	}
	if size <= rewrite {
		k.find(ruleBuffer, at, fmt.Sprintf("a buffer of %.0f bytes has no room beside the %.0f that are kept for rewriting",
			size, rewrite), fmt.Sprintf("more than %.0f; the largest header is the difference", rewrite))
	}
}
