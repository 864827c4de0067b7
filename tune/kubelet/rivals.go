package kubelet

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/tune/object"
)

// rivals finds KubeletConfigs of one pool of which only one can win.
func (in *input) rivals(p *openshift.MachineConfigPool) {
	list := in.contenders(p)
	if len(list) < 2 || list[len(list)-1].MachineConfig == "" {
		return
	}
	winner := list[len(list)-1]
	winning := &in.crs[winner.Index]
	for _, c := range list[:len(list)-1] {
		loser := &in.crs[c.Index]
		switch {
		case c.MachineConfig == "" && !in.refuses(p)(c.Index):
			in.find(loser.Object, Problem{Rule: tooMany, Path: "metadata.name", What: reasonTooMany(loser.String(), c.Role), Fix: "delete KubeletConfigs that don't win"})
		case c.MachineConfig == "":
		case c.Role != winner.Role:
			in.find(loser.Object, Problem{Rule: fromWorker, Path: "metadata.name",
				What: fmt.Sprintf("%s of pool %s and %s of pool %s both reach the nodes of pool %s: they get %s alone; lost %s", loser, c.Role, winning, winner.Role, p.Metadata.Name, winning, in.lost(c.Index, winner.Index)),
				Fix:  "write all fields into the KubeletConfig of the custom pool"})
		default:
			in.find(loser.Object, Problem{Rule: severalOnPool, Path: "metadata.name",
				What: fmt.Sprintf("%s and %s are both for pool %s, and %s wins whole (%s); lost %s", loser, winning, p.Metadata.Name, winning, in.why(), in.lost(c.Index, winner.Index)),
				Fix:  "write all fields into one KubeletConfig"})
		}
	}
}

// contenders leave out what a later KubeletConfig of the same name replaces.
func (in *input) contenders(p *openshift.MachineConfigPool) []Contender {
	latest := object.Latest(in.crs)
	index := make([]int, len(latest))
	for i, t := range latest {
		index[i] = slices.IndexFunc(in.crs, func(o object.Typed[openshift.KubeletConfig]) bool { return o.Object == t.Object })
	}
	refuses := in.refuses(p)
	out := Contenders(p, in.pools, object.Values(latest), in.era, func(i int) bool { return refuses(index[i]) })
	for i := range out {
		out[i].Index = index[out[i].Index]
	}
	return out
}

// why says how the winner is found.
func (in *input) why() string {
	if naming.In(in.era) == Numbered {
		return "its MachineConfig comes last in the alphabet"
	}
	return "both write the same MachineConfig, and the last one written stays: the newest, until the controller restarts and takes them in any order"
}

// lost are the fields of a KubeletConfig that the winner doesn't have alike.
func (in *input) lost(loser, winner int) string {
	have := in.crs[winner].Value.Spec.KubeletConfig
	var out []string
	for _, name := range slices.Sorted(maps.Keys(in.crs[loser].Value.Spec.KubeletConfig)) {
		if v := in.crs[loser].Value.Spec.KubeletConfig[name]; fmt.Sprint(v) != fmt.Sprint(have[name]) || have[name] == nil {
			out = append(out, fmt.Sprintf("%s %v", name, v))
		}
	}
	if len(out) == 0 {
		return "nothing: the winner says the same"
	}
	return "is " + strings.Join(out, ", ")
}
