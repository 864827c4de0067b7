package main

import (
	"embed"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

//go:embed deploy/*.yaml
var deployed embed.FS

func newManifests() *cobra.Command {
	image := ""
	c := &cobra.Command{
		Use:   "manifests health|tuning|agent|crds-tuning",
		Short: "Print the manifests of a controller: namespace, least rights, two replicas",
		Long: `Manifests prints what a controller needs. The definitions of Tuned and Profile,
crds-tuning, are for clusters without OpenShift, and are applied first.`,
		Example: `  plimsoll-controller manifests health --image registry.example/plimsoll-controller:1 | kubectl apply -f -
  plimsoll-controller manifests crds-tuning | kubectl apply -f -
  plimsoll-controller manifests tuning | kubectl apply -f -`,
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{"health", "tuning", "agent", "crds-tuning"},
		RunE: func(c *cobra.Command, args []string) error {
			text, err := deployed.ReadFile("deploy/" + args[0] + ".yaml")
			if err == nil {
				_, err = io.WriteString(c.OutOrStdout(), named(string(text), image))
			}
			return err
		},
	}
	c.Flags().StringVar(&image, "image", "", "the image, as the nodes pull it (default: plimsoll-controller:latest or "+
		"plimsoll-agent:latest, which they must have)")
	return c
}

var imageLine = regexp.MustCompile(`(?m)^ +image: .*$`)

// named is a manifest with an image; with its own where that is empty.
func named(manifest, image string) string {
	if image == "" {
		return manifest
	}
	return imageLine.ReplaceAllStringFunc(manifest, func(line string) string {
		return line[:strings.Index(line, "image: ")] + "image: " + strconv.Quote(image)
	})
}
