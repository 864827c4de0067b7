package profile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/object"
	"plimsoll.dev/tune/cell"
)

// Settles is how long a node that has joined, or got another profile, is given until it has it.
const Settles = 10 * time.Minute

// NodeReport is what a node's Profile object says.
type NodeReport struct {
	// Asked is the profile that the operator asks of the node; InUse the one that the node has, empty where the release
	// does not tell.
	Asked string `json:"asked,omitempty"`
	InUse string `json:"inUse,omitempty"`
	// Conditions Applied and Degraded, from 4.7 on.
	Conditions []openshift.Condition `json:"conditions,omitempty"`

	unlike
}

// unlike is in what a node differs from its Profile object, and how bad that is.
type unlike struct {
	why, message string
	severity     v1alpha1.Severity
}

// Unlike says in what a node is unlike its Profile object, and how bad that is; empty where it is like it, or not yet.
func Unlike(p *openshift.Profile, now time.Time) (why string, severity v1alpha1.Severity) {
	u := unlikeAt(p, now)
	return u.why, u.severity
}

func unlikeAt(p *openshift.Profile, now time.Time) unlike {
	applied, degraded := reportedAs(p, "Applied"), reportedAs(p, "Degraded")
	asked, has := p.Spec.Config.TunedProfile, p.Status.TunedProfile
	judged := func(what string, c openshift.Condition) unlike {
		u := unlike{strings.TrimSuffix(what+c.Reason, ": "), c.Message, notApplied.Severity}
		switch c.Reason {
		case "TunedSysctlOverride", "TunedWarning", "TunedDeferredUpdate", "Deferred":
			u.severity = v1alpha1.Warning // the profile is there, or comes with the next reboot
		}
		return u
	}
	switch {
	case degraded.Status == "True" && settled(degraded.LastTransitionTime, now):
		return judged("degraded: ", degraded)
	case applied.Status != "" && applied.Status != "True":
		if settled(applied.LastTransitionTime, now) {
			return judged("not applied: ", applied)
		}
	case asked == "" || has == "" || has == asked:
	case applied.Status == "": // of a release without conditions
		return unlike{"the node has profile " + has, "", notApplied.Severity}
	default: // no time says since when: it may be on its way
		return unlike{"the node has profile " + has, "", v1alpha1.Warning}
	}
	return unlike{}
}

// settled says whether something has been so long enough; what has no time is.
func settled(since string, now time.Time) bool {
	at, err := time.Parse(time.RFC3339, since)
	return err != nil || now.IsZero() || now.Sub(at) >= Settles
}

func reportedAs(p *openshift.Profile, kind string) openshift.Condition {
	i := slices.IndexFunc(p.Status.Conditions, func(c openshift.Condition) bool { return c.Type == kind })
	if i < 0 {
		return openshift.Condition{}
	}
	return p.Status.Conditions[i]
}

// reported puts what the Profile objects say beside what was chosen. Before 4.4 there were none.
func (e *explainer) reported() {
	if !perNode.In(e.in.Release) {
		return
	}
	by := make(map[string]*openshift.Profile, len(e.in.Profiles))
	for i := range e.in.Profiles {
		by[e.in.Profiles[i].Metadata.Name] = &e.in.Profiles[i]
	}
	e.x.ProfilesSeen = len(by) > 0 || e.in.ProfilesSeen
	for i := range e.x.Nodes {
		n := &e.x.Nodes[i]
		n.young = e.in.Nodes[i].Created != "" && !settled(e.in.Nodes[i].Created, e.in.Now)
		if p := by[n.Name]; p != nil {
			n.Reported = &NodeReport{Asked: p.Spec.Config.TunedProfile, InUse: p.Status.TunedProfile,
				Conditions: p.Status.Conditions, unlike: unlikeAt(p, e.in.Now)}
			if e.x.Frozen != "" {
				n.Kept = n.Reported.Asked
			}
		}
	}
}

// Otherwise says whether the operator asks another profile of a node than was chosen, and has had time to ask for that.
func (x *Explanation) Otherwise(n *NodeChoice) bool {
	if n.Class < 0 || n.Reported == nil || n.Reported.Asked == "" || n.young || x.Frozen != "" {
		return false
	}
	may := []string{n.Profile}
	for _, item := range x.Classes[n.Class].Unless { // by what nobody showed
		may = append(may, x.Items[item].Profile)
	}
	if !tieByName.In(x.Release) {
		for _, item := range x.Classes[n.Class].Ties {
			may = append(may, x.Items[item].Profile)
		}
	}
	return !slices.Contains(may, n.Reported.Asked)
}

