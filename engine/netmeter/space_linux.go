package netmeter

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"runtime"
	"slices"

	"github.com/safchain/ethtool"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"plimsoll.dev/bench/network"
	"plimsoll.dev/engine/ends"
)

// vxlanPort of RFC 7348, and the network identifier that all tunnels here have.
const (
	vxlanPort = 4789
	vxlanID   = 99
)

// World is a topology that was built.
type World struct {
	topology *network.Topology
	spaces   map[string]*os.File
}

// Build the namespaces of a topology with their devices. Nothing of it has a name in the file system, and nothing is
// in the machine's own namespace: Close or the end of this process is the end of all.
func Build(ctx context.Context, t *network.Topology) (*World, error) {
	w := &World{t, map[string]*os.File{}}
	for _, name := range t.Spaces {
		f, err := newSpace()
		if err != nil {
			w.Close()
			return nil, err
		}
		w.spaces[name] = f
	}
	for _, step := range []func() error{w.prepare, w.join, w.routes, w.offloads} {
		err := ctx.Err()
		if err == nil {
			err = step()
		}
		if err != nil {
			w.Close()
			return nil, err
		}
	}
	return w, nil
}

// Close lets go of the namespaces.
func (w *World) Close() {
	for _, f := range w.spaces {
		f.Close()
	}
}

// Space is the file of a namespace.
func (w *World) Space(name string) *os.File { return w.spaces[name] }

// newSpace makes a network namespace that has no name.
func newSpace() (*os.File, error) {
	type made struct {
		f   *os.File
		err error
	}
	out := make(chan made)
	go func() {
		runtime.LockOSThread() // the thread ends with the goroutine
		if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
			out <- made{nil, fmt.Errorf("to make a network namespace: %w", err)}
			return
		}
		f, err := os.Open("/proc/thread-self/ns/net")
		out <- made{f, err}
	}()
	m := <-out
	return m.f, m.err
}

// inside does work in a space, on a thread of its own.
func (w *World) inside(space string, work func() error) error {
	out := make(chan error)
	go func() {
		runtime.LockOSThread()
		err := ends.Enter(Spot{Space: w.spaces[space]})
		if err == nil {
			err = work()
		}
		out <- err
	}()
	if err := <-out; err != nil {
		return fmt.Errorf("namespace %s: %w", space, err)
	}
	return nil
}

// sysctls of every space: it forwards, takes packets whose answer goes another way, and has ports enough
// for connections that are closed soon.
var sysctls = map[string]string{"net/ipv4/ip_forward": "1", "net/ipv4/conf/all/rp_filter": "0",
	"net/ipv4/conf/default/rp_filter": "0", "net/ipv4/ip_local_port_range": "1024 65535"}

