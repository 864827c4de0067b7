package pool

import (
	"fmt"
	"strconv"
	"strings"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/release"
)

// ReadMaxUnavailable reads how many nodes of a pool may be away at once, a number ("5")
// or a percentage ("10%"), as a machine config pool holds it: int64, or text with
// the sign (4.4 takes the text "5" for 5 %).
func ReadMaxUnavailable(text string) (any, error) {
	digits, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	n, err := strconv.Atoi(digits)
	switch {
	case err != nil || n < 0 || percent && n > 100:
		return nil, fmt.Errorf("%q is not a number of nodes or a percentage (write it like 5 or 10%%)", text)
	case percent:
		return strconv.Itoa(n) + "%", nil
	}
	return int64(n), nil
}

// WorkersAtOnce is the number of nodes of a pool of workers that are updated at once, as
// the machine config controller counts them, but never more than there are.
func WorkersAtOnce(maxUnavailable string, nodes int) (int, error) {
	most, err := ReadMaxUnavailable(maxUnavailable)
	if err != nil {
		return 0, err
	}
	var p openshift.MachineConfigPool
	p.Spec.MaxUnavailable = most
	n, err := Budget(&p, nodes, release.Current)
	return min(n, max(1, nodes)), err
}

// Waves is the number of times that a group of atOnce nodes is updated until
// all nodes are.
func Waves(nodes, atOnce int) int {
	if nodes <= 0 {
		return 0
	}
	return (nodes + max(1, atOnce) - 1) / max(1, atOnce)
}
