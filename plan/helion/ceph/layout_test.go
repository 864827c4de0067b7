package ceph

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// rules are those of HCG 6: pairs, 2 to 8 hosts, 2 to 8 OSDs each, disks of 300 GB.
func rules() Demand {
	return Demand{Group: 2, MaxHosts: 8, MinPerHost: 2, MaxPerHost: 8, Min: 4, DiskMin: 300 * gb}
}

func equal(n int, size float64) []float64 { return slices.Repeat([]float64{size}, n) }

// The example of 14,600 GB: hosts with 8 disks of 300 GB take 4 pairs for 49 OSDs
// (32 on two pairs, 48 on three).
func TestEquip(t *testing.T) {
	d := rules()
	d.Provide = 14600 * gb
	for _, c := range []struct {
		name    string
		demand  func(*Demand)
		disks   []float64
		fixed   int
		hosts   int
		limited string
		fits    bool
	}{
		{"49 of 300 GB on 8 hosts", nil, equal(8, 300*gb), 0, 8, byCapacity, true},
		{"16 of 913 GB on a pair", nil, equal(8, 913*gb), 0, 2, byCapacity, true},
		{"912 GB is a little short", nil, equal(8, 912*gb), 0, 4, byCapacity, true},
		{"one pair is fixed", nil, equal(8, 912*gb), 2, 2, byCapacity, false},
		{"three hosts are no pairs", nil, equal(8, 2000*gb), 3, 3, byCapacity, false},
		{"ten hosts are too many", nil, equal(4, 400*gb), 0, 10, byCapacity, false},
		{"nine OSDs a host", nil, equal(9, 2000*gb), 0, 2, byCapacity, false},
		{"one OSD a host", nil, equal(1, 8000*gb), 0, 4, byMinimum, false},
		{"operations decide", func(d *Demand) { d.IOPS, d.Rate = 6250, 200 }, equal(8, 2000*gb), 0, 4, byIOPS, true},
		{"throughput decides", func(d *Demand) { d.Throughput, d.Flow = 375e6, 20e6 }, equal(8, 2000*gb), 0, 4,
			byThroughput, true},
		{"nothing is asked", func(d *Demand) { d.Provide = 0 }, equal(2, 300*gb), 0, 2, byMinimum, true},
		{"mixed disks count with their sum", nil, []float64{4000 * gb, 4000 * gb}, 0, 2, byMinimum, true},
	} {
		d := d
		if c.demand != nil {
			c.demand(&d)
		}
		l := d.Equip(c.disks, c.fixed)
		if l.Hosts != c.hosts || l.Fits != c.fits || l.Limiting != c.limited {
			t.Errorf("%s: %+v", c.name, l)
		}
	}
}

// Without disks the plan proposes 16 OSDs of 1,074 GB for the example; small needs
// get the fewest disks of the smallest size.
func TestPropose(t *testing.T) {
	for _, c := range []struct {
		name                           string
		demand                         Demand
		fixedHosts, fixedPerHost, most int
		hosts, perHost                 int
		size                           float64
		fits                           bool
	}{
		{"the example", Demand{Provide: 14600 * gb / 0.85}, 0, 0, 8, 2, 8, 1074 * gb, true},
		{"the example without near-full", Demand{Provide: 14600 * gb}, 0, 0, 8, 2, 8, 913 * gb, true},
		{"nothing", Demand{}, 0, 0, 8, 2, 2, 300 * gb, true},
		{"a little", Demand{Provide: 1500 * gb}, 0, 0, 8, 2, 3, 300 * gb, true},
		{"10 cores carry 5", Demand{Provide: 14600 * gb}, 0, 0, 5, 2, 5, 1460 * gb, true},
		{"operations take two pairs", Demand{Provide: 100 * gb, IOPS: 6250, Rate: 200}, 0, 0, 8, 4, 8, 300 * gb, true},
		{"more operations than 64 OSDs give", Demand{IOPS: 65 * 200, Rate: 200}, 0, 0, 8, 8, 8, 300 * gb, false},
		{"a fixed number each", Demand{Provide: 14600 * gb}, 0, 4, 8, 2, 4, 1825 * gb, true},
		{"fixed hosts", Demand{Provide: 14600 * gb}, 4, 0, 8, 4, 8, 457 * gb, true},
		{"an odd number of hosts", Demand{Provide: 14600 * gb}, 3, 0, 8, 3, 8, 609 * gb, false},
		{"too few cores", Demand{Provide: 100 * gb}, 0, 0, 1, 8, 2, 300 * gb, false},
	} {
		d := rules()
		d.Provide, d.IOPS, d.Rate = c.demand.Provide, c.demand.IOPS, c.demand.Rate
		l := d.Propose(c.fixedHosts, c.fixedPerHost, c.most)
		if l.Hosts != c.hosts || l.PerHost != c.perHost || l.Size != c.size || l.Fits != c.fits {
			t.Errorf("%s: %+v", c.name, l)
		}
	}
}

