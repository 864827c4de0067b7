// Package health remediates machines by MachineHealthChecks, as package tune/health decides, and does not act blind: what
// it deletes it has read anew, by the API server's clock, while it leads, and while there is no sign that it is the
// watchers rather than the machines that are ill.
//
// A [Keeper] takes what an [API] gives and gives it what to do; the API of a cluster is made by [Add].
//
//	k := &health.Keeper{API: api, Release: r, Act: true, Storm: 0.5}
//	outcome, err := k.Reconcile(ctx, health.Ref{Namespace: "openshift-machine-api", Name: "workers"})
package health
