package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll.dev/engine/load"
	"plimsoll.dev/engine/load/workers"
	"plimsoll.dev/engine/rights"
	"plimsoll.dev/loadmodel"
	"plimsoll.dev/source/clusterloader"
)

// rbacCommand holds the flags of "rbac".
type rbacCommand struct {
	tuning
	server  serverFlags
	format  string
	account string
}

func newRBAC(a *app) *cobra.Command {
	r := &rbacCommand{tuning: tuning{app: a}}
	c := &cobra.Command{
		Use:   "rbac",
		Short: "Print the least rights that a command needs in a cluster",
		Long: `Rbac prints a ClusterRole, to be applied by those who may: the least rights with
which an account can do what the command does. With one verb less it can't, or
its answer is not good and says what was not seen.`,
		Example: `  plimsoll rbac plan > role.yaml
  plimsoll rbac plan --account audit/plimsoll > role.yaml
  plimsoll rbac load load.yaml --context lab`,
	}
	c.AddCommand(r.command("plan", "Rights to read a cluster: plan, place, pack", cobra.NoArgs,
		func(context.Context, []string) ([]rights.Rule, error) { return rights.Plan(), nil }),
		r.command("audit", "Rights to audit a cluster, or to write a snapshot", cobra.NoArgs,
			func(context.Context, []string) ([]rights.Rule, error) { return rights.Audit(), nil }),
		r.command("tune", "Rights to explain which TuneD profile each node gets, and has", cobra.NoArgs,
			func(context.Context, []string) ([]rights.Rule, error) { return rights.Tune(), nil }),
		r.command("bench", "Rights to measure the network between nodes", cobra.NoArgs,
			func(context.Context, []string) ([]rights.Rule, error) { return rights.Bench(), nil }))
	filling := r.command("load CONFIGURATION", "Rights to fill a cluster by a configuration, and clean up",
		cobra.ExactArgs(1), func(ctx context.Context, args []string) ([]rights.Rule, error) { return r.load(ctx, args[0]) })
	r.server.flags(filling)
	c.AddCommand(filling)
	return c
}

func (r *rbacCommand) command(use, short string, args cobra.PositionalArgs,
	rules func(context.Context, []string) ([]rights.Rule, error)) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: args,
		Long:    short + ",\nas a ClusterRole to apply.",
		Example: "  plimsoll rbac " + strings.Replace(use, "CONFIGURATION", "load.yaml", 1) + " > role.yaml",
		RunE: func(c *cobra.Command, args []string) error {
			if !slices.Contains(manifestFormats, r.format) {
				return badInput(fmt.Errorf("format %q is not one of %s", r.format, strings.Join(manifestFormats, ", ")))
			}
			namespace, account, ok := strings.Cut(r.account, "/")
			if r.account != "" && (!ok || namespace == "" || account == "" || strings.Contains(account, "/")) {
				return badInput(errors.New("--account is NAMESPACE/NAME of a service account, such as audit/plimsoll"))
			}
			list, err := rules(c.Context(), args)
			if err != nil {
				return err
			}
			name := "plimsoll-" + c.Name()
			objects := []map[string]any{rights.ClusterRole(name, list)}
			if r.account != "" {
				objects = append(objects, rights.Binding(name, namespace, account))
			}
			return r.print(objects)
		}}
	c.Flags().StringVarP(&r.format, "output", "o", manifestFormats[0], "format: "+strings.Join(manifestFormats, ", "))
	c.Flags().StringVar(&r.account, "account", "", "also bind the role to this service account, as `NAMESPACE/NAME`")
	mustComplete(c, "output", manifestFormats)
	return c
}

// manifestFormats are those that kubectl takes.
var manifestFormats = []string{"yaml", "json"}

func (r *rbacCommand) print(objects []map[string]any) error {
	p := objectPrinter{w: r.Out, json: r.format == "json", kinds: map[string]int{}}
	return p.list(func() error {
		for _, o := range objects {
			if err := p.one(o, ""); err != nil {
				return err
			}
		}
		return nil
	})
}

// load is what a configuration needs: of the kinds that it creates, as the server has them.
func (r *rbacCommand) load(ctx context.Context, path string) ([]rights.Rule, error) {
	text, name, err := r.slurp(path, maxConfiguration)
	if err != nil {
		return nil, badInput(err)
	}
	env := func(name string) (string, bool) { v := r.env(name); return v, v != "" }
	work, problems := clusterloader.Expand(name, text, openBelow, loadmodel.Options{Seed: 1, Env: env})
	if len(problems) > 0 {
		return nil, r.tell(problems)
	}
	client, err := r.connect(r.server)
	if err != nil {
		return nil, err
	}
	resources, err := load.Resources(ctx, client, work, "refuse")
	if err != nil {
		return nil, err
	}
	binds, err := workers.Binds(work)
	return append(workers.Rules(resources, true), binds...), err
}
