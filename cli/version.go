package cli

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/report"
)

// versionDocument is what programs get.
type versionDocument struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	v1alpha1.Build
	// Time of the commit.
	Time     string `json:"time,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	// Facts in the catalogue.
	Facts int `json:"facts"`
}

func newVersion(a *app) *cobra.Command {
	format := report.Table
	c := &cobra.Command{
		Use:     "version",
		Short:   "Print the version and the number of facts in the catalogue",
		Example: "  plimsoll version\n  plimsoll version -o json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			switch format {
			case report.Table:
				_, err := fmt.Fprintf(a.Out, "plimsoll %s, %d facts\n", build(), facts.Count)
				return err
			case report.JSON:
				return report.WriteJSON(a.Out, versionDocument{v1alpha1.APIVersion, "Version", build(), setting("vcs.time"),
					runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH, facts.Count}, v1alpha1.Build{})
			}
			return badInput(fmt.Errorf("format %q is not one of %s, %s", format, report.Table, report.JSON))
		},
	}
	c.Flags().StringVarP(&format, "output", "o", format, "format: table or json")
	mustComplete(c, "output", []string{report.Table, report.JSON})
	return c
}

// build is this program, as the Go command has stamped it.
func build() v1alpha1.Build {
	b := v1alpha1.Build{Version: "(devel)", Commit: setting("vcs.revision")}
	if info, ok := debug.ReadBuildInfo(); ok {
		b.Version = cmp.Or(info.Main.Version, b.Version)
	}
	return b
}

// setting is one of the build's settings, such as the commit's time.
func setting(key string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}
