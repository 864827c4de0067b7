package schedulertest

import "plimsoll.dev/place/scheduler"

// ByHand are sessions of releases that the oracle doesn't link. Their answers are
// worked out on paper from the source of Kubernetes v1.35.4, v1.34.4 and v1.32.9:
// pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go and
// pkg/scheduler/schedule_one.go.
func ByHand() []Recorded {
	return append(balances(), unscored()...)
}

// recorded is a session of the release with its answers.
func recorded(s Session, release string, placed ...int32) Recorded {
	s.Profile.Release = release
	s.Name += ", " + release
	return Recorded{Session: s, Release: "by hand", Placed: placed}
}

// balances: all fractions are sixteenths, so that floating point is exact.
// Node 0 is empty; node 1 has 10 of 16 cores and 1 of 16 GiB taken.
//
//	pod a asks for 4 cores and 6 GiB
//	node 0: with   (4/16, 6/16)   std 1/16  score 93;  without (0, 0)        100
//	node 1: with   (14/16, 7/16)  std 7/32  score 78;  without (10/16, 1/16) 71
//	up to 1.35: 93 against 78, so node 0
//	from 1.36:  50 + (50+93-100)/2 = 71 against 50 + (50+78-71)/2 = 78, so node 1
//
// A second pod a: up to 1.35, after node 0 was taken:
//
//	node 0: with   (8/16, 12/16)  std 1/8   score 87
//	node 1: as before                       score 78, so node 0 again
func balances() []Recorded {
	twoNodes := func() Session {
		return session("balance", equal(2, node(16, 16)), []scheduler.PodClass{pod(4000, 6<<10), pod(10000, 1<<10)},
			"aa").only(balanced).bind(1, 1)
	}
	first := twoNodes()
	first.Arrivals = first.Arrivals[:1]
	return []Recorded{
		recorded(twoNodes(), "1.35", 0, 0),
		recorded(twoNodes(), "1.34", 0, 0),
		recorded(first, "1.36", 1),
	}
}

// unscored: with the weights of the eight plug-ins that had scores up to 1.34 at
// 0, the first feasible node is taken, and the next search begins behind it.
// Pod a takes 3 of 4 cores. From node 0: a goes to node 0 and the search stops at
// node 1, which is not counted: start 1. And so on; the fourth finds no room, having
// looked at all three: the start stays where it was.
func unscored() []Recorded {
	s := withWeights(session("without scores", equal(3, node(4, 16)), []scheduler.PodClass{pod(3000, 1024)}, "aaaa"),
		map[string]int64{fit: 0, balanced: 0, taint: 0, affine: 0, spread: 0, interpod: 0, images: 0, volumes: 0})
	return []Recorded{recorded(s, "1.34", 0, 1, 2, -1)}
}
