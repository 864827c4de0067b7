// Package manifest turns a plan's decisions into the files that carry them
// out: the network part of install-config.yaml, machine sets with the order of
// their growth and their health checks, machine config pools, kubelet settings,
// huge pages, monitoring, ingress controllers, and a README that says in which
// order they are applied.
//
// Render is pure and decides every byte; Write puts the files into a directory, one by one
// under a lock, and touches nothing else there (decision 015). The package takes no decision of its own: what the plan
// left open is a marked <PLACEHOLDER>, and what a release can't express is said
// in the README. It applies nothing and doesn't talk to a cluster. What operators
// make of a manifest is known to the packages below tune, which generate most of
// them; "plimsoll tune check" finds nothing wrong with the files.
//
//	files, err := manifest.Render(manifest.FromPlan(plan, "plan.yaml"))
//	err = manifest.Write("out", files, manifest.Options{})
package manifest
