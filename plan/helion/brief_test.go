package helion

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/facts"
	_ "plimsoll.dev/internal/seed"
)

// The hosts to place VMs on are the same whether the plan is made for readers or not.
func TestDecideHasTheHostsOfThePlan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := cloudOf()
		for range rapid.IntRange(1, 2).Draw(t, "kinds") {
			b.add(rapid.IntRange(0, 30).Draw(t, "count"), rapid.IntRange(1, 6).Draw(t, "vcpus"),
				2*rapid.Int64Range(1, 4).Draw(t, "GiB"),
				rapid.SampledFrom([]map[string]string{nil, dedicated, {"hw:mem_page_size": "1048576"}}).Draw(t, "properties"))
		}
		other := *b.node("compute")
		other.Name, other.Price = "other", float64(rapid.IntRange(0, 2).Draw(t, "price"))
		b.Hardware.NodeTypes = append(b.Hardware.NodeTypes, other)
		for _, name := range []string{"compute", "other"} {
			if n := rapid.IntRange(-3, 9).Draw(t, name); n >= 0 {
				b.count(name, n)
			}
		}
		full, short := Make(b.Scenario, nil, facts.Load(), nil), Decide(b.Scenario, nil, facts.Load(), nil)
		if want, got := fmt.Sprintf("%+v", Hosts(b.Scenario, full, nil)),
			fmt.Sprintf("%+v", Hosts(b.Scenario, short, nil)); got != want {
			t.Fatalf("%s, of the whole plan %s", got, want)
		}
		if want, got := fmt.Sprintf("%+v", Pools(b.Scenario, full, nil)),
			fmt.Sprintf("%+v", Pools(b.Scenario, short, nil)); got != want {
			t.Fatalf("pools %s, of the whole plan %s", got, want)
		}
	})
}
