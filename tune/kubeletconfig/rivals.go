package kubeletconfig

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/api/openshift"
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
		case c.Stopped == TooMany:
			in.find(loser.Object, Problem{Rule: tooMany, Path: "metadata.name",
				What: fmt.Sprintf("%s is one too many for pool %s: the operator makes at most %d MachineConfigs of KubeletConfigs",
					loser, c.Role, highest+1), Fix: "delete KubeletConfigs that don't win"})
		case c.Stopped == BadSuffix:
			in.find(loser.Object, Problem{Rule: badSuffix, Path: "metadata.name",
				What: fmt.Sprintf("%s gets no MachineConfig for pool %s: the annotation %s of another KubeletConfig is no number",
					loser, c.Role, suffixAnnotation), Fix: "take that annotation off the other, or write its number"})
		case c.MachineConfig == "":
		case c.Role != winner.Role:
			in.find(loser.Object, Problem{Rule: fromWorker, Path: "metadata.name",
				What: fmt.Sprintf("%s of pool %s and %s of pool %s both reach the nodes of pool %s: they get %s alone; lost %s",
					loser, c.Role, winning, winner.Role, p.Metadata.Name, winning, in.lost(c.Index, winner.Index)),
				Fix: "write all fields into the KubeletConfig of the custom pool"})
		default:
			in.find(loser.Object, Problem{Rule: severalOnPool, Path: "metadata.name",
				What: fmt.Sprintf("%s and %s are both for pool %s, and %s wins whole (%s); lost %s", loser, winning,
					p.Metadata.Name, winning, in.why(), in.lost(c.Index, winner.Index)),
				Fix: "write all fields into one KubeletConfig"})
		}
	}
}

// contenders leave out what a later KubeletConfig of the same name replaces.
func (in *input) contenders(p *openshift.MachineConfigPool) []Contender {
	out := Contenders(p, in.pools, in.latest, in.release, func(i int) bool { return in.refuses(p, in.index[i]) })
	for i := range out {
		out[i].Index = in.index[out[i].Index]
	}
	return out
}

// why says how the winner is found.
func (in *input) why() string {
	if naming.In(in.release) == Numbered {
		return "its MachineConfig comes last in the alphabet"
	}
	return "both write the same MachineConfig, and the last one written stays: " +
		"the newest, until the controller restarts and takes them in any order"
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
