package audit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/unit"
)

// nodeTests are about nodes and what runs on them.
var nodeTests = slices.Concat([]test{{podsUse, (*look).podsUse}, {notReady, (*look).notReady},
	{nodePressure, (*look).nodePressure}, {nodeCordoned, (*look).nodeCordoned}, {kubeletSkew, (*look).kubeletSkew},
	{memoryOvercommit, (*look).memoryOvercommit}}, kubeletTests, podTests,
	startTests, bareTests)

// Shares of the pods that a node takes: told, a warning, an error.
const podsTold, podsNear, podsFull = 0.9, 0.95, 1

func (l *look) podsUse() {
	count := l.podsOn()
	full := v1alpha1.Error
	fix := "add nodes, or spread the pods, or raise the kubelets' maxPods"
	if l.OpenShift != "" {
		fix += " by a KubeletConfig, within the addresses that a node has by its hostPrefix, which stays as it was installed"
	}
	for i := range l.Nodes { // the scheduler goes elsewhere while another has room
		n := &l.Nodes[i]
		if n.takes() && (!n.control() || n.open()) && int64(count[n.Metadata.Name]) < n.allocatable("pods") {
			full = v1alpha1.Warning
		}
	}
	for _, level := range []struct {
		from, to float64
		severity v1alpha1.Severity
	}{{podsFull, 1e9, full}, {podsNear, podsFull, v1alpha1.Warning}, {podsTold, podsNear, v1alpha1.Info}} {
		var full []where
		for i := range l.Nodes {
			n := &l.Nodes[i]
			most := n.allocatable("pods")
			share := float64(count[n.Metadata.Name]) / float64(max(most, 1))
			if most > 0 && share >= level.from && share < level.to {
				full = append(full, at("Node", n.Metadata.Name, "%d of %d pods", count[n.Metadata.Name], most))
			}
		}
		if len(full) > 0 {
			l.findAs(level.severity, full, fix, "%.0f %% or more used", 100*level.from)
		}
	}
}

func (l *look) notReady() {
	var bad []where
	told := len(l.Nodes) == 0
	for i := range l.Nodes {
		n := &l.Nodes[i]
		c := n.Status.Conditions.of("Ready")
		told = told || c.Status != ""
		joins := l.Now.Sub(n.Metadata.Created) < reboot()
		if !n.ready() && !joins && !(n.rolls() && l.Now.Sub(c.LastTransitionTime) < reboot()) {
			bad = append(bad, at("Node", n.Metadata.Name, "%s", c.since(l.Now)))
		}
	}
	fix := "look at the kubelet, on the node: journalctl -u kubelet"
	if l.OpenShift != "" {
		fix = "look at the kubelet: oc adm node-logs " + names(l.told(bad)) +
			" -u kubelet, or on the node where it does not answer"
	}
	switch {
	case !told:
		l.notSeen("no node tells whether it is Ready")
	case len(bad) > 0:
		l.find(bad, fix, "not Ready")
	}
}

// reboot is how long a node may be away that is being updated, or that joins.
func reboot() time.Duration {
	return time.Duration(facts.Load().Must("tune.health.reboot").Number) * time.Second
}

// since says how long a condition has been as it is; empty where nobody knows.
func (c Condition) since(now time.Time) string {
	if c.LastTransitionTime.IsZero() {
		return ""
	}
	return "for " + lasting(now.Sub(c.LastTransitionTime))
}

// ready says whether the kubelet is; one that says nothing is taken for that.
func (n *Node) ready() bool {
	s := n.Status.Conditions.of("Ready").Status
	return s == "True" || s == ""
}

// takes says whether a node takes pods.
func (n *Node) takes() bool { return !n.Spec.Unschedulable && n.ready() }

// client is the command that the cluster's administrators use.
func (l *look) client() string {
	if l.OpenShift != "" || len(l.Pools)+len(l.Machines)+len(l.MachineSets)+len(l.Routers) > 0 {
		return "oc"
	}
	return "kubectl"
}

// tell is a command of it.
func (l *look) tell(format string, args ...any) string {
	return l.client() + " " + fmt.Sprintf(format, args...)
}

// names of objects, as a command takes them: the first few, which a finding shows, too.
func names(objects []where) string {
	var out []string
	for _, o := range objects[:min(len(objects), shown)] {
		_, name, _ := strings.Cut(o.object, "/")
		out = append(out, words.Quote(name))
	}
	return strings.Join(out, " ")
}

// admin is a command of it about nodes, which oc has below another.
func (l *look) admin(format string, args ...any) string {
	return strings.Replace(l.tell(format, args...), "oc ", "oc adm ", 1)
}

// strains are the conditions in which a node gets rid of pods or reaches none, and what to do.
var strains = []struct{ condition, fix string }{
	{"MemoryPressure", "MemoryPressure: raise the requests of memory of what runs there to what it uses, or move some"},
	{"DiskPressure", "DiskPressure: free or enlarge the disk of images and containers, limit ephemeral-storage"},
	{"PIDPressure", "PIDPressure: find the pod that starts so many processes, and set podPidsLimit"},
	{"NetworkUnavailable", "NetworkUnavailable: look at the network plug-in's pod on the node"},
}

