package plan

import (
	"cmp"
	"fmt"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/part"
	"plimsoll.dev/unit"
)

// cost sums up the prices of all nodes that have one, an hour and a month, and returns
// that of the nodes that are no workers.
func (p *planner) cost(s *part.Part) (others float64) {
	if p.choice == nil {
		return 0
	}
	var sum derive.Terms
	var without []string
	currency := cmp.Or(p.s.Hardware.Currency, unit.None)
	add := func(name, words string, n derive.Value, t v1alpha1.NodeType, index int) float64 {
		switch {
		case n.Number == 0:
			return 0
		case t.Price == 0:
			without = append(without, words)
			return 0
		}
		price := p.o.Value(fmt.Sprintf("hardware.nodeTypes[%d].price", index), t.Price, currency)
		sum.Product(derive.In(name, n), derive.In(name+"Price", price))
		return n.Number * t.Price
	}
	for i, r := range p.choice.rooms {
		n := p.choice.total
		if len(p.choice.rooms) > 1 {
			n = derive.Of(float64(p.choice.opt.Nodes[i].Count), "nodes")
		}
		add(fmt.Sprintf("workers%d", i+1), "the workers "+r.Type.Name, n, r.Type, r.index)
	}
	others = add("infra", "the infrastructure nodes", p.infra.count, p.infra.room.Type, p.infra.room.index)
	t, index := p.typeOf("controlPlane")
	others += add("controlPlane", "the control plane nodes", p.apart(), t, index)
	if len(sum.In) > 0 {
		p.plan.Verdict.Cost = p.periods(s, &sum, currency)
		if len(without) > 0 {
			p.plan.Verdict.Cost += ", without " + list(without) + " (no price)"
		}
	}
	return others
}

// periods records the cost of an hour and of a month.
func (p *planner) periods(s *part.Part, sum *derive.Terms, currency string) string {
	hours := p.c.Must("cost.hoursPerMonth").Value()
	in := append(sum.In, derive.In("hours", hours))
	hourly, monthly := "("+sum.Sum()+") / hours", sum.Sum()
	if p.s.Hardware.PricePeriod != "month" {
		hourly, monthly = sum.Sum(), "("+sum.Sum()+") * hours"
	}
	hour := p.b.Calc("nodes.cost.hour", "Cost of an hour, all nodes that have a price", currency, hourly, in...)
	month := p.b.Calc("nodes.cost.month", "Cost of a month of 730 hours", currency, monthly, in...)
	s.Detail(hour, month)
	return strings.Join([]string{hour.Text + " an hour", month.Text + " a month"}, ", ")
}