// judgeReported finds nodes that are not as they should be by what was chosen.
func (e *explainer) judgeReported() {
	switch {
	case !perNode.In(e.in.Release) || len(e.x.Nodes) == 0:
		return
	case e.in.unmanaged():
		return // the operator is told to do nothing, which is said of the CR
	case !e.x.ProfilesSeen:
		e.add(profilesUnseen, -1, nil,
			"no Profile is given: what the operator asks of nodes, and what they have, is not seen",
			"oc -n "+openshift.NamespaceTuned+" get profiles.tuned.openshift.io -o json writes them")
		return
	}
	e.eachReason(operatorChoice, e.asksOther)
	e.eachReason(notApplied, func(n *NodeChoice) (unlike, string) {
		if n.Reported == nil {
			return unlike{}, ""
		}
		return n.Reported.unlike, "oc -n " + openshift.NamespaceTuned + " describe profile " + n.Name +
			", and the log of the pod of TuneD on that node"
	})
	e.eachReason(noProfile, func(n *NodeChoice) (unlike, string) {
		if n.Class < 0 || n.Reported != nil || n.young || !e.in.ProfilesSeen {
			return unlike{}, ""
		}
		return unlike{why: "there is no Profile: the operator asks nothing of it", severity: noProfile.Severity}, operatorLog
	})
}

// unmanaged says whether the operator is told to manage nothing, from 4.6 on.
func (in *Input) unmanaged() bool {
	return slices.ContainsFunc(in.Tuneds, func(t object.Typed[openshift.Tuned]) bool {
		state := t.Value.Spec.ManagementState
		return stateKnown.In(in.Release) && t.Value.Metadata.Name == DefaultName &&
			(state == "Removed" || state == "Unmanaged")
	})
}

// operatorLog is where the operator says why it does not do what it should.
const operatorLog = "oc -n " + openshift.NamespaceTuned + " logs deployment/cluster-node-tuning-operator"

// asksOther finds a node of which another profile is asked than was chosen. Without the CRs nobody can say.
func (e *explainer) asksOther(n *NodeChoice) (unlike, string) {
	if !e.x.Otherwise(n) || e.in.Unseen.Tuneds {
		return unlike{}, ""
	}
	return unlike{why: fmt.Sprintf("the operator asks for %s, and the Tuned objects say %s", n.Reported.Asked, n.Profile),
		severity: operatorChoice.Severity}, "apply the Tuned objects; where they are, " + operatorLog
}

// eachReason adds a finding for all nodes of which the same is to be said; the remedy is that of the first.
func (e *explainer) eachReason(rule object.Rule, of func(*NodeChoice) (unlike, string)) {
	type nodes struct {
		unlike
		remedy string
		names  []string
	}
	var all []*nodes
	for i := range e.x.Nodes {
		n := &e.x.Nodes[i]
		u, remedy := of(n)
		if u.why == "" {
			continue
		}
		n.otherwise = true
		at := slices.IndexFunc(all, func(one *nodes) bool { return one.why == u.why && one.message == u.message })
		if at < 0 {
			at, all = len(all), append(all, &nodes{unlike: u, remedy: remedy})
		}
		all[at].names = append(all[at].names, n.Name)
	}
	for _, one := range all {
		what := list(one.names) + ": " + one.why
		if one.message != "" {
			what += " (" + one.message + ")"
		}
		rule.Severity = one.severity
		e.add(rule, -1, nil, what, one.remedy)
		e.x.notes[len(e.x.notes)-1].nodes = one.names
	}
}

// conditions are what a Profile object says, in few words.
func (r *NodeReport) conditions() string {
	var parts []string
	for _, c := range r.Conditions {
		text := strings.ToLower(c.Type)
		if text == "" {
			continue
		}
		if c.Status != "True" {
			text = "not " + text
		}
		if c.Reason != "" && c.Reason != "AsExpected" {
			text += ": " + c.Reason
		}
		parts = append(parts, text)
	}
	return cmp.Or(strings.Join(parts, ", "), "not told")
}

// reportedPart sets what nodes are asked for, and have, beside what was chosen: of those where it differs, and in wide
// output of all.
func (x *Explanation) reportedPart(of func(*NodeChoice) bool) v1alpha1.Part {
	if !x.ProfilesSeen {
		return v1alpha1.Part{}
	}
	t := v1alpha1.Table{ID: "profile.reported", Columns: cell.Columns("Node", "Chosen", "Asked", "In use", "Conditions")}
	few := t
	few.ID, t.Wide, t.Title = "profile.reported.other", true, "All nodes"
	for i := range x.Nodes {
		n := &x.Nodes[i]
		if !of(n) {
			continue
		}
		row := cell.Texts(n.Name, cmp.Or(n.Profile, "none"), "no Profile", "", "")
		if r := n.Reported; r != nil {
			row = cell.Texts(n.Name, cmp.Or(n.Profile, "none"), r.Asked, cmp.Or(r.InUse, "not told"), r.conditions())
		}
		t.Rows = append(t.Rows, row)
		if n.otherwise {
			few.Rows = append(few.Rows, row)
		}
	}
	p := v1alpha1.Part{Title: "What nodes are asked for, and have"}
	if len(few.Rows) > 0 {
		p.Tables = short(few)
	}
	p.Tables = append(p.Tables, t)
	p.Wide = len(few.Rows) == 0
	return p
}

// others is how many nodes are not as they should be.
func (x *Explanation) others() string {
	n := 0
	for i := range x.Nodes {
		if x.Nodes[i].otherwise {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return "; " + words.Count(n, "node is", "nodes are") + " not so in the cluster"
}
