package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/report"
	"plimsoll.dev/sink/manifest"
)

// planCommand holds the flags of "plan".
type planCommand struct {
	*app
	in      input
	out     output
	write   string
	force   bool
	failOn  string
	noError bool
}

func newPlan(a *app) *cobra.Command {
	p := &planCommand{app: a}
	c := &cobra.Command{
		Use:   "plan [SCENARIO]",
		Short: "Dimension a cluster, and measure it against every limit",
		Long: `Plan reads a scenario and answers with a dimensioned cluster: nodes, network,
control plane, monitoring, router, storage, growth and rollout, each figure with
its formula and source, and every limit of the release with the share used. On
platform helion: deployment model, controllers, computes, network, Ceph.

SCENARIO is a file, or - for standard input, or a plan that was saved with -o
json, unless "plimsoll verify" refuses it. Without it, --snapshot gives the
workload, the nodes and, unless --release names one, their release, and so does
--context, of the cluster itself; --manifests gives the workload alone, for
which --node says what machines to take.

` + exitCodesHelp,
		Example: `  plimsoll plan examples/ocp-9.4.yaml
  plimsoll plan examples/hcg-controller-storage.yaml
  plimsoll plan scenario.yaml -o html --output-file report.html
  plimsoll plan scenario.yaml --write manifests
  plimsoll plan --context prod
  kubectl get nodes,pods,services,deployments -A -o json > cluster.json
  plimsoll plan --snapshot cluster.json --release 4.14
  plimsoll plan --snapshot cluster.json --node 16x64
  plimsoll plan --manifests deploy/ --node 8x32,16x64 --release 4.14
  plimsoll plan scenario.yaml --manifests deploy/`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeYAML,
		RunE:              func(_ *cobra.Command, args []string) error { return p.run(args) },
	}
	p.in.flags(c)
	p.out.flags(c)
	c.Flags().StringVar(&p.write, "write", "", "also write the manifests that configure the cluster into this directory")
	c.Flags().BoolVar(&p.force, "force", false, "with --write: replace a directory that something else wrote")
	c.Flags().StringVar(&p.failOn, "fail-on", "error", "exit with 3 when a finding is this severe: error, warning or info")
	c.Flags().BoolVar(&p.noError, "exit-zero", false, "exit with 0 whatever the verdict")
	mustComplete(c, "fail-on", []string{"error", "warning", "info"})
	return c
}

func (p *planCommand) run(args []string) error {
	if p.force && p.write == "" {
		return badInput(errors.New("--force is for --write"))
	}
	if severity(p.failOn) < 0 {
		return badInput(fmt.Errorf("--fail-on %q is not error, warning or info", p.failOn))
	}
	name := first(args)
	opt, err := p.out.options(p.app)
	if err != nil {
		return err
	}
	made, err := p.in.plan(p.app, name)
	if err != nil {
		return err
	}
	if p.write != "" && made.Platform.Type == platformHelion {
		return badInput(errors.New("--write writes manifests of OpenShift and Kubernetes (a plan of helion has none)"))
	}
	if p.write != "" {
		if err := p.manifests(made, name); err != nil {
			return err
		}
	}
	if err := p.out.write(p.app, func(w io.Writer) error { return report.Write(w, made, p.out.format, opt) }); err != nil {
		return err
	}
	return p.verdict(made)
}

// manifests writes the manifests and says where.
func (p *planCommand) manifests(made *v1alpha1.Plan, file string) error {
	in := manifest.FromPlan(made, p.out.again)
	if file == "-" {
		in.Asked = "" // what was piped in can't be asked again
	}
	in.MadeBy = build()
	files, err := manifest.Render(in)
	if err != nil {
		return err
	}
	if err := manifest.Write(p.write, files, manifest.Options{Force: p.force}); err != nil {
		return err
	}
	p.say("%s written to %s", words.Count(len(files), "file"), p.write)
	return nil
}

// verdict turns findings into the exit code.
func (p *planCommand) verdict(made *v1alpha1.Plan) error {
	if p.noError {
		return nil
	}
	for _, f := range made.Findings {
		if severity(string(f.Severity)) <= severity(p.failOn) {
			p.say("exit code 3: %s: %s", f.Severity, f.Message)
			return &exitError{code: ExitNegative}
		}
	}
	if !made.Verdict.Fits {
		p.say("exit code 3: the plan does not fit")
		return &exitError{code: ExitNegative}
	}
	if !made.Verdict.Good() {
		p.say("exit code 3: not known: %s", made.Verdict.Open[0])
		return &exitError{code: ExitNegative}
	}
	return nil
}

// severity ranks a severity's name, the worst 0; -1 is unknown.
func severity(name string) int {
	return slices.Index(v1alpha1.Severities(), v1alpha1.Severity(name))
}

// say prints a line on standard error, unless --quiet.
func (a *app) say(format string, args ...any) {
	for i, arg := range args {
		if text, ok := arg.(string); ok {
			args[i] = table.Clean(text)
		}
	}
	if !a.quiet {
		fmt.Fprintf(a.Err, "plimsoll: "+format+"\n", args...)
	}
}

// first is the first argument, or nothing.
func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

func completeYAML(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"yaml", "yml", "json"}, cobra.ShellCompDirectiveFilterFileExt
}
