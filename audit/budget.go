package audit

import (
	"fmt"
	"strings"
)

// ofMachine says whether it is that of a virtual machine.
func (b *Budget) ofMachine() bool {
	for _, o := range b.Metadata.Owners {
		if strings.HasPrefix(o.Kind, "VirtualMachine") {
			return true
		}
	}
	return false
}

// maker is who keeps a budget as it is; empty for people.
func (b *Budget) maker() string {
	for _, o := range b.Metadata.Owners {
		if o.Controller || len(b.Metadata.Owners) == 1 {
			return o.Kind + "/" + o.Name
		}
	}
	if ofPlatform(b.Metadata.Namespace) {
		return "the platform"
	}
	return ""
}

// shut are the budgets that let no pod go: for ever, by people and by operators, and while pods are not ready.
func (l *look) shut() (never, made, now []where) {
	for i := range l.Budgets {
		b := &l.Budgets[i]
		s, c := b.Status, b.Status.Conditions.of("DisruptionAllowed")
		healthy := fmt.Sprintf("all %d healthy, %d needed", s.CurrentHealthy, s.DesiredHealthy)
		switch {
		case b.ofMachine(), s.ExpectedPods == 0, s.DisruptionsAllowed > 0: // virtual machines migrate when they are drained
		case c.Status == "False" && l.Now.Sub(c.LastTransitionTime) < reboot(): // as while a node is drained
		case s.CurrentHealthy >= s.ExpectedPods && b.maker() != "":
			made = append(made, at("PodDisruptionBudget", b.path(), "%s, made by %s", healthy, b.maker()))
		case s.CurrentHealthy >= s.ExpectedPods:
			never = append(never, at("PodDisruptionBudget", b.path(), "%s", healthy))
		default:
			now = append(now, at("PodDisruptionBudget", b.path(), "%d of %d healthy, %d needed", s.CurrentHealthy,
				s.ExpectedPods, s.DesiredHealthy))
		}
	}
	return never, made, now
}

func (l *look) drainBlocked() {
	if len(l.Nodes) == 1 {
		l.notApplicable("there is one node, which nobody drains")
		return
	}
	never, made, now := l.shut()
	patch := func(list []where, spec string) string {
		namespace, name, _ := strings.Cut(names(l.told(list)[:1]), "/")
		return l.tell("-n %s patch pdb %s --type merge -p '{\"spec\":{%s}}'", namespace, name, spec)
	}
	if len(never) > 0 {
		l.find(never, "let one go, and run one pod more than must be there: "+
			patch(never, `"minAvailable":null,"maxUnavailable":1`), "no pod may be evicted, ever")
	}
	if len(made) > 0 {
		l.find(made, "a change of the budget is taken back: change what its operator says of it, or run one pod more than "+
			"must be there; budgets of storage may stand so while it mends data, which is then to be waited for",
			"no pod may be evicted, ever")
	}
	if len(now) > 0 {
		l.find(now, "mend the pods that are not ready; where the application bears it, broken ones are evicted with "+
			patch(now, `"unhealthyPodEvictionPolicy":"AlwaysAllow"`)+" (from Kubernetes 1.27 on)",
			"no pod may be evicted while so few are ready")
	}
}
