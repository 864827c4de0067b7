package audit

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/object"
	"plimsoll.dev/tune/pool"
	"plimsoll.dev/tune/profile"
	"plimsoll.dev/tune/tuned"
)

// tunedTests are about the profiles of TuneD on nodes, and what load tests have left.
var tunedTests = []test{{noDefaultInclude, (*look).noDefaultInclude}, {profileWrong, (*look).profileWrong},
	{notApplied, (*look).notApplied}, {tunedNotRunning, (*look).tunedNotRunning}, {leftovers, (*look).leftovers}}

// tunedSettles is how long a node that has joined, or got another profile, is given until it has it.
const tunedSettles = 10 * time.Minute

// tuneds are the Tuned CRs.
func (c *Cloud) tuneds() []object.Typed[openshift.Tuned] {
	list, _ := object.All[openshift.Tuned](c.Settings, "Tuned")
	return list
}

// lineage are the texts of all profiles that CRs define, by name.
type lineage map[string]string

func (c *Cloud) lineage() lineage {
	out := lineage{}
	for _, t := range c.tuneds() {
		for _, p := range t.Value.Spec.Profile {
			if p.Name != nil && p.Data != nil {
				out[*p.Name] = *p.Data
			}
		}
	}
	return out
}

// fromOpenShift says whether a profile is one of OpenShift's own, or includes one. Names that the node works out, which
// are not known here, count as that.
func (t lineage) fromOpenShift(name string, seen map[string]bool) bool {
	text, defined := t[name]
	switch {
	case !defined:
		return strings.HasPrefix(name, "openshift")
	case seen[name]:
		return false
	}
	seen[name] = true
	file, _ := tuned.Parse(tuned.Source{Body: text})
	for _, s := range file.Sections {
		for _, o := range s.Options {
			if s.Name != "main" || o.Key != "include" {
				continue
			}
			for _, parent := range strings.FieldsFunc(o.Value, func(r rune) bool { return strings.ContainsRune(", \t;", r) }) {
				if strings.Contains(parent, "${") || t.fromOpenShift(strings.TrimPrefix(parent, "-"), seen) {
					return true
				}
			}
		}
	}
	return file.Refused
}

func (l *look) noDefaultInclude() {
	texts := l.lineage()
	var bad []where
	for _, t := range l.tuneds() {
		if t.Name == profile.DefaultName || profile.IsSum(t.Object, l.Release) {
			continue
		}
		for _, r := range t.Value.Spec.Recommend {
			if r.Profile == nil || texts[*r.Profile] == "" { // what is defined nowhere is told by tune
				continue
			}
			one := at("Tuned", t.Namespace+"/"+t.Name, "profile %s", *r.Profile)
			if !texts.fromOpenShift(*r.Profile, map[string]bool{}) && !slices.Contains(bad, one) {
				bad = append(bad, one)
			}
		}
	}
	if len(bad) > 0 {
		l.find(bad, "add include=openshift-node to its [main], of the control plane include=openshift-control-plane",
			"it includes none of the profiles of OpenShift")
	}
}

// profileWrong compares what the operator has chosen with what the Tuned CRs say.
func (l *look) profileWrong() {
	chosen := map[string]string{}
	for _, p := range l.Profiles {
		chosen[p.Metadata.Name] = p.Spec.Config.TunedProfile
	}
	pools, _ := object.All[openshift.MachineConfigPool](l.Settings, "MachineConfigPool")
	in := profile.Input{Tuneds: l.tuneds(), Pools: pool.Complete(object.Values(pools), l.Release), Release: l.Release,
		Stored: true}
	for i := range l.Nodes {
		n := &l.Nodes[i]
		in.Nodes = append(in.Nodes, profile.Node{Name: n.Metadata.Name, Labels: n.Metadata.Labels,
			Profile: chosen[n.Metadata.Name]})
	}
	for i := range l.Pods {
		p := &l.Pods[i]
		if p.Node != "" {
			in.Pods = append(in.Pods, profile.Pod{Namespace: p.Namespace, Name: p.Name, Node: p.Node, Labels: p.Labels})
		}
	}
	if len(in.Tuneds) == 0 || len(l.Profiles) == 0 {
		l.notApplicable("the Node Tuning Operator has no Tuned or no Profile")
		return
	}
	x := profile.Explain(in)
	if x.Frozen != "" { // tune tells of that
		return
	}
	var bad []where
	for i, n := range x.Nodes {
		has := chosen[n.Name]
		if n.Class < 0 || has == "" || has == n.Profile || l.Now.Sub(l.Nodes[i].Metadata.Created) < tunedSettles {
			continue
		}
		bad = append(bad, at("Node", n.Name, "%s instead of %s", has, n.Profile))
	}
	if len(bad) > 0 {
		l.find(bad, "oc -n "+openshift.NamespaceTuned+" logs deployment/cluster-node-tuning-operator; plimsoll tune explain "+
			"says why a node should have another", "the operator has chosen another profile than the Tuned objects say")
	}
}

