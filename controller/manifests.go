package main

import (
	"embed"
	"io"

	"github.com/spf13/cobra"
)

//go:embed deploy/*.yaml
var deployed embed.FS

func newManifests() *cobra.Command {
	return &cobra.Command{
		Use:   "manifests health|tuning|agent|crds-tuning",
		Short: "Print the manifests of a controller: namespace, least rights, two replicas",
		Long: `Manifests prints what a controller needs. The definitions of Tuned and Profile,
crds-tuning, are for clusters without OpenShift, and are applied first.`,
		Example: `  plimsoll-controller manifests health | kubectl apply -f -
  plimsoll-controller manifests crds-tuning | kubectl apply -f -
  plimsoll-controller manifests tuning | kubectl apply -f -`,
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{"health", "tuning", "agent", "crds-tuning"},
		RunE: func(c *cobra.Command, args []string) error {
			text, err := deployed.ReadFile("deploy/" + args[0] + ".yaml")
			if err == nil {
				_, err = io.WriteString(c.OutOrStdout(), string(text))
			}
			return err
		},
	}
}
