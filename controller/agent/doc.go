// Package agent gives a node the profile that its Profile object asks for, with the real TuneD of package engine/apply:
// it applies, verifies, reports, and puts the node back when the Profile is taken away. It chooses no profile; who
// writes Profiles does.
//
// The agent keeps what the node has while the API server does not answer, when a new profile is refused, and with Keep
// over its own end: the next start takes over. If it is killed, its next start puts back what it left, and applies
// anew.
//
//	a := &agent.Agent{API: api, Apply: apply.Apply, Options: apply.Options{ThisMachine: true}, Every: 2 * time.Second}
//	err := a.Run(ctx)
package agent