// prepare what must be set before there are devices.
func (w *World) prepare() error {
	for _, space := range w.topology.Spaces {
		err := w.inside(space, func() error {
			for name, value := range sysctls {
				if err := os.WriteFile("/proc/sys/"+name, []byte(value), 0); err != nil {
					return err
				}
			}
			if mask := w.topology.Switches.RPS; mask != "" {
				if err := os.WriteFile("/proc/sys/net/core/rps_default_mask", []byte(mask), 0); err != nil {
					return fmt.Errorf("RPS mask %q is refused: %w (this machine has %d CPUs; net.core.rps_default_mask "+
						"needs Linux 6.3)", mask, err, ends.MachineCPUs())
				}
			}
			lo, err := netlink.LinkByName("lo")
			if err == nil {
				err = netlink.LinkSetUp(lo)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// join the spaces by bridges, wires and tunnels.
func (w *World) join() error {
	for _, b := range w.topology.Bridges {
		if err := w.inside(b.Space, func() error {
			return add(&netlink.Bridge{LinkAttrs: attrs(b.Device, b.MTU)}, network.Port{Device: b.Device, Address: b.Address})
		}); err != nil {
			return err
		}
	}
	for _, x := range w.topology.Wires {
		if err := w.inside(x.A.Space, func() error {
			peer := netlink.NsFd(w.spaces[x.B.Space].Fd())
			return add(&netlink.Veth{LinkAttrs: attrs(x.A.Device, x.MTU), PeerName: x.B.Device, PeerNamespace: peer}, x.A)
		}); err != nil {
			return err
		}
		if err := w.inside(x.B.Space, func() error { return set(x.B, x.MTU) }); err != nil {
			return err
		}
	}
	for _, u := range w.topology.Tunnels {
		if err := w.inside(u.Space, func() error {
			return add(&netlink.Vxlan{LinkAttrs: attrs(u.Device, u.MTU), VxlanId: vxlanID, Port: vxlanPort, Learning: true,
				SrcAddr: u.Local.AsSlice(), Group: u.Remote.AsSlice()}, network.Port{Device: u.Device, Bridge: u.Bridge})
		}); err != nil {
			return err
		}
	}
	return nil
}

func attrs(name string, mtu int) netlink.LinkAttrs {
	a := netlink.NewLinkAttrs()
	a.Name, a.MTU = name, mtu
	return a
}

// add a device to the space of this thread.
func add(link netlink.Link, p network.Port) error {
	if err := netlink.LinkAdd(link); err != nil {
		return fmt.Errorf("to add the %s %s: %w", link.Type(), p.Device, err)
	}
	return set(p, link.Attrs().MTU)
}

// set what a device has, and have it up.
func set(p network.Port, mtu int) error {
	link, err := netlink.LinkByName(p.Device)
	if err != nil {
		return err
	}
	err = netlink.LinkSetMTU(link, mtu)
	if err == nil && p.Address.IsValid() {
		err = netlink.AddrAdd(link, &netlink.Addr{IPNet: ipNet(p.Address)})
	}
	if err == nil && p.Bridge != "" {
		var bridge netlink.Link
		if bridge, err = netlink.LinkByName(p.Bridge); err == nil {
			err = netlink.LinkSetMaster(link, bridge)
		}
	}
	if err == nil {
		err = netlink.LinkSetUp(link)
	}
	if err != nil {
		return fmt.Errorf("the device %s: %w", p.Device, err)
	}
	return nil
}

func ipNet(p netip.Prefix) *net.IPNet {
	return &net.IPNet{IP: p.Addr().AsSlice(), Mask: net.CIDRMask(p.Bits(), p.Addr().BitLen())}
}

func (w *World) routes() error {
	for _, r := range w.topology.Routes {
		if err := w.inside(r.Space, func() error {
			// A network that is attached is reached by its device; the address of a host may go another way.
			to := ipNet(r.To.Masked())
			if err := netlink.RouteReplace(&netlink.Route{Dst: to, Gw: r.Via.AsSlice()}); err != nil {
				return fmt.Errorf("the route to %s by %s: %w", r.To, r.Via, err)
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// segmentation and checksums that devices do for the kernel, by the names of ethtool.
var segmentation = []string{"tx-tcp-segmentation", "tx-generic-segmentation", "rx-gro", "tx-tcp6-segmentation",
	"tx-tcp-ecn-segmentation", "tx-tcp-mangleid-segmentation"}

// offloads are switched off where that is asked for: at the devices that can.
func (w *World) offloads() error {
	if w.topology.Switches.Offloads {
		return nil
	}
	return w.devices(func(p network.Port) error {
		e, err := ethtool.NewEthtool()
		if err != nil {
			return err
		}
		defer e.Close()
		off := map[string]bool{}
		have, err := e.Features(p.Device)
		for _, name := range segmentation {
			if have[name] {
				off[name] = false
			}
		}
		if err == nil && len(off) > 0 {
			err = e.Change(p.Device, off)
		}
		if err != nil {
			return fmt.Errorf("offloads of %s: %w", p.Device, err)
		}
		return nil
	})
}

// devices does work for each device in its space.
func (w *World) devices(work func(network.Port) error) error {
	var errs []error
	for _, p := range w.topology.Devices() {
		errs = append(errs, w.inside(p.Space, func() error { return work(p) }))
	}
	return errors.Join(errs...)
}

// Hops are all devices of the topology with what they really have.
func (w *World) Hops() ([]network.Hop, error) {
	var out []network.Hop
	err := w.devices(func(p network.Port) error {
		link, err := netlink.LinkByName(p.Device)
		if err != nil {
			return err
		}
		h := hop(link)
		h.Name, h.RPS = p.Space+" "+h.Name, w.topology.Switches.RPS
		out = append(out, h)
		return nil
	})
	return slices.Clip(out), err
}
