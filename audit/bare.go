package audit

import (
	"strings"
	"time"

	"plimsoll.dev/internal/words"
)

// bareTests are about pods of users that nobody looks after, or of which the scheduler knows nothing.
var bareTests = []test{{podBare, (*look).podBare}, {podNoRequests, (*look).podNoRequests}}

// bareFor is the age from which a pod without a controller is told, by this program's own choice: people try things.
const bareFor = 24 * time.Hour

func (l *look) podBare() {
	var bad []where
	for i := range l.Pods {
		p := &l.Pods[i]
		if p.Owner == "" && !p.ended() && !ofPlatform(p.Namespace) && l.Now.Sub(p.Created) > bareFor {
			bad = append(bad, at("Pod", p.path(), ""))
		}
	}
	if len(bad) > 0 {
		l.find(bad, "run them by a Deployment, a StatefulSet or a Job", "no controller has made them")
	}
}

func (l *look) podNoRequests() {
	var bad []where
	for _, g := range l.groups(func(p *Pod) bool {
		return p.Requests == (Amounts{}) && len(p.Resources) == 0 && !p.ended() && !ofPlatform(p.Namespace) && !p.mirrored()
	}) {
		bad = append(bad, where{g.object, words.Count(len(g.pods), "pod")})
	}
	if len(bad) > 0 {
		namespace, _, _ := strings.Cut(names(l.told(bad)[:1]), "/")
		l.find(bad, "set resources.requests of their containers to what they use: "+
			l.admin("-n %s top pods", namespace)+"; a LimitRange with a defaultRequest gives new pods of a namespace some",
			"nothing is requested")
	}
}
