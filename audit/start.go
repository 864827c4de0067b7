package audit

import (
	"fmt"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
)

// startTests are about pods whose containers do not run.
var startTests = []test{{podNotStarting, (*look).podNotStarting}}

// works are the workloads of which a pod runs, with all its containers.
func (l *look) works() map[string]bool {
	out := map[string]bool{}
	for i := range l.Pods {
		if p := &l.Pods[i]; p.Phase == "Running" && p.Waiting == "" {
			out[p.workload()] = true
		}
	}
	return out
}

func (l *look) podNotStarting() {
	works := l.works()
	var none, some []where
	var fixes, more []string
	for _, g := range l.groups(func(p *Pod) bool {
		return p.Waiting != "" && !p.ended() && l.Now.Sub(p.Created) > waitsLong
	}) {
		restarts, lately := 0, false
		for _, p := range g.pods {
			restarts, lately = restarts+p.Restarts, lately || l.lately(p.Changed)
		}
		note := words.Count(len(g.pods), "pod") + ", " + g.pods[0].Waiting
		if l.starves(g.pods[0]) {
			note += ", killed for lack of memory"
		}
		if restarts > 0 {
			note += ", " + words.Count(restarts, "restart")
		}
		if w := (where{g.object, note}); g.serves() && lately && !works[g.object] {
			none, fixes = append(none, w), append(fixes, g.startFix(l))
		} else {
			some, more = append(some, w), append(more, g.startFix(l))
		}
	}
	if len(none) > 0 {
		l.findAs(v1alpha1.Error, none, fixes[0], "containers do not start, and no other pod of theirs works")
	}
	if len(some) > 0 {
		l.find(some, more[0], "containers do not start")
	}
}

// starves says whether a container does not start because its memory runs out.
func (l *look) starves(p *Pod) bool {
	return p.WaitingIn != "" && p.WaitingIn == p.Killed && l.lately(p.OOMKilledAt)
}

// startFix says where to look, by what the first pod waits for.
func (g group) startFix(l *look) string {
	name := words.Quote(g.pods[0].Name)
	switch reason := g.pods[0].Waiting; {
	case l.starves(g.pods[0]):
		return g.object + ": " + g.pods[0].memoryFix()
	case strings.Contains(reason, "Image"):
		return g.command(l, "describe pod %s", name) +
			" tells the image: mend its name or the pull secret, or let the nodes reach the registry"
	case strings.HasPrefix(reason, "CreateContainer"):
		return g.command(l, "describe pod %s", name) + " tells what is missing: a ConfigMap, a Secret, a key or a volume"
	}
	look := g.command(l, "logs %s -c %s --previous", name, words.Quote(g.pods[0].WaitingIn)) + " tells why it ends"
	switch {
	case ofPlatform(g.pods[0].Namespace): // its operator would make it anew
		return look
	case g.serves():
		return look + "; " + fmt.Sprintf("scale %s to 0", g.object) + " where nobody needs it"
	}
	return look + "; " + fmt.Sprintf("delete %s", g.object) + " where nobody needs it"
}
