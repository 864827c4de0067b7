package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"plimsoll.dev/pack"
	"plimsoll.dev/pack/packtest"
)

// random packs sets of clouds of all shapes: some that are always the same, so that
// what changed is seen, and some that no change was ever tuned to.
func (s *settings) random(out io.Writer) ([]bar, error) {
	var list []outcome
	var perKinds = map[int][]outcome{}
	near := 1.0 // least share in a set
	for b := range s.bases {
		seed := uint64(1000 * (b + 1))
		if b >= s.bases/2 {
			seed = s.seed + uint64(1_000_000*(b-s.bases/2))
		}
		set, err := s.clouds(out, seed, perKinds)
		if err != nil {
			return nil, err
		}
		times(out, fmt.Sprintf("random clouds from seed %d", seed), set)
		near = min(near, share(set, func(o outcome) bool { return o.gap() <= 0.001 }))
		list = append(list, set...)
	}
	times(out, "random clouds, one kind of node", perKinds[1])
	times(out, "random clouds, eight kinds of node", perKinds[8])
	peers(out, "eight kinds of node, above our cost", perKinds[8])
	return []bar{
		most("random clouds: largest gap", 0.005, quantile(list, 1, outcome.gap)),
		least("random clouds: gap of 0.1 % at most, in each set", 0.9, near),
		seconds("random clouds: longest CPU time", 1, list),
		accepted("random clouds", list),
	}, nil
}

// clouds packs some of each shape, from a seed on.
func (s *settings) clouds(out io.Writer, seed uint64, perKinds map[int][]outcome) ([]outcome, error) {
	var set []outcome
	for _, shape := range packtest.Shapes() {
		for n := range uint64(s.seeds) {
			o, err := s.solve(fmt.Sprintf("%s seed %d", shape, seed+n), packtest.Random(shape, seed+n), 1)
			if err != nil {
				return nil, err
			}
			if s.verbose || len(o.faults) > 0 {
				o.print(out)
			}
			set = append(set, o)
			perKinds[shape.Kinds] = append(perKinds[shape.Kinds], o)
		}
	}
	return set, nil
}

// instance is one of the study's, with what is known of it.
type instance struct {
	known
	problem pack.Problem
}

// readInstances reads the instances of a folder that have up to so many items.
func readInstances(dir string, items int) ([]instance, error) {
	var out []instance
	for _, set := range []string{"New", "Panigrahy"} {
		summary, err := read(filepath.Join(dir, set+"_summary_known.csv"), readSummary)
		if err != nil {
			return nil, err
		}
		small := map[string]bool{}
		for _, k := range summary {
			small[k.name] = k.items() <= items
		}
		problems, err := read(filepath.Join(dir, set+"_instances.tar.gz"),
			func(r io.Reader) (map[string]pack.Problem, error) {
				return readArchive(r, func(name string) bool { return small[name] })
			})
		if err != nil {
			return nil, err
		}
		for _, k := range summary {
			p, ok := problems[k.name]
			if small[k.name] && !ok {
				return nil, fmt.Errorf("%s: %s is in the summary, but not in the archive", dir, k.name)
			}
			if ok {
				k.name = set + " " + k.name
				out = append(out, instance{k, p})
			}
		}
	}
	return out, nil
}

// read opens a file and reads it.
func read[T any](name string, parse func(io.Reader) (T, error)) (T, error) {
	var none T
	file, err := os.Open(name)
	if err != nil {
		return none, err
	}
	defer file.Close()
	out, err := parse(file)
	if err != nil {
		return none, fmt.Errorf("%s: %w", name, err)
	}
	return out, nil
}

// folder is the instances' folder of that name, or the part that is committed
// where there is none.
func (s *settings) folder(out io.Writer, name, instead string) string {
	dir := filepath.Join(s.instances, name)
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	fmt.Fprintf(out, "%s: is missing; a small part, %s, is taken instead\n", dir, instead)
	return instead
}

// vectorpack packs the study's instances with up to 120 items.
func (s *settings) vectorpack(out io.Writer) ([]bar, error) {
	all, err := readInstances(s.folder(out, "vectorpack", "tools/benchpack/testdata/vectorpack"), 120)
	if err != nil {
		return nil, err
	}
	n := len(all)
	if s.sample > 0 {
		n = min(n, s.sample)
	}
	var list []outcome
	for i := range n {
		in := all[i*len(all)/n]
		o, err := s.solve(in.name, in.problem, 1)
		if err != nil {
			return nil, err
		}
		o.best, o.least = in.best, in.optimum
		if s.verbose || len(o.faults) > 0 || o.above() {
			o.print(out)
		}
		list = append(list, o)
	}
	times(out, fmt.Sprintf("vectorpack, %d of %d", n, len(all)), list)
	fewer := func(o outcome) bool { return o.nodes() < o.best }
	fmt.Fprintf(out, "fewer nodes than the study's best heuristic in %.1f %%\n", 100*share(list, fewer))
	peers(out, "vector packing, above our cost", list)
	return []bar{
		least("vectorpack: proven optimal", 0.88, share(list, func(o outcome) bool { return o.solution.Optimal })),
		most("vectorpack: more nodes than the best heuristic", 0.03,
			share(list, func(o outcome) bool { return o.nodes() > o.best })),
		none("vectorpack: bound above a known optimum", list, outcome.above),
		seconds("vectorpack: longest CPU time", 1, list),
		accepted("vectorpack", list),
	}, nil
}

// above says that the bound is above what is known to be possible.
func (o outcome) above() bool {
	b := o.solution.Bound
	return o.least >= 0 && max(b.Cost, b.Nodes) > o.least || max(b.Cost, b.Nodes) > o.best
}

// openb packs the trace's pods on nodes of its kinds.
func (s *settings) openb(out io.Writer) ([]bar, error) {
	dir := s.folder(out, "openb", "examples/openb")
	names := [2]string{"openb_node_list_all_node.csv", "openb_pod_list_default.csv"}
	if dir == "examples/openb" {
		names = [2]string{"nodes.csv", "pods.csv"}
	}
	p, err := read(filepath.Join(dir, names[0]), func(nodes io.Reader) (pack.Problem, error) {
		return read(filepath.Join(dir, names[1]),
			func(pods io.Reader) (pack.Problem, error) { return readOpenB(nodes, pods) })
	})
	if err != nil {
		return nil, err
	}
	pods := int64(0)
	for _, i := range p.Items {
		pods += i.Count
	}
	o, err := s.solve(fmt.Sprintf("OpenB, %d pods of %d kinds on %d", pods, len(p.Items), len(p.Nodes)), p, 5)
	if err != nil {
		return nil, err
	}
	o.print(out)
	peers(out, "OpenB, above our cost", []outcome{o})
	return []bar{
		most("OpenB: gap", 0.005, o.gap()),
		seconds("OpenB: CPU time", 5, []outcome{o}),
		accepted("OpenB", []outcome{o}),
	}, nil
}
