package audit

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/unit"
)

// podTests are about pods that do not run, are killed, or stand all in one place.
var podTests = []test{{podWaits, (*look).podWaits}, {podRefused, (*look).podRefused}, {podEvicted, (*look).podEvicted},
	{podKilled, (*look).podKilled},
	{podOneNode, (*look).podOneNode}, {podOneZone, (*look).podOneZone}}

// mirrored says whether the kubelet made it of a file.
func (p *Pod) mirrored() bool { return strings.HasPrefix(p.Owner, "Node/") }

// workload is what people made so that the pod is there, as an object: "Deployment/shop/web".
func (p *Pod) workload() string {
	kind, name, owned := strings.Cut(p.Owner, "/")
	hash := p.Labels["pod-template-hash"]
	switch base, cut := strings.CutSuffix(name, "-"+hash); {
	case !owned || p.mirrored():
		kind, name = "Pod", p.Name
	case kind == "ReplicaSet" && hash != "" && cut:
		kind, name = "Deployment", base
	case kind == "Job":
		if end := strings.LastIndexByte(name, '-'); end > 0 && minutes(name[end+1:]) {
			kind, name = "CronJob", name[:end]
		}
	}
	return kind + "/" + p.Namespace + "/" + name
}

// minutes says whether the end of a job's name is the time for which a cron job made it, in minutes.
func minutes(text string) bool { return len(text) >= 8 && strings.Trim(text, "0123456789") == "" }

// group is the pods of one workload.
type group struct {
	object string
	pods   []*Pod
}

// groups are the pods that are wanted, by workload, in the order of the pods.
func (l *look) groups(wanted func(*Pod) bool) []group {
	var out []group
	index := map[string]int{}
	for i := range l.Pods {
		p := &l.Pods[i]
		if !wanted(p) {
			continue
		}
		object := p.workload()
		if l.wanted != nil && !l.wanted(object) {
			continue
		}
		n, known := index[object]
		if !known {
			n = len(out)
			index[object], out = n, append(out, group{object: object})
		}
		out[n].pods = append(out[n].pods, p)
	}
	slices.SortStableFunc(out, func(a, b group) int { return len(b.pods) - len(a.pods) })
	return out
}

// serves says whether the pods are there to run all the time.
func (g group) serves() bool {
	kind, _, _ := strings.Cut(g.object, "/")
	return slices.Contains([]string{"Deployment", "ReplicaSet", "StatefulSet", "ReplicationController"}, kind)
}

// command about the namespace of a workload.
func (g group) command(l *look, format string, args ...any) string {
	return l.tell("-n %s ", words.Quote(g.pods[0].Namespace)) + fmt.Sprintf(format, args...)
}

// ofPlatform says whether a namespace is the platform's own, whose workloads nobody else can change.
func ofPlatform(namespace string) bool {
	return namespace == "openshift" || strings.HasPrefix(namespace, "openshift-") || strings.HasPrefix(namespace, "kube-")
}

// lasting is a span of time for people, in whole minutes, hours or days.
func lasting(d time.Duration) string {
	switch {
	case d < time.Hour:
		return words.Number(int(d.Minutes())) + " min"
	case d < 3*24*time.Hour:
		return words.Number(int(d.Hours())) + " h"
	}
	return words.Number(int(d.Hours()/24)) + " d"
}

// waitsLong is how long a pod may wait for a node before it is told, by this program's own choice: autoscalers take
// minutes.
const waitsLong = 10 * time.Minute

// podWaits leaves out pods of negative priority, which keep room for others and wait on purpose.
func (l *look) podWaits() {
	works := l.works()
	free := l.free()
	var none, some []where
	var first group
	for _, g := range l.groups(func(p *Pod) bool {
		return p.Unschedulable && p.Node == "" && p.Priority >= 0 && !p.ended() && l.Now.Sub(p.Created) > waitsLong
	}) {
		oldest := l.Now
		for _, p := range g.pods {
			if p.Created.Before(oldest) {
				oldest = p.Created
			}
		}
		w := where{g.object, fmt.Sprintf("%s for %s, %s", words.Count(len(g.pods), "pod"), lasting(l.Now.Sub(oldest)),
			l.whyNot(g.pods[0], free))}
		if g.serves() && !works[g.object] && l.lately(oldest) {
			none = append(none, w)
		} else {
			some = append(some, w)
		}
		if first.pods == nil {
			first = g
		}
	}
	fix := func() string {
		return first.command(l, "describe pod %s", words.Quote(first.pods[0].Name)) + " tells what each node lacks: " +
			"add a node that has it, lower the requests, or mend the selector, the tolerations or the volume"
	}
	if len(none) > 0 {
		l.findAs(v1alpha1.Error, none, fix(), "the scheduler finds no node, and no other pod of theirs works")
	}
	if len(some) > 0 {
		l.find(some, fix(), "the scheduler finds no node")
	}
}

// room is what a node has left.
type room struct {
	node *Node
	left Amounts
}

// free is what the nodes have left that take pods.
func (l *look) free() []room {
	used := map[string]Amounts{}
	for i := range l.Pods {
		if p := &l.Pods[i]; !p.ended() {
			u := used[p.Node]
			used[p.Node] = Amounts{u.CPU + p.Requests.CPU, u.Memory + p.Requests.Memory}
		}
	}
	var out []room
	for i := range l.Nodes {
		n := &l.Nodes[i]
		if n.takes() {
			u := used[n.Metadata.Name]
			out = append(out, room{n, Amounts{n.allocatable("cpu") - u.CPU, n.allocatable("memory") - u.Memory}})
		}
	}
	return out
}

