package load

import (
	"context"
	"fmt"
	"time"

	"plimsoll.dev/loadmodel"
)

// synced waits for the pods that a sync of the configuration selects, in a namespace or in all of the
// run, to be running or to have succeeded (OCP table 5.7).
func (r *run) synced(ctx context.Context, s *loadmodel.Sync, namespace string) error {
	if s == nil || !s.Running && !s.Succeeded {
		return nil
	}
	from := time.Now()
	timeout := time.Duration(s.Timeout)
	for _, step := range []struct {
		asked bool
		what  string
		holds func(*pod) bool
	}{
		{s.Running, "running", func(p *pod) bool { return !p.running.IsZero() || p.done }},
		{s.Succeeded, "succeeded", func(p *pod) bool { return p.done }},
	} {
		if !step.asked {
			continue
		}
		matched := 0
		err := r.until(ctx, timeout, func() bool {
			n, holding := r.pods.matching(s.Selectors, namespace, step.holds)
			matched = n
			return n > 0 && n == holding
		})
		if err != nil {
			return fmt.Errorf("sync waits until %d pods that %v selects have %s: %w", matched, s.Selectors, step.what, err)
		}
	}
	r.phase("sync", from, 0)
	return nil
}

// matching counts the pods that have all labels, in a namespace or in all, and those of them that hold.
// The caller has locked.
func (p *pods) matching(labels map[string]string, namespace string, holds func(*pod) bool) (n, holding int) {
	for _, k := range p.byName {
		if namespace != "" && k.namespace != namespace || !has(k.labels, labels) {
			continue
		}
		n++
		if holds(k) {
			holding++
		}
	}
	return n, holding
}

func has(all, wanted map[string]string) bool {
	for name, value := range wanted {
		if all[name] != value {
			return false
		}
	}
	return true
}
