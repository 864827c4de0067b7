// Package scenario reads the scenario that people write: it decodes it strictly,
// fills in defaults, checks what fields say about each other, and reports every
// problem with its line and column.
//
// It does not read the manifests and snapshots that a scenario names (package
// source/kube does), and it doesn't judge whether the scenario's cluster can be
// built: an empty workload is fine here.
//
//	doc, err := scenario.ReadFile("scenario.yaml", os.Stdin)
//	var bad *scenario.Error
//	if errors.As(err, &bad) {
//		bad.Render(os.Stderr)
//	}
package scenario
