package profile

import (
	"slices"
	"strings"
	"testing"
	"time"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/release"
)

// asked is the Profile of a node: what the operator asks of it, and what it has where that is told.
func asked(name, profile string, has ...string) openshift.Profile {
	p := openshift.Profile{Metadata: openshift.ObjectMeta{Name: name}}
	p.Spec.Config.TunedProfile, p.Status.TunedProfile = profile, strings.Join(has, "")
	return p
}

// with conditions, in turn type, status and reason.
func saying(p openshift.Profile, since string, conditions ...[3]string) openshift.Profile {
	for _, c := range conditions {
		p.Status.Conditions = append(p.Status.Conditions, openshift.Condition{Type: c[0], Status: c[1], Reason: c[2],
			LastTransitionTime: since, Message: "said so"})
	}
	return p
}

// Each way in which a node can be unlike what is chosen for it is found, of the right node and not of others.
func TestReported(t *testing.T) {
	const old, fresh, node1 = "2026-01-15T10:00:00Z", "2026-01-15T11:58:00Z", "openshift-node"
	now, _ := time.Parse(time.RFC3339, "2026-01-15T12:00:00Z")
	good := [][3]string{{"Applied", "True", "AsExpected"}, {"Degraded", "False", "AsExpected"}}
	for name, c := range map[string]struct {
		p        openshift.Profile
		rule     string
		severity v1alpha1.Severity
		says     string
	}{
		"as it should":       {p: saying(asked("n", node1, node1), old, good...)},
		"without conditions": {p: asked("n", node1)},
		"another is asked": {saying(asked("n", "other", "other"), old, good...), operatorChoice.ID, v1alpha1.Warning,
			"node n: the operator asks for other, and the Tuned objects say openshift-node"},
		"another is in use": {saying(asked("n", node1, "old"), old, good...), notApplied.ID, v1alpha1.Warning,
			"node n: the node has profile old"},
		"another in use of old": {asked("n", node1, "old"), notApplied.ID, v1alpha1.Error, "the node has profile old"},
		"degraded": {saying(asked("n", node1, node1), old, good[0], [3]string{"Degraded", "True", "TunedError"}),
			notApplied.ID, v1alpha1.Error, "node n: degraded: TunedError (said so)"},
		"deferred": {saying(asked("n", node1, node1), old, [3]string{"Applied", "False", "Deferred"},
			[3]string{"Degraded", "True", "TunedDeferredUpdate"}), notApplied.ID, v1alpha1.Warning,
			"degraded: TunedDeferredUpdate"},
		"not applied": {saying(asked("n", node1, "old"), old, [3]string{"Applied", "Unknown", ""}), notApplied.ID,
			v1alpha1.Error, "node n: not applied"},
		"on its way": {p: saying(asked("n", node1, "old"), fresh, [3]string{"Applied", "False", "Failed"})},
		"none":       {asked("other", node1), noProfile.ID, v1alpha1.Error, "node n: there is no Profile"},
	} {
		in := Input{Tuneds: crs(t, items("a", "[]")), Nodes: []Node{node("n", worker), node("m", worker)},
			Release: release.Current, Now: now, ProfilesSeen: true,
			Profiles: []openshift.Profile{c.p, saying(asked("m", node1, node1), old, good...)}}
		x := Explain(in)
		var found []v1alpha1.Finding
		for _, f := range x.Findings {
			if f.ID == operatorChoice.ID || f.ID == notApplied.ID || f.ID == noProfile.ID || f.ID == profilesUnseen.ID {
				found = append(found, f)
			}
		}
		if (len(found) == 1) != (c.rule != "") || len(found) > 1 || len(found) == 1 && (found[0].ID != c.rule ||
			found[0].Severity != c.severity || !strings.Contains(found[0].Message, c.says) || found[0].Remedy == "") {
			t.Errorf("%s: %+v", name, found)
		}
		one, _ := x.AnswerFor("n")
		other, _ := x.AnswerFor("m")
		all := x.Answer()
		if green := c.severity != v1alpha1.Error; one.Verdict.OK != green || all.Verdict.OK != green || !other.Verdict.OK {
			t.Errorf("%s: green is %v, of all %v, of the other %v", name, one.Verdict.OK, all.Verdict.OK, other.Verdict.OK)
		}
		if told := strings.HasSuffix(all.Verdict.Summary, "; 1 node is not so in the cluster"); told != (c.rule != "") {
			t.Errorf("%s: %s", name, all.Verdict.Summary)
		}
	}
}

// Where no Profile was seen that is a remark; where there is none, each node that has had the time lacks one. Before
// 4.4 there were none to be had.
func TestReportedUnseen(t *testing.T) {
	now, _ := time.Parse(time.RFC3339, "2026-01-15T12:00:00Z")
	for name, c := range map[string]struct {
		unseen  bool
		created string
		release release.Release
		want    string
	}{
		"not seen":    {true, "", release.Current, profilesUnseen.ID},
		"none":        {false, "2026-01-15T10:00:00Z", release.Current, noProfile.ID},
		"just joined": {false, "2026-01-15T11:58:00Z", release.Current, ""},
		"4.3":         {false, "", release.V43, ""},
	} {
		n := node("n", worker)
		n.Created = c.created
		in := Input{Tuneds: crs(t, items("a", "[]")), Nodes: []Node{n}, Release: c.release, Now: now,
			ProfilesSeen: !c.unseen}
		got := ""
		for _, f := range Explain(in).Findings {
			if f.ID == profilesUnseen.ID || f.ID == noProfile.ID {
				got += f.ID
			}
		}
		if got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// An operator that is told to manage nothing leaves nodes without a Profile, which its CR tells.
func TestUnmanagedReported(t *testing.T) {
	for _, state := range []string{"Removed", "Unmanaged", "Managed"} {
		tuneds := crs(t, items("a", "[]"))
		off := tuneds[0]
		off.Value.Metadata.Name, off.Value.Spec.ManagementState = DefaultName, state
		x := Explain(Input{Tuneds: append(tuneds, off), Nodes: []Node{node("n", worker)}, Release: release.Current,
			ProfilesSeen: true})
		told := slices.ContainsFunc(x.Findings, func(f v1alpha1.Finding) bool { return f.ID == noProfile.ID })
		if told != (state == "Managed") {
			t.Errorf("%s: %+v", state, x.Findings)
		}
	}
}
