package place

import (
	"errors"

	"plimsoll.dev/api/v1alpha1"
)

// otherOrders judges a policy that states that pods may arrive in any order.
func (r *run) otherOrders(p *v1alpha1.Placement, d Demand) error {
	if d.Order != Any || len(r.c.Nodes) == 0 {
		return nil
	}
	h, err := Hold(r.c, d, &Budget{Pods: MostTrials + LastTrial})
	switch {
	case errors.Is(err, ErrBudget):
		p.Find(v1alpha1.Error, "place.arrival", "not every order of arrival was tried (policy.arrival: any): "+
			"that takes too long", "state the order in scheduling.order")
	case err != nil:
		return err
	case !h.Holds():
		p.Find(v1alpha1.Error, "place.arrival", "in another order of arrival (policy.arrival: any), when "+h.Broken+
			", no place for "+h.Pods, "add nodes, or state the order in scheduling.order")
	}
	return nil
}
