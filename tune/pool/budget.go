package pool

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/facts"
	"plimsoll.dev/release"
)

// most is a maxUnavailable above which nothing changes any more.
const most = 1_000_000_000

// arbiter is the pool of the node that only votes in etcd.
const arbiter = "arbiter"

// Budget is the number of nodes of a pool, of which it has so many, that may be
// unavailable at once. maxUnavailable is a number or a percentage, which is rounded
// down; 0 becomes 1, and so does none. It may be more than there are nodes, and
// negative: then nothing is ever updated. Up to 4.5 pool master keeps the quorum of
// etcd, which leaves 0 for one master and for two. A text that is no percentage is
// an error today, with which the operator does nothing for the pool.
func Budget(p *openshift.MachineConfigPool, nodes int, r release.Release) (int, error) {
	if p.Metadata.Name == arbiter && arbiterAlone.In(r) {
		return 1, nil
	}
	n, err := asWritten(p.Spec.MaxUnavailable, nodes, r)
	if err != nil {
		return 0, err
	}
	n = cmp.Or(n, 1)
	if p.Metadata.Name == Master && masterQuorum.In(r) {
		n = min(n, Tolerance(nodes))
	}
	return n, nil
}

// Tolerance is the number of masters that etcd can do without.
func Tolerance(masters int) int { return masters - (masters/2 + 1) }

// asWritten is maxUnavailable as a number of nodes.
func asWritten(v any, nodes int, r release.Release) (int, error) {
	switch v := v.(type) {
	case nil:
		return int(facts.Load().Must("ocp.rollout.maxUnavailable").Value().Int()), nil
	case int64:
		return int(min(max(v, -most), most)), nil
	case string:
		return percentOf(v, nodes, r)
	}
	return 0, fmt.Errorf("maxUnavailable %v is not a number of nodes or a percentage (write it like 3 or \"10%%\")", v)
}

// percentOf reads a percentage. Up to 4.5 a text is one even without the sign.
func percentOf(text string, nodes int, r release.Release) (int, error) {
	digits, sign := strings.CutSuffix(text, "%")
	if textIsPercent.In(r) {
		digits, sign = strings.ReplaceAll(text, "%", ""), true
	}
	n, err := strconv.Atoi(digits)
	if err != nil || !sign {
		return 0, fmt.Errorf("maxUnavailable %q is not a percentage (write a number without quotes, "+
			"or a percentage such as \"10%%\")", text)
	}
	return floorDiv(min(max(n, -most), most)*nodes, 100), nil
}

// floorDiv rounds down also below zero.
func floorDiv(a, b int) int {
	if a < 0 && a%b != 0 {
		return a/b - 1
	}
	return a / b
}
