package scheduler

import (
	"fmt"
	"math/rand/v2"
)

// benchNodes are n nodes of three kinds in three zones.
func benchNodes(n int) []Node {
	kinds := []Resources{{CPU: 15500, Memory: 60 << 30, Pods: 250}, {CPU: 31000, Memory: 120 << 30, Pods: 250},
		{CPU: 63000, Memory: 250 << 30, Pods: 500}}
	out := make([]Node, n)
	for i := range out {
		name := fmt.Sprintf("node-%05d", i)
		out[i] = Node{Name: name, Allocatable: kinds[i%len(kinds)],
			Labels: map[string]string{HostnameLabel: name, ZoneLabel: fmt.Sprintf("zone-%d", i/7%3)}}
	}
	return out
}

// benchClasses are types of pods, in sum about as large as the nodes allow: a
// node of the middle kind holds 50.
func benchClasses(n int) []PodClass {
	r := rand.New(rand.NewPCG(uint64(n), 1))
	out := make([]PodClass, n)
	for i := range out {
		cpu, memory := 100+50*int64(r.IntN(18)), int64(256<<20)+int64(r.IntN(14))<<28
		out[i] = PodClass{Name: fmt.Sprintf("type-%d", i), Labels: map[string]string{"app": fmt.Sprint(i)},
			Request: Resources{CPU: cpu, Memory: memory}, NonZeroCPU: cpu, NonZeroMemory: memory}
	}
	return out
}

// arrivals are the classes of pods in runs, or shuffled.
func arrivals(pods, classes int, shuffled bool) []ClassID {
	out := make([]ClassID, pods)
	for i := range out {
		out[i] = ClassID(i * classes / pods)
	}
	if shuffled {
		r := rand.New(rand.NewPCG(1, 2))
		r.Shuffle(pods, func(i, j int) { out[i], out[j] = out[j], out[i] })
	}
	return out
}
