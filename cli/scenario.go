package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/loadmodel"
	"plimsoll.dev/place/nova/flavor"
	"plimsoll.dev/schema"
	"plimsoll.dev/source/clusterloader"
	"plimsoll.dev/source/scenario"
)

func newInit(a *app) *cobra.Command {
	var kind string
	var out output
	c := &cobra.Command{
		Use:   "init",
		Short: "Write a commented scenario to start from",
		Long: `Init writes a scenario with a comment on every field. The kinds:

  openshift  the example of the OpenShift guide: 4 pod types, 3 node types
  minimal    the fewest fields that plan something
  snapshot   a running cluster, from a file that kubectl wrote
  numa       machines with NUMA nodes: CPU Manager, Topology Manager, huge pages
  helion     a cloud of VMs: controllers, computes, storage hosts, flavors`,
		Example: `  plimsoll init > scenario.yaml
  plimsoll init --kind snapshot --output-file scenario.yaml`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			text := scenario.Template(kind)
			if text == nil {
				return badInput(fmt.Errorf("--kind %q is not one of %s", kind, strings.Join(scenario.Templates(), ", ")))
			}
			return out.write(a, func(w io.Writer) error {
				_, err := w.Write(text)
				return err
			})
		},
	}
	c.Flags().StringVar(&kind, "kind", "openshift", "what to start from: "+strings.Join(scenario.Templates(), ", "))
	c.Flags().StringVar(&out.file, "output-file", "", "write to this file instead of standard output")
	mustComplete(c, "kind", scenario.Templates())
	return c
}

func newValidate(a *app) *cobra.Command {
	var in input
	c := &cobra.Command{
		Use:   "validate SCENARIO...",
		Short: "Check scenarios and everything that they name, without planning",
		Long: `Validate reads scenarios and the manifests and snapshots that they name, and
shows every problem with file, line and column and what would be right. It takes
configurations of Cluster Loader, too.`,
		Example:           "  plimsoll validate scenario.yaml\n  plimsoll validate examples/*.yaml",
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeYAML,
		RunE: func(_ *cobra.Command, args []string) error {
			var failed error
			for _, name := range args {
				if err := in.check(a, name); err != nil {
					failed = err
					continue
				}
				if _, err := fmt.Fprintf(a.Out, "%s: good\n", name); err != nil {
					return err
				}
			}
			return failed
		},
	}
	in.readFlags(c)
	return c
}

// check reads a scenario, or a configuration of Cluster Loader, and what it names.
func (in *input) check(a *app, name string) error {
	text, err := openBelow(filepath.Dir(name), filepath.Base(name))
	if name != "-" && err == nil && clusterloader.Is(name, text) {
		_, problems := clusterloader.Expand(name, text, openBelow, loadmodel.Options{})
		if len(problems) > 0 {
			return a.tellOrSay(problems)
		}
		return nil
	}
	doc, err := in.scenario(a, name)
	if err != nil {
		return in.tellAll(a, err, a.tellOrSay)
	}
	if _, err := in.merge(a, doc); err != nil {
		return a.tellOrSay(err)
	}
	return nil
}

// tellOrSay shows an error at once, so that the next file is checked too.
func (a *app) tellOrSay(err error) error {
	told := a.tell(err)
	if e, ok := told.(*exitError); ok && e.err != nil {
		fmt.Fprintf(a.Err, "plimsoll: %v\n", e.err)
		return &exitError{code: e.code}
	}
	return told
}

func newExplain(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "explain [FIELD]",
		Short: "Show what a field of the scenario means, its type and its default",
		Long: "Explain shows what a field of the Scenario means. Fields of a HealthScenario\n" +
			"begin with its name. Extra specs of flavors are explained by their names, with\n" +
			"the rules that know them; \"plimsoll explain hw:\" lists them.",
		Example: `  plimsoll explain
  plimsoll explain hardware.nodeTypes.maxPods
  plimsoll explain policy
  plimsoll explain hw:cpu_thread_policy
  plimsoll explain HealthScenario.events`,
		Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: func(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
			return completeFields(word), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		},
		RunE: func(_ *cobra.Command, args []string) error {
			name := first(args)
			text, known := flavor.Explain(name)
			var err error
			switch {
			case known:
			case strings.Contains(name, ":"):
				err = fmt.Errorf("no rules know the extra spec %q (plimsoll explain hw: lists those that choose a place)", name)
			default:
				text, err = schema.Explain(name)
			}
			if err != nil {
				return badInput(err)
			}
			_, err = io.WriteString(a.Out, strings.TrimRight(text, "\n")+"\n")
			return err
		},
	}
}

// completeFields lists the fields that a path may go on with.
func completeFields(word string) []string {
	at := ""
	if i := strings.LastIndexByte(word, '.'); i >= 0 {
		at = word[:i]
	}
	field, err := schema.Lookup(at)
	if err != nil {
		return nil
	}
	var paths []string
	for _, f := range field.Fields {
		paths = append(paths, f.Path+"\t"+schema.FirstSentence(f.Description))
	}
	return paths
}

func newSchema(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "schema [KIND]",
		Short: "Print the JSON Schema of a document, for editors",
		Long:  "Schema prints the JSON Schema of the Scenario, or of a HealthScenario.",
		Example: `  plimsoll schema > scenario.schema.json
  plimsoll schema HealthScenario > healthscenario.schema.json`,
		Args:      cobra.MaximumNArgs(1),
		ValidArgs: []string{v1alpha1.KindScenario, v1alpha1.KindHealthScenario},
		RunE: func(_ *cobra.Command, args []string) error {
			text := schema.Scenario()
			switch kind := first(args); {
			case strings.EqualFold(kind, v1alpha1.KindHealthScenario):
				text = schema.HealthScenario()
			case kind != "" && !strings.EqualFold(kind, v1alpha1.KindScenario):
				return badInput(fmt.Errorf("%q is no document that has a schema (write Scenario or HealthScenario)", kind))
			}
			_, err := a.Out.Write(text)
			return err
		},
	}
}
