package cli

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"plimsoll.dev/facts"
)

// version is set by the linker for releases; otherwise the build says.
var version = ""

func newVersion(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version and the number of facts in the catalogue",
		Example: "  plimsoll version",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(a.Out, "plimsoll %s, %d facts\n", versionText(), facts.Count)
			return err
		},
	}
}

func versionText() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
