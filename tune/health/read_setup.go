package health

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/facts"
	"plimsoll.dev/object"
	"plimsoll.dev/tune/era"
)

// defaultTakes is how long things take unless a script says so.
func defaultTakes() takes {
	f := func(name string) int64 { return int64(facts.Load().Must("tune.health." + name).Number) }
	return takes{provision: f("provision"), join: f("join"), ready: 0, drain: f("drain"), terminate: f("terminate"), grace: f("monitorGrace")}
}

// digits are a number that maxUnhealthy means as one.
var digits = regexp.MustCompile(`^-?[0-9]+$`)

func (r *reader) check() {
	w, ok := r.next("a name, or file and a path")
	if !ok {
		return
	}
	if w.text == "file" && !w.quoted {
		r.checkFile()
		return
	}
	c := scriptCheck{line: r.line}
	c.mhc.Metadata = openshift.ObjectMeta{Name: w.text, Namespace: openshift.NamespaceMachines, Annotations: map[string]string{}}
	for r.more() {
		if !r.checkWord(&c.mhc) {
			return
		}
	}
	r.addCheck(w, c)
}

func (r *reader) addCheck(w word, c scriptCheck) {
	if r.checks[c.mhc.Metadata.Name] {
		r.bad(w, fmt.Sprintf("there are two checks %q", c.mhc.Metadata.Name), "give each a name of its own")
		return
	}
	if len(r.s.checks) >= maxChecks {
		r.bad(w, fmt.Sprintf("there are more than %d checks", maxChecks), "play fewer at once")
		return
	}
	r.checks[c.mhc.Metadata.Name] = true
	r.s.checks = append(r.s.checks, c)
}

// checkWord reads one of the properties of a check.
func (r *reader) checkWord(mhc *openshift.MachineHealthCheck) bool {
	w, _ := r.next("")
	switch w.text {
	case "selector":
		return r.selector(&mhc.Spec.Selector)
	case "maxUnhealthy":
		v, ok := r.limit()
		mhc.Spec.MaxUnhealthy = v
		return ok
	case "startup":
		v, ok := r.next("a duration")
		mhc.Spec.NodeStartupTimeout = &v.text
		return ok
	case "ready-false", "ready-unknown", "condition":
		return r.unhealthy(mhc, w.text)
	case "external":
		for _, e := range era.All() {
			mhc.Metadata.Annotations[external.In(e).key] = external.In(e).value
		}
		return true
	case "paused":
		mhc.Metadata.Annotations[AnnotationPaused] = ""
		return true
	}
	r.bad(w, fmt.Sprintf("a check has no %q", w.text), "write selector, maxUnhealthy, ready-false, ready-unknown, condition, startup, external or paused")
	return false
}

func (r *reader) unhealthy(mhc *openshift.MachineHealthCheck, kind string) bool {
	c := openshift.UnhealthyCondition{Type: "Ready", Status: "False"}
	switch kind {
	case "ready-unknown":
		c.Status = "Unknown"
	case "condition":
		w, ok := r.next("TYPE=STATUS")
		if !ok {
			return false
		}
		if c.Type, c.Status, ok = strings.Cut(w.text, "="); !ok {
			r.bad(w, fmt.Sprintf("%q is not a condition", w.text), "write TYPE=STATUS, Ready=False for example")
			return false
		}
	}
	w, ok := r.next("a timeout such as 300s")
	c.Timeout = w.text
	mhc.Spec.UnhealthyConditions = append(mhc.Spec.UnhealthyConditions, c)
	return ok
}

// limit reads maxUnhealthy: digits are a number, everything else is text.
func (r *reader) limit() (any, bool) {
	w, ok := r.next("a number or a percentage")
	if n, err := strconv.ParseInt(w.text, 10, 64); err == nil && !w.quoted && digits.MatchString(w.text) {
		return n, ok
	}
	return w.text, ok
}

// longKeys are the short words for the labels of machines.
var longKeys = map[string]string{"role": LabelMachineRole, "type": LabelMachineType, "set": LabelMachineSet}

func (r *reader) selector(s *openshift.LabelSelector) bool {
	w, ok := r.next("labels such as role=worker, or everything")
	if !ok || w.text == "everything" {
		return ok
	}
	s.MatchLabels = map[string]string{}
	for part := range strings.SplitSeq(w.text, ",") {
		if !r.labelOf(w, part, s.MatchLabels) {
			return false
		}
	}
	return true
}

