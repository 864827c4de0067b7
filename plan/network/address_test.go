package network

import (
	"net/netip"
	"testing"

	"pgregory.net/rapid"

	_ "plimsoll.dev/internal/seed"
)

func TestHostPrefix(t *testing.T) {
	for _, c := range []struct {
		addresses int64
		want      int
	}{
		{0, 32}, {1, 32}, {2, 31}, {3, 30}, {4, 30}, {5, 29},
		{254, 24}, {256, 24}, {257, 23},
		{250 + 15 + 2, 23}, // OCP 2.1: the default maxPods of 250 in the default /23
		{500 + 10 + 2, 23}, // exactly 512, without the node's own addresses
		{500 + 15 + 2, 22}, // OCP 9.1, note 2
		{2500 + 15 + 2, 20},
		{1 << 32, 0}, {1 << 40, 0},
	} {
		if got := HostPrefix(c.addresses); got != c.want {
			t.Errorf("HostPrefix(%d) = %d, want %d", c.addresses, got, c.want)
		}
	}
}

func TestSubnets(t *testing.T) {
	for _, c := range []struct {
		prefix, hostPrefix int
		want               int64
	}{
		{14, 23, 512}, {12, 23, 2048}, {10, 23, 8192}, {14, 22, 256}, {23, 23, 1}, {24, 23, 0}, {48, 64, 65536},
		{0, 128, 1 << 62},
	} {
		if got := Subnets(c.prefix, c.hostPrefix); got != c.want {
			t.Errorf("Subnets(%d, %d) = %d, want %d", c.prefix, c.hostPrefix, got, c.want)
		}
	}
}

func TestClusterPrefixIsTheLongestThatHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.Int64Range(1, 1<<22).Draw(t, "nodes")
		hostPrefix := rapid.IntRange(20, 28).Draw(t, "hostPrefix")
		got := ClusterPrefix(nodes, hostPrefix)
		naive := hostPrefix
		for n := int64(1); n < nodes; n *= 2 {
			naive--
		}
		if got != naive {
			t.Fatalf("ClusterPrefix(%d, %d) = %d, doubling says %d", nodes, hostPrefix, got, naive)
		}
	})
}

// The naive twin tries every aligned block.
func naiveFreeBlock(length int, spaces, avoid []netip.Prefix) (netip.Prefix, bool) {
	for _, s := range spaces {
		if length < s.Bits() {
			continue
		}
		for i := range uint64(1) << (length - s.Bits()) {
			p := netip.PrefixFrom(address(value(s.Addr())+i<<(32-length)), length)
			free := true
			for _, a := range avoid {
				free = free && !p.Overlaps(a)
			}
			if free {
				return p, true
			}
		}
	}
	return netip.Prefix{}, false
}

func TestFreeBlockAgainstNaive(t *testing.T) {
	spaces := prefixes("10.0.0.0/16", "172.16.0.0/18", "192.168.4.0/22")
	drawPrefix := rapid.Custom(func(t *rapid.T) netip.Prefix {
		space := rapid.SampledFrom(spaces).Draw(t, "space")
		length := rapid.IntRange(space.Bits()-2, 26).Draw(t, "length")
		offset := rapid.Uint64Range(0, 1<<(32-space.Bits())-1).Draw(t, "offset")
		return netip.PrefixFrom(address(value(space.Addr())+offset), length).Masked()
	})
	rapid.Check(t, func(t *rapid.T) {
		length := rapid.IntRange(14, 26).Draw(t, "wanted")
		avoid := rapid.SliceOfN(drawPrefix, 0, 6).Draw(t, "avoid")
		got, ok := FreeBlock(length, spaces, avoid)
		want, wantOK := naiveFreeBlock(length, spaces, avoid)
		if ok != wantOK || ok && got != want {
			t.Fatalf("FreeBlock(%d) beside %v = %v %v, trying all gives %v %v", length, avoid, got, ok, want, wantOK)
		}
	})
}

func TestFreeBlockAtTheEnds(t *testing.T) {
	for _, c := range []struct {
		name          string
		length        int
		spaces, avoid []netip.Prefix
		want          string
	}{
		{"whole space", 8, prefixes("10.0.0.0/8"), nil, "10.0.0.0/8"},
		{"too large", 7, prefixes("10.0.0.0/8"), nil, "invalid Prefix"},
		{"IPv6 is skipped", 16, prefixes("fd00::/8", "10.0.0.0/8"), prefixes("fd01::/48"), "10.0.0.0/16"},
		{"last block of all", 32, prefixes("255.255.255.254/31"), prefixes("255.255.255.254/32"), "255.255.255.255/32"},
		{"avoid everything", 16, prefixes("10.0.0.0/8"), prefixes("0.0.0.0/0"), "invalid Prefix"},
	} {
		if got, _ := FreeBlock(c.length, c.spaces, c.avoid); got.String() != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func prefixes(texts ...string) []netip.Prefix {
	var out []netip.Prefix
	for _, s := range texts {
		out = append(out, netip.MustParsePrefix(s))
	}
	return out
}
