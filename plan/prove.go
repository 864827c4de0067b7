package plan

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/pack"
	"plimsoll.dev/pack/certify"
	"plimsoll.dev/plan/fit"
)

// proved is a packing of one option, and how good it is.
type proved struct {
	problem  pack.Problem
	solution pack.Solution
}

// unbound is an amount that binds nothing; larger ones are not exact in JSON.
const unbound = int64(1) << 50

// fewTypes is the most pod types with which every option is proven. With more, a
// plan is made while the user waits: only the chosen option is, with less effort.
const fewTypes = 50

func (p *planner) manyTypes() bool { return len(p.load.pods)+len(p.homeless) > fewTypes }

// effort is what a plan spends on the proof of one packing.
func (p *planner) effort() int64 {
	if p.manyTypes() {
		return pack.DefaultEffort / 500
	}
	return pack.DefaultEffort / 4
}

// prove packs items on equal nodes by the engine that proves how good its answer
// is. Equal questions are answered once.
func (p *planner) prove(items []fit.Item, bin fit.Bin, node string) (proved, bool) {
	q := pack.Problem{Resources: p.dims,
		Nodes: []pack.NodeType{{Name: node, Capacity: bounded(bin.Cap), Cost: 1, Stock: int64(bin.Count)}}}
	for _, i := range items {
		item := pack.Item{Name: i.Name, Count: int64(i.Count), Need: bounded(i.Need), MaxPerNode: int64(i.MaxPerNode)}
		if i.On != nil {
			item.On = []bool{i.On[0]}
		}
		q.Items = append(q.Items, item)
	}
	key := fmt.Sprint(q)
	if known, ok := p.proofs[key]; ok {
		return known, true
	}
	s, err := pack.Solve(q, pack.Options{Effort: p.effort()})
	if err != nil {
		return proved{}, false // amounts beyond what can be proven: first fit stands
	}
	if p.proofs == nil {
		p.proofs = map[string]proved{}
	}
	p.proofs[key] = proved{q, s}
	return p.proofs[key], true
}

// bounded are amounts within what a proof can count with.
func bounded(v fit.Vec) []int64 {
	out := make([]int64, len(v))
	for i, n := range v {
		out[i] = min(n, unbound)
	}
	return out
}

// packOn packs items on equal nodes: by first fit decreasing, or better where a
// better packing is found. The proof is nil where there is none.
func (p *planner) packOn(items []fit.Item, bins []fit.Bin, node string, prove bool) (fit.Packing, *proved) {
	first := fit.Best(items, bins)
	if !prove || len(bins) != 1 || len(first.Left) > 0 || first.Nodes == 0 {
		return first, nil
	}
	found, ok := p.prove(items, bins[0], node)
	if !ok || len(found.solution.Nodes) == 0 ||
		slices.ContainsFunc(found.solution.Left, func(n int64) bool { return n > 0 }) {
		return first, nil // first fit has a place for every pod
	}
	if n := found.solution.Nodes[0]; n < int64(first.Nodes) {
		return packingOf(found, bins[0].Cap), &found
	}
	return first, &found
}

// packingOf is a proven packing in the form of the other one.
func packingOf(from proved, capacity fit.Vec) fit.Packing {
	out := fit.Packing{Nodes: int(from.solution.Nodes[0]), Order: "then improved by patterns"}
	for _, pattern := range from.solution.Patterns {
		g := fit.Group{Nodes: int(pattern.Copies), Free: append(fit.Vec{}, capacity...)}
		for _, s := range pattern.Items {
			g.Holds = &fit.Held{Item: s.Item, Each: int(s.Count), Next: g.Holds}
			for d, need := range from.problem.Items[s.Item].Need {
				g.Free[d] -= need * s.Count
			}
		}
		out.Groups = append(out.Groups, g)
	}
	return out
}

// floorOf is the larger of the volume bound and the proven one, with what it was
// found by.
func floorOf(volume int, found *proved) (floor int, method string) {
	if found == nil || found.solution.Bound.Nodes < int64(volume) {
		return volume, "volume"
	}
	return int(found.solution.Bound.Nodes), found.solution.Bound.Method
}

// proofOf is a proof as a document of its own, which the plan carries.
func proofOf(option, basis string, found *proved) (v1alpha1.Proof, bool) {
	if found == nil {
		return v1alpha1.Proof{}, false
	}
	text, err := json.Marshal(certify.Document{Kind: certify.Kind, Problem: &found.problem, Solution: &found.solution})
	if err != nil {
		return v1alpha1.Proof{}, false
	}
	s := found.solution
	return v1alpha1.Proof{Option: option, Basis: basis, Nodes: int(min(s.Nodes[0], math.MaxInt32)),
		Bound: int(s.Bound.Nodes), Method: s.Bound.Method, Packing: text}, true
}

// addProofs adds the proofs of an option to the plan.
func (p *planner) addProofs(c choice) {
	for _, b := range []struct {
		basis string
		found *proved
	}{{"nominal", c.bareProof}, {"allocatable", c.proof}} {
		if proof, ok := proofOf(c.opt.Name, b.basis, b.found); ok {
			p.plan.Proofs = append(p.plan.Proofs, proof)
		}
	}
}