// labelOf reads K=V into labels.
func (r *reader) labelOf(w word, text string, labels map[string]string) bool {
	key, value, ok := strings.Cut(text, "=")
	if !ok || key == "" {
		r.bad(w, fmt.Sprintf("%q is not a label", text), "write KEY=VALUE, role=worker for example")
		return false
	}
	if long := longKeys[key]; long != "" {
		key = long
	}
	labels[key] = value
	return true
}

// checkFile reads the checks of a manifest.
func (r *reader) checkFile() {
	w, ok := r.next("the path of a manifest")
	if !ok {
		return
	}
	if r.open == nil {
		r.bad(w, "a script that is not a file can't name other files", "write the check into the script")
		return
	}
	text, err := r.open(w.text)
	if err != nil {
		r.bad(w, fmt.Sprintf("%s can't be read: %v", w.text, err), "name a file beside the script")
		return
	}
	objects, problems := object.Split(w.text, text)
	for _, p := range problems {
		r.bad(w, p.Error(), "")
	}
	list, _ := object.All[openshift.MachineHealthCheck](objects, "MachineHealthCheck")
	if len(list) == 0 && len(problems) == 0 {
		r.bad(w, w.text+" has no MachineHealthCheck", "name a manifest that has one")
	}
	for _, t := range list {
		r.addCheck(w, scriptCheck{mhc: t.Value, object: t.Object, line: r.line})
	}
}

// group reads machines that are alike.
func (r *reader) group() {
	list, w, ok := r.names("machines")
	if !ok {
		return
	}
	m := scriptMachine{labels: map[string]string{}, phase: Running}
	for r.more() {
		if !r.groupWord(&m) {
			return
		}
	}
	if len(r.s.machines)+len(list) > maxMachines {
		r.bad(w, fmt.Sprintf("there are more than %d machines", maxMachines), "name fewer")
		return
	}
	if m.owner == controlPlaneKind {
		r.sets[m.role] = true
	}
	for _, name := range list {
		if r.machines[name] {
			r.bad(w, fmt.Sprintf("there are two machines %q", name), "give each a name of its own")
			return
		}
		r.machines[name] = true
		m.name = name
		r.s.machines = append(r.s.machines, m)
	}
}

// groupWord reads one of the properties of machines.
func (r *reader) groupWord(m *scriptMachine) bool {
	w, _ := r.next("")
	v, ok := r.next("a value of " + w.text)
	if !ok {
		return false
	}
	switch w.text {
	case "role":
		m.role = v.text
		m.labels[LabelMachineRole], m.labels[LabelMachineType] = v.text, v.text
	case "set":
		m.set = v.text
		m.labels[LabelMachineSet] = v.text
		r.sets[v.text] = true
	case "owner":
		if v.text == machineSetKind {
			r.bad(v, "which machine set owns the machines is missing", "write set and its name")
			return false
		}
		m.owner = v.text
	case "label":
		return r.labelOf(v, v.text, m.labels)
	case "phase":
		if v.text != Running && v.text != Provisioning {
			r.bad(v, fmt.Sprintf("machines do not begin in phase %q", v.text), "write Running or Provisioning")
			return false
		}
		m.phase = v.text
	default:
		r.bad(w, fmt.Sprintf("machines have no %q", w.text), "write role, set, owner, label or phase")
		return false
	}
	return true
}

func (r *reader) takesLine() { r.s.takes, _ = r.readTakes(r.s.takes) }

// readTakes changes some of the times.
func (r *reader) readTakes(t takes) (takes, bool) {
	fields := map[string]*int64{"provision": &t.provision, "join": &t.join, "ready": &t.ready, "drain": &t.drain, "terminate": &t.terminate, "grace": &t.grace}
	for first := true; first || r.more(); first = false {
		w, ok := r.next("provision, join, ready, drain, terminate or grace")
		if !ok {
			return t, false
		}
		field := fields[w.text]
		if field == nil {
			r.bad(w, fmt.Sprintf("%q takes no time here", w.text), "write provision, join, ready, drain, terminate or grace")
			return t, false
		}
		if (w.text == "provision" || w.text == "join") && r.take("never") {
			*field = never
			continue
		}
		if *field, ok = r.span("a time"); !ok {
			return t, false
		}
	}
	if t.join < t.provision {
		r.bad(r.words[0], fmt.Sprintf("a machine joins after %s, before it is provisioned after %s", clock(t.join), clockOrNever(t.provision)), "count join from the machine's creation")
		return t, false
	}
	return t, true
}

func clockOrNever(at int64) string {
	if at >= never {
		return "never"
	}
	return clock(at)
}
