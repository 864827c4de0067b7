package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/audit"
	"plimsoll.dev/internal/strict"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/tune/check"
)

// auditCommand holds the flags of "audit".
type auditCommand struct {
	tuning
	in       input
	etcd     etcdFlags
	waivers  string
	baseline string
	list     bool
}

func newAudit(a *app) *cobra.Command {
	x := &auditCommand{tuning: tuning{app: a}}
	c := &cobra.Command{
		Use:   "audit",
		Short: "Judge a cluster that runs: what is wrong, which limit is near",
		Long: `Audit reads a cluster that runs, or a snapshot or must-gather of one, and judges
it by the practices of the documents, by the limits that plan knows, and by the
checks of tune: what is wrong, what that does to users, what to do first.

What the account may not read, or a file does not hold, is not seen: it is
named, and the verdict is not good without it. A waiver says of a finding that
it is known, why it may stand, who says so and until when.

` + exitCodesHelp,
		Example: `  plimsoll audit --context prod
  plimsoll audit --snapshot cloud.json.gz --waivers waivers.yaml
  plimsoll audit --context prod --prometheus https://thanos-querier.example --prometheus-token-file token
  plimsoll audit --context prod -o json --output-file today.json
  plimsoll audit --context prod --baseline yesterday.json
  plimsoll audit --list`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return x.run(c.Context()) },
	}
	x.out.flags(c)
	x.out.verb = "audit"
	x.failures(c)
	x.in.running.flags(c)
	x.etcd.flags(c)
	c.Flags().StringVar(&x.in.snapshot, "snapshot", "",
		"audit this snapshot, \"kubectl get ... -A -o json\" file, or directory or tar of \"oc adm must-gather\"")
	c.Flags().StringVar(&x.in.release, "release", "", "judge by the limits of this release instead of the cluster's")
	c.Flags().StringVar(&x.waivers, "waivers", "", "a file of findings that may stand, with reason, owner and end")
	c.Flags().StringVar(&x.baseline, "baseline", "", "show only what an earlier audit (-o json) does not have")
	c.Flags().BoolVar(&x.list, "list", false, "list the rules")
	c.AddCommand(newAuditHistory(a))
	return c
}

func (x *auditCommand) run(ctx context.Context) error {
	if err := x.checkFailures(); err != nil {
		return err
	}
	if x.list {
		made := audit.List()
		return x.answer(&made, nil)
	}
	if err := x.in.running.check(x.in.snapshot); err != nil {
		return badInput(err)
	}
	if !x.in.runs() {
		return badInput(errors.New("no cluster is given: name a --context, a --snapshot, or --live for the current one"))
	}
	waivers, err := x.readWaivers()
	if err != nil {
		return err
	}
	before, err := x.readBaseline()
	if err != nil {
		return err
	}
	etcd, err := x.etcd.measured(ctx, x.app, x.in.snapshot)
	if err != nil {
		return badInput(err)
	}
	name := x.in.snapshot
	if x.in.running.asked() {
		name = x.in.running.name()
	}
	cloud := audit.New(name, time.Now())
	x.in.each, cloud.Etcd = cloud.Add, etcd
	merged, err := x.in.read(x.app, "")
	if err != nil {
		return err
	}
	for _, s := range x.in.taken.Skipped {
		if s.What == otherNamespaces && s.Decides {
			cloud.OnlyPlatform(s.Why)
		}
	}
	cloud.Sort()
	in := audit.Input{Cloud: cloud, Inventory: x.in.taken, Plan: merged.plan(), Waivers: waivers}
	if len(cloud.Settings) > 0 {
		in.Checked = check.Run(check.Input{Objects: cloud.Settings, Release: cloud.Release}).Findings
	}
	made := audit.Answer(in)
	if before != nil {
		audit.Since(&made, cloud, *before)
	}
	return x.answer(&made, nil)
}

// waiverFile is the form of a file of waivers.
type waiverFile struct {
	Waivers []audit.Waiver `json:"waivers"`
}

// readWaivers reads the file of waivers.
func (x *auditCommand) readWaivers() ([]audit.Waiver, error) {
	if x.waivers == "" {
		return nil, nil
	}
	text, name, err := x.slurp(x.waivers, maxConfiguration)
	if err != nil {
		return nil, badInput(err)
	}
	tree, bad := yamlpos.Parse(name, text)
	var file waiverFile
	if len(bad) == 0 {
		bad = strict.New[waiverFile](nil).Decode(tree, &file)
	}
	for i, w := range file.Waivers {
		for _, fault := range w.Faults() {
			bad.Add(tree.Problem(fmt.Sprintf("waivers[%d].%s", i, fault.Field), fault.What, fault.Fix))
		}
	}
	if len(bad) > 0 {
		return nil, x.tell(bad)
	}
	return file.Waivers, nil
}

// readBaseline reads an earlier answer.
func (x *auditCommand) readBaseline() (*v1alpha1.Answer, error) {
	if x.baseline == "" {
		return nil, nil
	}
	text, name, err := x.slurp(x.baseline, maxBaseline)
	if err != nil {
		return nil, badInput(err)
	}
	before, err := audit.Earlier(text)
	if err != nil {
		return nil, badInput(fmt.Errorf("%s: %w", name, err))
	}
	return before, nil
}

// maxBaseline is more than any answer is long, in bytes.
const maxBaseline = 64 << 20
