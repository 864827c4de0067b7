package health

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/strict"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/unit"
)

// reader turns a document into a script, and finds what relates several of its fields.
type reader struct {
	s    *Script
	tree *yamlpos.Tree
	open func(path string) ([]byte, error)
	bad  yamlpos.Problems

	machines, sets, checks map[string]bool
	named                  int // names so far
}

// Read reads a v1alpha1.HealthScenario. open reads the files that it names; nil allows
// none. The problems are all that there are, in the order of their positions.
func Read(name string, text []byte, open func(path string) ([]byte, error)) (*Script, yamlpos.Problems) {
	if len(text) > maxScript || !utf8.Valid(text) {
		return nil, yamlpos.Problems{{File: name, Line: 1, Col: 1,
			What: "the scenario is longer than 1 MiB, or no UTF-8 text", Fix: "write one scenario"}}
	}
	tree, bad := yamlpos.Parse(name, text)
	r := &reader{s: &Script{Name: name, budget: maxWork}, tree: tree, open: open, bad: bad,
		machines: map[string]bool{}, sets: map[string]bool{}, checks: map[string]bool{}}
	if len(bad) == 0 {
		var in v1alpha1.HealthScenario
		d := strict.New[v1alpha1.HealthScenario](nil)
		d.Most = strict.Sensible
		if r.bad = d.Decode(tree, &in); len(r.bad) == 0 {
			r.read(&in)
		}
	}
	r.bad.Sort()
	r.bad.TakeExcerpts(text, 1, 1)
	if len(r.bad) > 0 {
		return nil, r.bad
	}
	return r.s, nil
}

// read takes what there is before what happens to it.
func (r *reader) read(in *v1alpha1.HealthScenario) {
	r.s.Title, r.s.Releases, r.s.until = in.Title, releases(in.Releases), int64(in.Until)
	for i := range in.Checks {
		r.check(path("checks", i), &in.Checks[i])
	}
	for i := range in.Machines {
		r.group(path("machines", i), &in.Machines[i])
	}
	r.s.takes = r.times("takes", &in.Takes, defaultTakes())
	takes := r.s.takes
	for i := range in.Events {
		takes = r.event(path("events", i), &in.Events[i], takes)
	}
	slices.SortStableFunc(r.s.events, func(a, b scriptEvent) int { return int(min(max(a.at-b.at, -1), 1)) })
	for i := range in.Expect {
		r.expect(path("expect", i), &in.Expect[i])
	}
}

// path is that of an item of a list.
func path(list string, i int) string { return fmt.Sprintf("%s[%d]", list, i) }

// releases are those of names that are known.
func releases(names []string) []release.Release {
	var out []release.Release
	for _, n := range names {
		r, _ := release.ParseName(n)
		out = append(out, r)
	}
	return out
}

// wrong takes a problem with a field.
func (r *reader) wrong(path, what, fix string) { r.bad.Add(r.tree.Problem(path, what, fix)) }

// line is where a field begins.
func (r *reader) line(path string) int {
	line, _ := r.tree.At(path)
	return line
}

// one demands that one of some fields below a path is set, and tells which is.
func (r *reader) one(path, what string, fields ...string) string {
	var set []string
	for _, f := range fields {
		if r.tree.Has(path + "." + f) {
			set = append(set, f)
		}
	}
	switch len(set) {
	case 1:
		return set[0]
	case 0:
		r.wrong(path, what+": it is missing", "add "+strings.Join(fields, ", or "))
	default:
		r.wrong(path, what+", not "+strings.Join(set, " and "), "leave all but one out")
	}
	return ""
}

// only demands that no fields below a path are set but some.
func (r *reader) only(path, with string, fields ...string) {
	node := r.tree.Node(path)
	for _, e := range node.Entries {
		if !slices.Contains(fields, e.Key) {
			r.wrong(path+"."+e.Key, "it does not go with "+with, "remove it, or make an item of its own")
		}
	}
}

// names are single machines of a text with ranges; empty after a problem.
func (r *reader) names(path, text string) []string {
	list, err := expand(text)
	if r.named += len(list); err == nil && r.named > maxNames {
		err = fmt.Errorf("the scenario names machines more than %d times", maxNames)
	}
	if err != nil {
		r.wrong(path, err.Error(), "write names such as worker-[1-3],infra-1")
		return nil
	}
	return list
}

// known are names of machines that there are, or that a set may make.
func (r *reader) known(path, text string) []string {
	list := r.names(path, text)
	for _, name := range list {
		stem, n := numbered(name)
		set, made := strings.CutSuffix(stem, "-r")
		if !r.machines[name] && !(made && n > 0 && r.sets[set]) {
			r.wrong(path, fmt.Sprintf("there is no machine %q", name), "name one of machines, or one that a set makes: SET-r1")
		}
	}
	return list
}

// has demands that a set or a check is there.
func (r *reader) has(path, what, name string, among map[string]bool) {
	if !among[name] {
		known := strings.Join(slices.Sorted(maps.Keys(among)), ", ")
		r.wrong(path, fmt.Sprintf("there is no %s %q", what, name), "name one of "+known)
	}
}

// defaultTakes is how long things take unless a scenario says so.
func defaultTakes() takes {
	f := func(name string) int64 { return int64(facts.Load().Must("tune.health." + name).Number) }
	return takes{provision: f("provision"), join: f("join"), drain: f("drain"), terminate: f("terminate"),
		grace: f("monitorGrace")}
}