// whyNot says, as far as sizes tell it, why no node takes a pod.
func (l *look) whyNot(p *Pod, free []room) string {
	ask := inCores(p.Requests.CPU) + " and " + inBytes(p.Requests.Memory) + " each"
	if p.Requests == (Amounts{}) {
		ask = "nothing requested"
	}
	large, roomy := false, false
	for _, r := range free {
		large = large || r.node.allocatable("cpu") >= p.Requests.CPU && r.node.allocatable("memory") >= p.Requests.Memory
		roomy = roomy || r.left.CPU >= p.Requests.CPU && r.left.Memory >= p.Requests.Memory
	}
	for _, name := range slices.Sorted(maps.Keys(p.Resources)) {
		if !slices.ContainsFunc(free, func(r room) bool { return r.node.allocatable(name) >= p.Resources[name] }) {
			return fmt.Sprintf("no node offers %s", unit.FormatResource(name, p.Resources[name])+" of "+name)
		}
	}
	switch {
	case !large:
		return ask + ": no node is that large"
	case !roomy:
		return ask + ": no node has that much left"
	}
	return ask + ": there is room, but not where it may go"
}

// manyRefused is how many refused pods of one workload are more than leftovers, by this program's own choice.
const manyRefused = 3

// refusal says whether the kubelet turned a pod away that the scheduler had sent to it, other than for its alignment.
func refusal(reason string) bool {
	return strings.HasPrefix(reason, "OutOf") || slices.Contains([]string{"NodeAffinity", "NodePorts", "NodeName",
		"InitContainersRestartPolicyForbidden", "PodOSNotSupported", "PodOSSelectorNodeLabelDoesNotMatch"}, reason)
}

func (l *look) podRefused() {
	l.refused("refused", refusal,
		"the node changed behind the scheduler's back, or something binds pods to nodes by itself: "+
			"look for spec.nodeName in manifests, static pods, and labels that were changed")
}

func (l *look) podEvicted() {
	evicted := func(reason string) bool { return reason == "Evicted" }
	l.refused("evicted", evicted,
		"describe one: its message tells whether memory or disk was short; request as much memory "+
			"as is used, limit ephemeral-storage, or enlarge the nodes' disks")
}

// refused tells of the pods that kubelets turned away for some reasons, those of which there are many as a warning.
func (l *look) refused(done string, reasons func(string) bool, why string) {
	var often, seldom []where
	var many, few []group
	for _, g := range l.groups(func(p *Pod) bool {
		return p.Phase == "Failed" && reasons(p.Reason) && l.lately(p.Changed)
	}) {
		var said []string
		for _, p := range g.pods {
			if !slices.Contains(said, p.Reason) {
				said = append(said, p.Reason)
			}
		}
		w := where{g.object, words.Count(len(g.pods), "pod") + ", " + words.And(said)}
		if len(g.pods) > manyRefused {
			often, many = append(often, w), append(many, g)
		} else {
			seldom, few = append(seldom, w), append(few, g)
		}
	}
	clean := func(first group) string {
		return why + "; take away what is left, with failed pods of jobs and their logs: " +
			first.command(l, "delete pods --field-selector=status.phase=Failed")
	}
	if len(often) > 0 {
		l.find(often, clean(many[0]), "pods are %s by the kubelet, again and again", done)
	}
	if len(seldom) > 0 {
		l.findAs(v1alpha1.Info, seldom, clean(few[0]), "pods were %s by the kubelet", done)
	}
}

// recently is how long what befell a pod is still told, by this program's own choice.
const recently = 7 * 24 * time.Hour

// lately says whether something is not long ago, or nobody knows when.
func (l *look) lately(t time.Time) bool { return t.IsZero() || l.Now.Sub(t) < recently }

func (l *look) podKilled() {
	var bad []where
	var fixes []string
	for _, g := range l.groups(func(p *Pod) bool {
		waits := !p.ended() && l.Now.Sub(p.Created) > waitsLong && l.starves(p) // podNotStarting tells of it
		return p.OOMKilled && l.lately(p.OOMKilledAt) && !waits
	}) {
		last, p := time.Time{}, g.pods[0]
		for _, q := range g.pods {
			if last = later(last, q.OOMKilledAt); q.OOMKilledAt.After(p.OOMKilledAt) {
				p = q
			}
		}
		limit := "container " + p.Killed + " without a limit"
		if p.KilledLimit > 0 {
			limit = "container " + p.Killed + " with " + inBytes(p.KilledLimit)
		}
		note := words.Count(len(g.pods), "pod") + ", " + limit
		if !last.IsZero() {
			note += ", last " + lasting(l.Now.Sub(last)) + " ago"
		}
		bad = append(bad, where{g.object, note})
		fixes = append(fixes, g.object+": "+p.memoryFix())
	}
	if len(bad) > 0 {
		l.find(bad, strings.Join(fixes[:min(len(fixes), shown)], "; "), "killed for lack of memory")
	}
}

// memoryFix is what to do about the container that was killed.
func (p *Pod) memoryFix() string {
	if p.KilledLimit == 0 {
		return "give container " + p.Killed + " a request and a limit of memory"
	}
	return "raise the limit of memory of container " + p.Killed + " above " + inBytes(p.KilledLimit) +
		", or mend what leaks"
}