// notApplied finds profiles that a node does not have, or that are degraded, by the reason that the operator gives.
func (l *look) notApplied() {
	if len(l.Profiles) == 0 {
		l.notApplicable("the Node Tuning Operator has no Profile")
		return
	}
	by := map[string][]where{}
	var order []string
	for i := range l.Profiles {
		p := &l.Profiles[i]
		why := l.unlike(p)
		if why == "" {
			continue
		}
		if by[why] == nil {
			order = append(order, why)
		}
		by[why] = append(by[why], at("Profile", p.path(), "%s", p.Spec.Config.TunedProfile))
	}
	for _, why := range order {
		severity := v1alpha1.Error
		if strings.HasSuffix(why, "TunedSysctlOverride") || strings.HasSuffix(why, "TunedWarning") ||
			strings.HasSuffix(why, "Deferred") { // the profile is there, or comes with the next reboot
			severity = v1alpha1.Warning
		}
		l.findAs(severity, by[why], "oc -n "+openshift.NamespaceTuned+" describe profile "+nameOf(l.told(by[why])[0])+
			", and the log of the pod of TuneD on that node", "%s", why)
	}
}

// nameOf an object, without kind and namespace.
func nameOf(w where) string { return w.object[strings.LastIndex(w.object, "/")+1:] }

// unlike says in what a node is unlike its profile; empty where it is like it, or not yet.
func (l *look) unlike(p *Profile) string {
	applied, degraded := p.Status.Conditions.of("Applied"), p.Status.Conditions.of("Degraded")
	old := func(c Condition) bool { return l.Now.Sub(c.LastTransitionTime) >= tunedSettles }
	switch {
	case degraded.Status == "True" && old(degraded):
		return strings.TrimSpace("degraded: " + degraded.Reason)
	case applied.Status != "" && applied.Status != "True" && old(applied):
		return strings.TrimSpace("not applied: " + applied.Reason)
	case applied.Status == "" && p.Status.TunedProfile != "" && p.Spec.Config.TunedProfile != "" &&
		p.Status.TunedProfile != p.Spec.Config.TunedProfile:
		return "the node has profile " + p.Status.TunedProfile
	}
	return ""
}

// tunedNotRunning finds nodes of Linux without TuneD's pod.
func (l *look) tunedNotRunning() {
	running, there := map[string]bool{}, false
	for i := range l.Pods {
		if p := &l.Pods[i]; p.Namespace == openshift.NamespaceTuned && p.Owner == "DaemonSet/tuned" {
			there = true
			starts := l.Now.Sub(p.Created) < tunedSettles // as with each update of the DaemonSet
			running[p.Node] = running[p.Node] || p.Phase == "Running" || starts
		}
	}
	if !there {
		l.notApplicable("there is no pod of DaemonSet/tuned in %s", openshift.NamespaceTuned)
		return
	}
	var without []where
	for i := range l.Nodes {
		n := &l.Nodes[i]
		os := n.Metadata.Labels["kubernetes.io/os"]
		young := l.Now.Sub(n.Metadata.Created) < tunedSettles
		if !running[n.Metadata.Name] && !young && (os == "" || os == "linux") {
			without = append(without, at("Node", n.Metadata.Name, ""))
		}
	}
	if len(without) > 0 {
		l.find(without, fmt.Sprintf("oc -n %s get pods -o wide, and oc describe of the pod that does not run",
			openshift.NamespaceTuned), "no pod of TuneD runs on it")
	}
}

// runLabel is what a load test of this program gives its namespaces, with the name of its run.
const runLabel = "plimsoll.dev/run"

// leftAfter is the age from which a load test's namespace is taken for left over.
const leftAfter = 24 * time.Hour

func (l *look) leftovers() {
	var left []where
	var runs []string
	for i := range l.Namespaces {
		n := &l.Namespaces[i].Metadata
		run := n.Labels[runLabel]
		if run == "" || l.Now.Sub(n.Created) < leftAfter {
			continue
		}
		left = append(left, at("Namespace", n.Name, "%s", words.Count(int64(l.Now.Sub(n.Created).Hours())/24, "day")))
		if command := "plimsoll load destroy " + words.Quote(run); !slices.Contains(runs, command) {
			runs = append(runs, command)
		}
	}
	if len(left) > 0 {
		l.find(left, strings.Join(runs, "; "), "left by a load test more than a day ago, an age of this program's own choice")
	}
}
