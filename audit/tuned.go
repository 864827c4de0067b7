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
	pools, _ := object.All[openshift.MachineConfigPool](l.Settings, "MachineConfigPool")
	in := profile.Input{Tuneds: l.tuneds(), Pools: pool.Complete(object.Values(pools), l.Release), Release: l.Release,
		Stored: true, Now: l.Now}
	for i := range l.Profiles {
		in.Profiles = append(in.Profiles, *l.Profiles[i].asProfile())
	}
	for i := range l.Nodes {
		n := &l.Nodes[i]
		in.Nodes = append(in.Nodes, profile.Node{Name: n.Metadata.Name, Labels: n.Metadata.Labels,
			Created: n.Metadata.Created.Format(time.RFC3339)})
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
	var bad []where
	for i := range x.Nodes {
		if n := &x.Nodes[i]; x.Otherwise(n) {
			bad = append(bad, at("Node", n.Name, "%s instead of %s", n.Reported.Asked, n.Profile))
		}
	}
	if len(bad) > 0 {
		l.find(bad, "oc -n "+openshift.NamespaceTuned+" logs deployment/cluster-node-tuning-operator; plimsoll tune explain "+
			"says why a node should have another", "the operator has chosen another profile than the Tuned objects say")
	}
}

// asProfile is the object as tune reads it.
func (p *Profile) asProfile() *openshift.Profile {
	return &openshift.Profile{Metadata: openshift.ObjectMeta{Name: p.Metadata.Name}, Spec: p.Spec, Status: p.Status}
}

// notApplied finds profiles that a node does not have, or that are degraded, by the reason that the operator gives.
func (l *look) notApplied() {
	if len(l.Profiles) == 0 {
		l.notApplicable("the Node Tuning Operator has no Profile")
		return
	}
	by, severities := map[string][]where{}, map[string]v1alpha1.Severity{}
	var order []string
	for i := range l.Profiles {
		p := &l.Profiles[i]
		why, severity := profile.Unlike(p.asProfile(), l.Now)
		if why == "" {
			continue
		}
		severities[why] = severity
		if by[why] == nil {
			order = append(order, why)
		}
		by[why] = append(by[why], at("Profile", p.path(), "%s", p.Spec.Config.TunedProfile))
	}
	for _, why := range order {
		l.findAs(severities[why], by[why], "oc -n "+openshift.NamespaceTuned+" describe profile "+nameOf(l.told(by[why])[0])+
			", and the log of the pod of TuneD on that node", "%s", why)
	}
}

// nameOf an object, without kind and namespace.
func nameOf(w where) string { return w.object[strings.LastIndex(w.object, "/")+1:] }

// tunedNotRunning finds nodes of Linux without TuneD's pod.
func (l *look) tunedNotRunning() {
	running, there := map[string]bool{}, false
	for i := range l.Pods {
		if p := &l.Pods[i]; p.Namespace == openshift.NamespaceTuned && p.Owner == "DaemonSet/tuned" {
			there = true
			starts := l.Now.Sub(p.Created) < profile.Settles // as with each update of the DaemonSet
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
		young := l.Now.Sub(n.Metadata.Created) < profile.Settles
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
