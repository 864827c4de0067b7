// Package health remediates machines by MachineHealthChecks, as package tune/health decides, and does not act blind:
// what it deletes it has read anew, by the API server's clock, while it leads, and while there is no sign that the
// watchers are ill rather than the machines. It has no rules of its own about machines, and makes none: their sets
// do.
//
// A [Keeper] takes what an [API] gives and gives it what to do; the API of a cluster is made by [Add].
//
//	k := &health.Keeper{API: api, Release: r, Act: true, Storm: 0.5}
//	outcome, err := k.Reconcile(ctx, health.Ref{Namespace: "openshift-machine-api", Name: "workers"})
package health
