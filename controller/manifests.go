package main

import (
	_ "embed"
	"io"

	"github.com/spf13/cobra"
)

//go:embed deploy/health.yaml
var healthManifest string

func newManifests() *cobra.Command {
	return &cobra.Command{
		Use:       "manifests health",
		Short:     "Print the manifests of a controller: namespace, least rights, two replicas",
		Example:   `  plimsoll-controller manifests health | kubectl apply -f -`,
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{"health"},
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := io.WriteString(c.OutOrStdout(), healthManifest)
			return err
		},
	}
}
