package audit

import (
	"fmt"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
)

// Try takes a placement of the cloud's servers on the hosts of a scenario. It says what the loss of a host does only if
// all servers are in it, on just the hosts that there are, and all of those work.
func (s *Stack) Try(p *v1alpha1.ServerPlacement) {
	hosts, there, away := 0, 0, 0
	for _, h := range p.Hosts {
		hosts += max(1, h.Count)
	}
	for _, d := range s.Computes {
		if d.Binary == computeBinary {
			there++
			if d.down() || !d.enabled() {
				away++
			}
		}
	}
	if there == 0 {
		there = len(s.virtual())
	}
	left := func(f v1alpha1.Finding) bool { return f.ID == "place.elsewhere" || f.ID == "place.failures" }
	const not = "whether the servers of any host find room on the others: "
	switch i := slices.IndexFunc(p.Findings, left); {
	case i >= 0:
		s.Untried = not + p.Findings[i].Message
	case len(p.Verdict.Open) > 0:
		s.Untried = not + p.Verdict.Open[0]
	case there == 0:
		s.Untried = not + "how many hosts there are is told by no list (compute-services, hypervisors)"
	case hosts != there:
		s.Untried = fmt.Sprintf("%sthe scenario counts %s, and there are %s", not, words.Count(hosts, "host"),
			words.Number(there))
	case away > 0:
		s.Untried = fmt.Sprintf("%s%s down or disabled, and the placement counts on them", not,
			words.Count(away, "host is", "hosts are"))
	default:
		s.Tried = true
	}
}
