// Command controller heals and tunes a cluster, built as plimsoll-controller: it remediates machines by
// MachineHealthChecks, and tells nodes their TuneD profiles by Tuned CRs. It is a program of its own, since what it is
// built of is as large as all of plimsoll, and does not judge: "plimsoll audit" and "plimsoll tune" do.
//
//	plimsoll-controller health --context prod          # a dry run
//	plimsoll-controller tuning --context prod
//	plimsoll-controller manifests health | kubectl apply -f -
//	plimsoll-controller agent --node worker-3 --this-machine
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/manager/signals"
)

func main() {
	root := &cobra.Command{Use: "plimsoll-controller", Short: "Heal and tune a cluster as it asks for, and never blindly",
		SilenceUsage: true}
	root.AddCommand(newHealth(), newTuning(), newAgent(), newManifests())
	if err := root.ExecuteContext(signals.SetupSignalHandler()); err != nil {
		fmt.Fprintln(os.Stderr, "plimsoll-controller:", err)
		os.Exit(1)
	}
}
