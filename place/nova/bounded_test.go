package nova_test

import (
	"testing"

	"plimsoll.dev/place/nova"
)

// TestScarceDevices: eight cells on 32 nodes that can't have their devices together,
// whichever nodes they take. Trying them all would take hours.
func TestScarceDevices(t *testing.T) {
	const (
		required = nova.Required
		legacy   = nova.Legacy
	)
	host := func(free int, at ...int) *nova.Host {
		sizes := make([]int, 32)
		for i := range sizes {
			sizes[i] = 4
		}
		h := dualSocket(1, sizes...)
		for _, k := range at {
			h.Pools = append(h.Pools, nova.DevicePool{Kind: "vf", Node: k, Total: 4, Free: free})
		}
		return h
	}
	everywhere := make([]int, 32)
	for i := range everywhere {
		everywhere[i] = i
	}
	ask := func(policy string, counts ...int) (out []nova.DeviceRequest) {
		for _, n := range counts {
			out = append(out, nova.DeviceRequest{Kind: "vf", Count: n, Policy: policy})
		}
		return out
	}
	for name, c := range map[string]struct {
		h       *nova.Host
		devices []nova.DeviceRequest
		fits    bool
	}{
		"two requests, one device":                 {host(1, 31), ask(required, 1, 1), false},
		"two requests, one of two devices is near": {host(1, 31, -1), ask(required, 1, 1), false},
		"one request more than eight nodes have":   {host(1, everywhere...), ask(required, 9), false},
		"nine requests, eight nodes":               {host(1, everywhere...), ask(required, 1, 1, 1, 1, 1, 1, 1, 1, 1), false},
		"nine of legacy, eight nodes":              {host(1, everywhere...), ask(legacy, 4, 5), false},
		"nine of socket, sockets of one node":      {host(1, everywhere...), ask(nova.Socket, 4, 5), false},
		"as many as eight nodes have":              {host(1, everywhere...), ask(required, 4, 4), true},
		"on the last nodes":                        {host(1, 24, 25, 26, 27, 28, 29, 30, 31), ask(required, 4, 4), true},
	} {
		r := dedicated(1, 1, 1, 1, 1, 1, 1, 1)
		r.Devices = c.devices
		if got := c.h.Fits(r, nova.Nova); got != c.fits {
			t.Errorf("%s: fits %v, want %v", name, got, c.fits)
		}
		if reasons := c.h.Explain(r, nova.Nova); (reasons == nil) != c.fits {
			t.Errorf("%s: reasons %q", name, tell(reasons))
		}
	}
}
