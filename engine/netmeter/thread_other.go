//go:build !linux

package netmeter

// At does work; other systems have no spots.
func At(_ Spot, work func() error) error { return work() }