func (l *look) nodePressure() {
	var bad []where
	var fixes []string
	for i := range l.Nodes {
		n := &l.Nodes[i]
		var has []string
		for _, s := range strains {
			if n.Status.Conditions.of(s.condition).Status == "True" {
				has = append(has, s.condition)
				if !slices.Contains(fixes, s.fix) {
					fixes = append(fixes, s.fix)
				}
			}
		}
		if len(has) > 0 {
			bad = append(bad, at("Node", n.Metadata.Name, "%s", words.And(has)))
		}
	}
	if len(bad) > 0 {
		l.find(bad, strings.Join(fixes, "; ")+"; "+l.tell("describe node %s", names(l.told(bad)[:1])), "short of something")
	}
}

// rolls says whether the machine config operator works on a node, and drains it for that.
func (n *Node) rolls() bool {
	const prefix = "machineconfiguration.openshift.io/"
	a := n.Metadata.Annotations
	return a[prefix+"state"] == "Working" || a[prefix+"state"] == "Rebooting" ||
		a[prefix+"currentConfig"] != a[prefix+"desiredConfig"]
}

func (l *look) nodeCordoned() {
	count := map[string]int{}
	for i := range l.Pods {
		if p := &l.Pods[i]; !p.ended() && !strings.HasPrefix(p.Owner, "DaemonSet/") && !p.mirrored() {
			count[p.Node]++
		}
	}
	var idle []where
	leaves := l.leaving()
	for i := range l.Nodes {
		n := &l.Nodes[i]
		if n.Spec.Unschedulable && !n.rolls() && n.ready() && !leaves[n.Metadata.Name] { // notReady tells of the others
			idle = append(idle, at("Node", n.Metadata.Name, "%s left", words.Count(count[n.Metadata.Name], "pod")))
		}
	}
	if len(idle) > 0 {
		l.find(idle, l.admin("uncordon %s", names(l.told(idle)))+", or take them out of the cluster",
			"cordoned, and not by a roll-out")
	}
}

// leaving are the nodes that the machine API, an autoscaler or an operator for maintenance drains to be rid of them.
func (l *look) leaving() map[string]bool {
	out := map[string]bool{}
	for i := range l.Machines {
		if m := l.Machines[i].Status; m.Phase == "Deleting" && m.NodeRef != nil {
			out[m.NodeRef.Name] = true
		}
	}
	for i := range l.Nodes {
		for _, t := range l.Nodes[i].Spec.Taints {
			if slices.Contains([]string{"ToBeDeletedByClusterAutoscaler", "karpenter.sh/disrupted", "karpenter.sh/disruption",
				"medik8s.io/drain"}, t.Key) {
				out[l.Nodes[i].Metadata.Name] = true
			}
		}
	}
	return out
}

// minor release of Kubernetes of a node's kubelet; 0 where it can't be read.
func (n *Node) minor() int {
	if n.Metadata.Labels["type"] == "virtual-kubelet" {
		return 0 // it has releases of its own
	}
	_, rest, _ := strings.Cut(n.Status.NodeInfo.KubeletVersion, ".")
	text, _, _ := strings.Cut(rest, ".")
	m, _ := strconv.Atoi(strings.TrimRight(text, "+"))
	return m
}

// How many minor releases a kubelet may be behind the API server, before 1.25 and since.
const (
	behindOnce, behind = 2, 3
	behindMore         = 25
)

func (l *look) kubeletSkew() {
	newest := 0
	for i := range l.Nodes {
		newest = max(newest, l.Nodes[i].minor())
	}
	if newest == 0 {
		l.notSeen("no node tells the version of its kubelet")
		return
	}
	by := map[v1alpha1.Severity][]where{}
	for i := range l.Nodes {
		n := &l.Nodes[i]
		m, most := n.minor(), behind
		if m < behindMore {
			most = behindOnce
		}
		severity := v1alpha1.Error
		switch {
		case m == newest || m == 0:
			continue
		case newest-m == 1:
			severity = v1alpha1.Info
		case newest-m <= most:
			severity = v1alpha1.Warning
		}
		by[severity] = append(by[severity], at("Node", n.Metadata.Name, "%s", n.Status.NodeInfo.KubeletVersion))
	}
	for _, s := range []v1alpha1.Severity{v1alpha1.Error, v1alpha1.Warning, v1alpha1.Info} {
		if old := by[s]; len(old) > 0 {
			l.findAs(s, old, fmt.Sprintf("update %s to 1.%d; a pool that is paused stays behind", names(l.told(old)), newest),
				"kubelets older than 1.%d, the newest of the cluster", newest)
		}
	}
}

// ofWhole is a share in percent, for people.
func ofWhole(part, whole int64) string {
	return unit.Format(float64(100*part/max(whole, 1)), unit.Percent)
}
