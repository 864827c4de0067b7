// Package scheduler drives the real kube-scheduler, as a library, in one process
// and without an API server: parallelism 1, no batching, each pod tried once, in
// order, bound by assuming it in the cache, and no preemption. What it decides is
// recorded as fixtures for the tests of place/scheduler, or compared with what
// place/scheduler decides. It judges nothing and contains no rule of its own.
//
//	go run . scheduler record -out ../place/scheduler/testdata/oracle
//	go run . scheduler check -seed 7
//	go run . scheduler bench
package scheduler
