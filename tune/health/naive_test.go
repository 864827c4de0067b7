package health

import (
	"strconv"
	"strings"
	"time"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/release"
	"plimsoll.dev/selector"
)

// naiveVerdict is the table of what becomes of one target, written down row by row:
// "remediate", "recheck" after a time, "error", or "" for what is left.
func naiveVerdict(mhc *openshift.MachineHealthCheck, t Target, now time.Time,
	r release.Release) (string, time.Duration) {
	startup := 10 * time.Minute
	if text := mhc.Spec.NodeStartupTimeout; text != nil && (r == release.V45 || r == release.Current) && *text != "" {
		startup, _ = time.ParseDuration(*text)
	}
	m := t.Machine
	if m.Phase == "Failed" {
		return "remediate", 0
	}
	if m.NodeName == "" {
		if r == release.Current && startup == 0 {
			return "", 0
		}
		if m.LastUpdated.IsZero() {
			if startup > 0 {
				return "recheck", startup
			}
			return "", 0
		}
		if now.After(m.LastUpdated.Add(startup)) {
			return "remediate", 0
		}
		return "recheck", m.LastUpdated.Add(startup).Sub(now) + time.Second
	}
	if t.Node == nil {
		return "remediate", 0
	}
	var soonest time.Duration
	for _, c := range mhc.Spec.UnhealthyConditions {
		timeout, err := time.ParseDuration(c.Timeout)
		if err != nil {
			return "error", 0
		}
		for _, is := range t.Node.Conditions {
			if is.Type != c.Type || is.Status != c.Status {
				continue
			}
			left := is.Since.Add(timeout).Sub(now)
			if left < 0 {
				return "remediate", 0
			}
			if soonest == 0 || left+time.Second < soonest {
				soonest = left + time.Second
			}
		}
	}
	if soonest > time.Hour {
		soonest = time.Hour
	}
	if soonest > 0 {
		return "recheck", soonest
	}
	return "", 0
}

// naiveHealthy says whether a target without a verdict counts as healthy.
func naiveHealthy(t Target, r release.Release) bool {
	if t.Machine.Deleting {
		return false
	}
	if r != release.Current {
		return true
	}
	_, annotated := t.Machine.Annotations["host.metal3.io/external-remediation"]
	return t.Node != nil && !annotated
}

// naiveAllowed is the short circuit.
func naiveAllowed(value any, expected, healthy int, r release.Release) bool {
	unhealthy := expected - healthy
	max, ok := 0, true
	switch v := value.(type) {
	case nil:
		return true
	case int64:
		max = int(v)
	case string:
		percent := r == release.V43
		number := v
		if r == release.V43 || r == release.V44 {
			if strings.Contains(v, "%") {
				percent = true
			}
			number = strings.ReplaceAll(v, "%", "")
		} else if strings.HasSuffix(v, "%") {
			percent = true
			number = v[:len(v)-1]
		}
		n, err := strconv.Atoi(number)
		ok = err == nil
		max = n
		if percent {
			max = n * expected / 100
			if n*expected < 0 && n*expected%100 != 0 {
				max--
			}
		}
	default:
		ok = false
	}
	if r == release.Current && max < 0 {
		max = 0
	}
	return ok && unhealthy <= max
}

// naiveAct is what is done about a target that is due.
func naiveAct(mhc *openshift.MachineHealthCheck, t Target, r release.Release) string {
	machineSet, controller := false, false
	for _, o := range t.Machine.Owners {
		machineSet = machineSet || o.Kind == "MachineSet"
		controller = controller || o.Controller
	}
	external := mhc.Metadata.Annotations["machine.openshift.io/remediation-strategy"] == "external-baremetal"
	mark := "host.metal3.io/external-remediation"
	if r == release.V43 {
		external = mhc.Metadata.Annotations["healthchecking.openshift.io/strategy"] == "reboot"
		mark = "healthchecking.openshift.io/machine-remediation-reboot"
	}
	_, annotated := t.Machine.Annotations[mark]
	master := t.Machine.Labels["machine.openshift.io/cluster-api-machine-role"] == "master"
	if t.Node != nil {
		if _, ok := t.Node.Labels["node-role.kubernetes.io/master"]; ok {
			master = true
		}
	}
	annotate := func() string {
		if annotated {
			return "done"
		}
		return "annotate"
	}
	switch r {
	case release.V43, release.V44:
		if !machineSet {
			return "no owner"
		}
		if external {
			return annotate()
		}
		if master {
			return "master"
		}
		return "delete"
	case release.V45:
		if !controller {
			return "no owner"
		}
		if external {
			return annotate()
		}
		return "delete"
	}
	if len(mhc.Spec.RemediationTemplate) > 0 {
		return "request"
	}
	if external && t.Machine.Phase != "Failed" {
		return annotate()
	}
	if !controller {
		return "no owner"
	}
	if t.Machine.Deleting {
		return "done"
	}
	return "delete"
}

// naivePass is one reconcile by the tables.
type naivePass struct {
	expected, healthy int
	allowed           bool
	verdicts          []string
	next              time.Duration
	acts              map[int]string
	failed            bool
}

func naiveReconcile(mhc *openshift.MachineHealthCheck, targets []Target, now time.Time, r release.Release) naivePass {
	out := naivePass{expected: len(targets), acts: map[int]string{}}
	var due []int
	for i, t := range targets {
		verdict, next := naiveVerdict(mhc, t, now, r)
		out.verdicts = append(out.verdicts, verdict)
		switch verdict {
		case "remediate":
			due = append(due, i)
		case "error":
			out.failed = true
		case "recheck":
			if out.next == 0 || next < out.next {
				out.next = next
			}
		default:
			if naiveHealthy(t, r) {
				out.healthy++
			}
		}
	}
	if out.next > time.Hour {
		out.next = time.Hour
	}
	out.allowed = naiveAllowed(mhc.Spec.MaxUnhealthy, out.expected, out.healthy, r)
	if out.allowed {
		for _, i := range due {
			out.acts[i] = naiveAct(mhc, targets[i], r)
		}
	}
	return out
}

// naiveSelects says whether a check takes a machine.
func naiveSelects(mhc *openshift.MachineHealthCheck, labels map[string]string) bool {
	return selector.Selects(&mhc.Spec.Selector, labels)
}