func draw(t *rapid.T) Demand {
	d := rules()
	d.Group = rapid.IntRange(2, 4).Draw(t, "group")
	d.Provide = float64(rapid.IntRange(0, 100_000).Draw(t, "provide")) * gb
	d.IOPS = float64(rapid.IntRange(0, 20_000).Draw(t, "iops"))
	d.Rate = float64(rapid.SampledFrom([]int{0, 150, 200, 5000}).Draw(t, "rate"))
	d.Throughput = float64(rapid.IntRange(0, 4000).Draw(t, "flow")) * 1e6
	d.Flow = float64(rapid.SampledFrom([]int{0, 70, 400}).Draw(t, "each")) * 1e6
	return d
}

// carries is the naive judgement: each need by itself.
func carries(d Demand, osds, size float64) bool {
	return osds*size >= d.Provide-1 && (d.Rate == 0 || osds*d.Rate >= d.IOPS) &&
		(d.Flow == 0 || osds*d.Flow >= d.Throughput) && osds >= float64(d.Min)
}

// The naive twin adds one group after the other until all needs are met.
func TestEquipNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := draw(t)
		size := float64(rapid.IntRange(300, 8000).Draw(t, "size")) * gb
		each := rapid.IntRange(1, 10).Draw(t, "each")
		hosts := d.Group
		for !carries(d, float64(hosts*each), size) {
			hosts += d.Group
		}
		l := d.Equip(equal(each, size), 0)
		fits := hosts <= d.MaxHosts && each >= 2 && each <= 8
		if l.Hosts != hosts || l.Fits != fits {
			t.Fatalf("%+v; the twin says %d hosts, fits %v", l, hosts, fits)
		}
		need := map[string]float64{byCapacity: d.Provide / size, byMinimum: float64(d.Min)}
		if d.Rate > 0 {
			need[byIOPS] = d.IOPS / d.Rate
		}
		if d.Flow > 0 {
			need[byThroughput] = d.Throughput / d.Flow
		}
		for name, n := range need {
			if n > need[l.Limiting]+1 {
				t.Fatalf("%s takes %v OSDs, %s is named with %v", name, n, l.Limiting, need[l.Limiting])
			}
		}
	})
}

// The naive twin tries all numbers of hosts and OSDs with disks as large as it takes.
func TestProposeNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := draw(t)
		most := rapid.IntRange(1, 12).Draw(t, "most")
		hosts := 0
		for n := d.Group; n <= d.MaxHosts && hosts == 0; n += d.Group {
			for each := d.MinPerHost; each <= min(d.MaxPerHost, most); each++ {
				if hosts == 0 && carries(d, float64(n*each), 1e18) {
					hosts = n
				}
			}
		}
		l := d.Propose(0, 0, most)
		if l.Fits != (hosts > 0) || l.Fits && l.Hosts != hosts {
			t.Fatalf("%+v; the twin says %d hosts", l, hosts)
		}
		if l.Fits && (!carries(d, float64(l.OSDs()), l.Size) ||
			l.Size > d.DiskMin && carries(d, float64(l.OSDs()), l.Size-1.001*gb)) {
			t.Fatalf("%+v: not the smallest size that carries %+v", l, d)
		}
	})
}