// times changes some of the times.
func (r *reader) times(path string, in *v1alpha1.HealthTimes, t takes) takes {
	set := func(at *int64, d *unit.Duration) {
		if d != nil {
			*at = int64(*d)
		}
	}
	set(&t.provision, in.Provision)
	set(&t.join, in.Join)
	set(&t.ready, in.Ready)
	set(&t.drain, in.Drain)
	set(&t.terminate, in.Terminate)
	set(&t.grace, in.Grace)
	if t.join < t.provision {
		what := fmt.Sprintf("a machine joins after %s, before it is provisioned after %s", clock(t.join), clock(t.provision))
		r.wrong(path, what, "count join from the machine's creation")
	}
	return t
}

// longKeys are the short words for the labels of machines.
var longKeys = map[string]string{"role": LabelMachineRole, "type": LabelMachineType, "set": LabelMachineSet}

// check reads a check of the scenario's own, or those of a manifest.
func (r *reader) check(at string, in *v1alpha1.HealthCheck) {
	switch r.one(at, "a check has a name, or a file", "name", "file") {
	case "file":
		r.only(at, "file", "file")
		r.manifest(at, in.File)
	case "name":
		r.limit(at, in.MaxUnhealthy)
		r.addCheck(at, scriptCheck{mhc: ownCheck(in), line: r.line(at)})
	}
}

// ownCheck is the manifest of a check that is written into a scenario.
func ownCheck(in *v1alpha1.HealthCheck) openshift.MachineHealthCheck {
	var mhc openshift.MachineHealthCheck
	mhc.Metadata = openshift.ObjectMeta{Name: in.Name, Namespace: openshift.NamespaceMachines,
		Annotations: map[string]string{}}
	mhc.Spec = openshift.MachineHealthCheckSpec{MaxUnhealthy: in.MaxUnhealthy, NodeStartupTimeout: in.NodeStartupTimeout}
	mhc.Spec.Selector.MatchLabels = longLabels(in.Selector)
	for _, c := range in.UnhealthyConditions {
		mhc.Spec.UnhealthyConditions = append(mhc.Spec.UnhealthyConditions, openshift.UnhealthyCondition(c))
	}
	if in.External {
		for _, r := range release.Documented() {
			mhc.Metadata.Annotations[external.In(r).key] = external.In(r).value
		}
	}
	if in.Paused {
		mhc.Metadata.Annotations[AnnotationPaused] = ""
	}
	return mhc
}

// longLabels are labels with the long keys for the short words.
func longLabels(labels map[string]string) map[string]string {
	out := map[string]string{}
	for key, value := range labels {
		out[cmp.Or(longKeys[key], key)] = value
	}
	return out
}

func (r *reader) addCheck(at string, c scriptCheck) {
	name := c.mhc.Metadata.Name
	switch {
	case r.checks[name]:
		r.wrong(at, fmt.Sprintf("there are two checks %q", name), "give each a name of its own")
	case len(r.s.checks) == maxChecks:
		r.wrong(at, fmt.Sprintf("there are more than %d checks", maxChecks), "play fewer at once")
	default:
		r.checks[name] = true
		r.s.checks = append(r.s.checks, c)
	}
}

// limit demands that maxUnhealthy is a whole number, text, or nothing.
func (r *reader) limit(path string, value any) {
	switch value.(type) {
	case int64, string, nil:
	default:
		r.wrong(path+".maxUnhealthy", "it is neither a whole number nor text", `write 2, 40% or "2"`)
	}
}

// manifest reads the checks of a file.
func (r *reader) manifest(at, file string) {
	at += ".file"
	if r.open == nil {
		r.wrong(at, "a scenario that is not a file can't name other files", "write the check into the scenario")
		return
	}
	text, err := r.open(file)
	if err != nil {
		r.wrong(at, fmt.Sprintf("%s can't be read: %v", file, err), "name a file beside the scenario")
		return
	}
	objects, problems := object.Split(file, text)
	for _, p := range problems {
		r.wrong(at, p.Error(), "")
	}
	list, _ := object.All[openshift.MachineHealthCheck](objects, "MachineHealthCheck")
	if len(list) == 0 && len(problems) == 0 {
		r.wrong(at, file+" has no MachineHealthCheck", "name a manifest that has one")
	}
	for _, t := range list {
		r.addCheck(at, scriptCheck{mhc: t.Value, object: t.Object, line: r.line(at)})
	}
}

// group reads machines that are alike.
func (r *reader) group(at string, in *v1alpha1.HealthMachines) {
	m := scriptMachine{set: in.Set, owner: in.Owner, role: in.Role, labels: longLabels(in.Labels),
		phase: cmp.Or(in.Phase, Running)}
	if m.role != "" {
		m.labels[LabelMachineRole], m.labels[LabelMachineType] = m.role, m.role
	}
	if m.set != "" {
		m.labels[LabelMachineSet], r.sets[m.set] = m.set, true
	}
	switch m.owner {
	case machineSetKind:
		r.wrong(at+".owner", "which machine set owns the machines is missing", "write set and its name")
	case controlPlaneKind:
		r.sets[m.role] = true
	}
	list := r.names(at+".names", in.Names)
	if len(r.s.machines)+len(list) > maxMachines {
		r.wrong(at+".names", fmt.Sprintf("there are more than %d machines", maxMachines), "name fewer")
		return
	}
	for _, name := range list {
		if r.machines[name] {
			r.wrong(at+".names", fmt.Sprintf("there are two machines %q", name), "give each a name of its own")
			return
		}
		r.machines[name], m.name = true, name
		r.s.machines = append(r.s.machines, m)
	}
}
