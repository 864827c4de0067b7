// Plimsoll-controller heals a cluster: it remediates machines by MachineHealthChecks.
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/manager/signals"
)

func main() {
	root := &cobra.Command{Use: "plimsoll-controller", Short: "Heal a cluster as its checks ask for, and never blindly",
		SilenceUsage: true}
	root.AddCommand(newHealth(), newManifests())
	if err := root.ExecuteContext(signals.SetupSignalHandler()); err != nil {
		fmt.Fprintln(os.Stderr, "plimsoll-controller:", err)
		os.Exit(1)
	}
}
