// Package tuning writes the Profile objects by which nodes are told their TuneD profile, from Tuned CRs, as the Node
// Tuning Operator does. Which profile a node gets package tune/profile decides, the code of "plimsoll tune explain";
// there are no rules about that here. It does not act blind: what it writes is decided by what the server says at that
// moment, while it leads and the operator itself is not alive, and what could not be read changes nothing.
//
// A [Keeper] takes what an [API] gives and gives it what to do; the API of a cluster is made by [Add].
//
//	k := &tuning.Keeper{API: api, Release: r, Act: true}
//	outcome, err := k.Reconcile(ctx)
package tuning
