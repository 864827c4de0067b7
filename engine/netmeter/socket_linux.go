package netmeter

import (
	"fmt"
	"net"
	"net/netip"

	"golang.org/x/sys/unix"

	"plimsoll.dev/bench/network"
)

// sockaddr of an address, and the family of its sockets.
func sockaddr(a netip.AddrPort) (unix.Sockaddr, int) {
	if ip := a.Addr().Unmap(); ip.Is4() {
		return &unix.SockaddrInet4{Port: int(a.Port()), Addr: ip.As4()}, unix.AF_INET
	}
	s := &unix.SockaddrInet6{Port: int(a.Port()), Addr: a.Addr().As16()}
	if zone, err := net.InterfaceByName(a.Addr().Zone()); err == nil {
		s.ZoneId = uint32(zone.Index)
	}
	return s, unix.AF_INET6
}

// dial begins to connect, without waiting.
func dial(a netip.AddrPort, s sample) (fd int, connecting bool, err error) {
	to, family := sockaddr(a)
	fd, err = unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, unix.IPPROTO_TCP)
	if err != nil {
		return -1, false, fmt.Errorf("a socket: %w", err)
	}
	if err = tuneSocket(fd, s); err == nil {
		err = unix.Connect(fd, to)
	}
	if err == unix.EINPROGRESS {
		return fd, true, nil
	}
	if err != nil {
		unix.Close(fd)
		if err == unix.EADDRNOTAVAIL {
			return -1, false, fmt.Errorf("no local port is free: connections of the last minute hold them all " +
				"(a shorter --duration, or a wider net.ipv4.ip_local_port_range)")
		}
		return -1, false, fmt.Errorf("to connect to %s: %w", a, err)
	}
	return fd, false, nil
}

// tuneSocket sends small requests at once, as all peers do, and sets the congestion control. A stream
// is left to Nagle's algorithm, as the kernel has it.
func tuneSocket(fd int, s sample) error {
	if s.Cell.Pattern != network.Stream {
		if err := unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1); err != nil {
			return fmt.Errorf("TCP_NODELAY: %w", err)
		}
	}
	if s.Congestion == "" {
		return nil
	}
	if err := unix.SetsockoptString(fd, unix.IPPROTO_TCP, unix.TCP_CONGESTION, s.Congestion); err != nil {
		return fmt.Errorf("congestion control %q: %w (net.ipv4.tcp_allowed_congestion_control lists what users may take)",
			s.Congestion, err)
	}
	return nil
}

// congestion control that a connection has.
func congestion(fd int) string {
	name, err := unix.GetsockoptString(fd, unix.IPPROTO_TCP, unix.TCP_CONGESTION)
	if err != nil {
		return ""
	}
	return name
}

// room says whether so many connections can be open beside what the process has.
func room(connections int) error {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return nil
	}
	if need := uint64(connections + 64); limit.Cur < need {
		return fmt.Errorf("%d connections need %d open files, and %d are allowed (ulimit -n)", connections, need, limit.Cur)
	}
	return nil
}
