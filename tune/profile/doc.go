// Package profile answers which TuneD profile each node of a cluster gets from its
// Tuned CRs and why: the item of recommend that won, the label or pod that made it
// match, what the items before it lack, and which single change would move the node.
//
// It reads no profile's settings (package tuned does) and applies nothing. Everything
// is decided as the Node Tuning Operator of a release decides it; what differs by release
// stands in rules.yaml.
//
//	x := profile.Explain(profile.Input{Tuneds: tuneds, Nodes: nodes, Pods: pods, Release: release.V44})
//	fmt.Println(x.Nodes[0].Profile, x.Classes[x.Nodes[0].Class].Witness)
package profile
