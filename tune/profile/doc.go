// Package profile answers which TuneD profile each node of a cluster gets from its
// Tuned CRs and why: the item of recommend that won, the label or pod that made it
// match, what the items before it lack, and which single change would move the node.
//
// It reads no profile's settings (package tuned does) and applies nothing. Everything
// is decided as the Node Tuning Operator of an era decides it; what differs by era
// stands in eras.go.
//
//	x := profile.Explain(profile.Input{Tuneds: tuneds, Nodes: nodes, Pods: pods, Era: era.V44})
//	fmt.Println(x.Nodes[0].Profile, x.Classes[x.Nodes[0].Class].Witness)
package profile
