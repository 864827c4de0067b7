package profile

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
)

// large is a cluster of 1,000 nodes, 200 CRs of two items and 50,000 pods. Nodes come
// in kinds, each with some of the labels that the CRs ask for.
func large(kinds int) Input {
	in := Input{Release: release.Current}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 200 {
		var cr openshift.Tuned
		cr.Metadata.Name = fmt.Sprintf("cr-%03d", i)
		name := fmt.Sprintf("profile-%03d", i)
		cr.Spec.Profile = []openshift.TunedProfile{{Name: &name, Data: ptr("[main]\ninclude=openshift-node\n")}}
		label := fmt.Sprintf("tuning.example.com/t%d", i)
		cr.Spec.Recommend = []openshift.TunedRecommend{
			{Profile: &name, Priority: ptr(int64(i % 25)), Match: []openshift.TunedMatch{{Label: &label, Value: ptr("on"),
				Match: []openshift.TunedMatch{{Label: ptr(openshift.LabelWorker)}, {Label: ptr(openshift.LabelInfra)}}}}},
			{Profile: &name, Priority: ptr(int64(i%25 + 1)),
				Match: []openshift.TunedMatch{{Label: ptr("app"), Value: ptr(fmt.Sprint("app-", i)), Type: ptr("pod"),
					Match: []openshift.TunedMatch{{Label: &label}}}}},
		}
		in.Tuneds = append(in.Tuneds, object.Typed[openshift.Tuned]{Value: cr})
	}
	chosen := make([][]int, kinds)
	for k := range chosen {
		for range 3 {
			chosen[k] = append(chosen[k], r.IntN(200))
		}
	}
	for i := range 1000 {
		n := Node{Name: fmt.Sprintf("node-%04d", i),
			Labels: map[string]string{"kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
				"kubernetes.io/hostname": fmt.Sprintf("node-%04d", i), "topology.kubernetes.io/zone": fmt.Sprint("z", i%3),
				openshift.LabelWorker: ""}}
		for j, t := range chosen[i%kinds] {
			n.Labels[fmt.Sprintf("tuning.example.com/t%d", t)] = []string{"off", "on", "dry"}[j]
		}
		in.Nodes = append(in.Nodes, n)
	}
	for i := range 50000 {
		in.Pods = append(in.Pods, Pod{Namespace: fmt.Sprint("ns-", i%400), Name: fmt.Sprint("pod-", i),
			Node: in.Nodes[i%1000].Name, Labels: map[string]string{
				"app": fmt.Sprint("app-", i%1000%kinds*7%2000), "pod-template-hash": fmt.Sprint(i % 5000), "tier": "web",
				"release": fmt.Sprint("r", i%7)}})
	}
	return in
}

// BenchmarkExplain explains every node, with all fewest changes and moves; kinds of
// nodes are how many different explanations there are at least. The peer is what the
// operator does: it lists and sorts all items again for each node, and looks at all
// of its pods for each condition; it only chooses.
func BenchmarkExplain(b *testing.B) {
	for _, kinds := range []int{10, 1000} {
		in := large(kinds)
		b.Run(fmt.Sprintf("explain/kinds=%d", kinds), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Explain(in)
			}
		})
		b.Run(fmt.Sprintf("answer/kinds=%d", kinds), func(b *testing.B) {
			x := Explain(in)
			b.ReportAllocs()
			for b.Loop() {
				x.Answer()
			}
		})
		b.Run(fmt.Sprintf("choose/kinds=%d", kinds), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				choose(in)
			}
		})
		b.Run(fmt.Sprintf("operator/kinds=%d", kinds), func(b *testing.B) {
			b.ReportAllocs()
			pods := map[string][]Pod{}
			for _, p := range in.Pods {
				pods[p.Node] = append(pods[p.Node], p)
			}
			for b.Loop() {
				for _, n := range in.Nodes {
					newTwin(&in).choose(n, pods[n.Name])
				}
			}
		})
	}
}
