package network

import (
	"math/bits"
	"net/netip"
)

// HostPrefix is the length of the longest IPv4 prefix whose subnet has at least
// so many addresses, the unusable ones counted in: 512 addresses fit a /23, 513
// need a /22. Its range is 0 to 32.
func HostPrefix(addresses int64) int {
	if addresses <= 1 {
		return 32
	}
	return max(0, 32-bits.Len64(uint64(addresses-1)))
}

// Subnets is the number of subnets of length hostPrefix in a network of length
// prefix; 0 when they don't fit. Counts beyond 2^62 are given as 2^62.
func Subnets(prefix, hostPrefix int) int64 {
	if hostPrefix < prefix {
		return 0
	}
	return 1 << min(62, hostPrefix-prefix)
}

// ClusterPrefix is the length of the longest prefix that holds a subnet of
// length hostPrefix for each node; negative when no network does.
func ClusterPrefix(nodes int64, hostPrefix int) int {
	if nodes <= 1 {
		return hostPrefix
	}
	return hostPrefix - bits.Len64(uint64(nodes-1))
}

// FreeBlock finds the first IPv4 network of the given length, in address order
// within each of the spaces in turn, that overlaps none of the networks to
// avoid. ok is false when there is none.
func FreeBlock(length int, spaces, avoid []netip.Prefix) (block netip.Prefix, ok bool) {
	for _, space := range spaces {
		if !space.Addr().Is4() || length < space.Bits() || length > 32 {
			continue
		}
		first := value(space.Masked().Addr())
		end := first + 1<<(32-space.Bits())
		for at := first; at < end; {
			block = netip.PrefixFrom(address(at), length)
			hit, found := overlapping(block, avoid)
			if !found {
				return block, true
			}
			at = alignUp(max(at+1, value(hit.Masked().Addr())+1<<(32-hit.Bits())), length)
		}
	}
	return netip.Prefix{}, false
}

// overlapping is the first of the networks that shares an address with p.
func overlapping(p netip.Prefix, networks []netip.Prefix) (netip.Prefix, bool) {
	for _, n := range networks {
		if p.Overlaps(n) {
			return n, true
		}
	}
	return netip.Prefix{}, false
}

// value is an IPv4 address as a number; 64 bits leave room for the end of the
// last network.
func value(a netip.Addr) uint64 {
	b := a.As4()
	return uint64(b[0])<<24 | uint64(b[1])<<16 | uint64(b[2])<<8 | uint64(b[3])
}

func address(v uint64) netip.Addr {
	return netip.AddrFrom4([4]byte{byte(v >> 24), byte(v >> 16), byte(v >> 8), byte(v)})
}

// alignUp is the lowest number from v on at which a network of the length begins.
func alignUp(v uint64, length int) uint64 {
	size := uint64(1) << (32 - length)
	return (v + size - 1) / size * size
}
