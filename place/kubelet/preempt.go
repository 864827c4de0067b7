package kubelet

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/podres"
)

// lack is what is missing of a resource until others are killed.
type lack struct {
	resource string
	amount   int64
}

// victims are the pods that the kubelet kills so that a critical one fits: as
// few as possible, none of a higher quality-of-service class when those below
// suffice. Candidates stand in the order of their admission.
// (pkg/kubelet/preemption/preemption.go)
func (n *Node) victims(short []shortage) ([]*pod, error) {
	var lacks []lack
	for _, s := range short {
		lacks = append(lacks, lack{s.resource, s.missing()})
	}
	low, middle, high := n.candidates(podres.BestEffort), n.candidates(podres.Burstable), n.candidates(podres.Guaranteed)
	if left := without(lacks, low, middle, high); len(left) > 0 {
		return nil, fmt.Errorf("preemption: error finding a set of pods to preempt: %w", noVictims(left))
	}
	fromHigh := nearest(high, without(lacks, low, middle))
	fromMiddle := nearest(middle, without(lacks, low, fromHigh))
	fromLow := nearest(low, without(lacks, fromMiddle, fromHigh))
	return slices.Concat(fromLow, fromMiddle, fromHigh), nil
}

func noVictims(left []lack) error {
	var b strings.Builder
	for _, l := range left {
		fmt.Fprintf(&b, "(res: %s, q: %d), ", l.resource, l.amount)
	}
	return errors.New("no set of running pods found to reclaim resources: [" + b.String() + "]")
}

// candidates are the running pods of a class that are not critical.
func (n *Node) candidates(qos string) []*pod {
	var out []*pod
	for _, p := range n.pods {
		if p.class.qos == qos && !p.class.pod.Critical {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b *pod) int { return cmp.Compare(a.seq, b.seq) })
	return out
}

// without is what is still missing when these pods are gone.
func without(lacks []lack, gone ...[]*pod) []lack {
	var out []lack
	for _, l := range lacks {
		for _, pods := range gone {
			for _, p := range pods {
				l.amount -= p.reclaims(l.resource)
			}
		}
		if l.amount > 0 {
			out = append(out, l)
		}
	}
	return out
}

// nearest picks pods until nothing is missing: each time the one that leaves
// the least, of equal ones the smaller. The last takes the place of the one picked.
func nearest(pods []*pod, lacks []lack) []*pod {
	var picked []*pod
	pods = slices.Clone(pods)
	for len(lacks) > 0 && len(pods) > 0 {
		best, bestLeft := 0, float64(len(lacks)+1)
		for i, p := range pods {
			left := leaves(p, lacks)
			if left < bestLeft || left == bestLeft && smaller(p, pods[best]) {
				best, bestLeft = i, left
			}
		}
		lacks = without(lacks, pods[best:best+1])
		picked = append(picked, pods[best])
		pods[best] = pods[len(pods)-1]
		pods = pods[:len(pods)-1]
	}
	return picked
}

// leaves is how far a pod alone is from what is missing: the sum of the squares
// of the shares that it leaves. The kubelet reckons in floats here.
func leaves(p *pod, lacks []lack) float64 {
	sum := 0.0
	for _, l := range lacks {
		if left := float64(l.amount - p.reclaims(l.resource)); left > 0 {
			share := left / float64(l.amount)
			sum += share * share
		}
	}
	return sum
}

// smaller reports whether a requests no more than b: of memory, or else of CPU.
func smaller(a, b *pod) bool {
	return cmp.Or(cmp.Compare(a.reclaims(podres.Memory), b.reclaims(podres.Memory)),
		cmp.Compare(a.reclaims(podres.CPU), b.reclaims(podres.CPU))) <= 0
}

// reclaims is what the kubelet counts on when a pod is killed: of a pod with
// resources as a whole only those; overhead only of what is requested at all.
func (p *pod) reclaims(resource string) int64 {
	if resource == podsResource {
		return 1
	}
	own := p.class.pod
	overhead := own.Overhead[resource]
	own.Overhead = nil
	if own.PodLevel() {
		own = Pod{Requests: podres.LevelRequests(&own)}
	}
	amount := podres.RequestOf(&own, resource)
	if amount == 0 {
		return 0
	}
	return amount + overhead
}
