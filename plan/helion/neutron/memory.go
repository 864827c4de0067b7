package neutron

import (
	"slices"

	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
)

// DPDK are the constants of TripleO's rule for the memory of OVS-DPDK, in bytes but
// for the number of buffers.
type DPDK struct {
	// Overhead of a packet buffer, Buffers for each MTU, Round is the step of the MTU.
	Overhead, Buffers, Round float64
	// Extra beyond the buffers, Step of the result, WithoutNIC is what a node without a NIC gets.
	Extra, Step, WithoutNIC float64
}

// LoadDPDK takes the constants from the catalogue.
func LoadDPDK(c *facts.Catalogue) DPDK {
	f := func(name string) float64 { return c.Must("tripleo.dpdk." + name).Number }
	return DPDK{Overhead: f("bufferOverhead"), Buffers: f("buffers"), Round: f("roundMTU"), Extra: f("extra"),
		Step: f("step"), WithoutNIC: f("withoutNIC")}
}

// Memory is what DPDK needs on a NUMA node in bytes: buffers for each different MTU
// of its NICs, rounded up to Round, with their overhead; then Extra, rounded up to
// Step. A node without a NIC gets WithoutNIC.
func (d DPDK) Memory(mtus []int) float64 {
	if len(mtus) == 0 {
		return d.WithoutNIC
	}
	different := slices.Clone(mtus)
	slices.Sort(different)
	sum := d.Extra
	for _, mtu := range slices.Compact(different) {
		sum += (derive.Ceil(float64(mtu)/d.Round)*d.Round + d.Overhead) * d.Buffers
	}
	return derive.Ceil(sum/d.Step) * d.Step
}
