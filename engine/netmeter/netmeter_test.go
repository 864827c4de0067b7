package netmeter

import (
	"fmt"
	"net/netip"
	"os"
	"testing"
	"time"

	"plimsoll.dev/bench/network"
)

func open(t *testing.T, place string, s network.Switches, client, server []int) *Client {
	t.Helper()
	topology, err := network.Place(place, s)
	if err != nil {
		t.Fatal(err)
	}
	w, err := Build(t.Context(), topology)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	at := netip.AddrPortFrom(topology.Address, 5201).String()
	sv, err := StartServer(t.Context(), Spot{w.Space(topology.Server), server}, at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sv.Close)
	c, err := StartClient(t.Context(), Spot{w.Space(topology.Client), client}, at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	hops, err := w.Hops()
	fmt.Println(hops, err)
	return c
}

func TestPlaces(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip()
	}
	for _, place := range network.Places() {
		t.Run(place, func(t *testing.T) {
			c := open(t, place, network.Switches{MTU: 1500, Offloads: true}, []int{0}, []int{0})
			fmt.Printf("%+v\n", c.Ends)
			for _, name := range []string{"rr-1x1-1", "rr-200x1000-50", "rr-200x30000-250", "crr-200x1000-50", "stream-1x1-1", "stream-200x1000-1", "stream-30000x0-50", "crr-1x1-1"} {
				cell, _ := network.ParseCell(name)
				r, err := c.Measure(cell, network.Parameters{Duration: time.Second, Warmup: 300 * time.Millisecond}, "")
				if err != nil {
					t.Fatal(err)
				}
				w, _ := cell.Little(r)
				fmt.Println(place, name, "p50", r.Latency.P50.Value, "p99", r.Latency.P99.Value, "rate", int(r.Rate()), "MB/s", int(r.Throughput()/1e6), "little", w, "foreign", r.Foreign(), r.Disturbed(), *r.Client, *r.Server, *r.Machine)
			}
		})
	}
}
