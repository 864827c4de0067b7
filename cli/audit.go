package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
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
	os       stackFlags
	etcd     etcdFlags
	waivers  string
	baseline string
	list     bool
}

func newAudit(a *app) *cobra.Command {
	x := &auditCommand{tuning: tuning{app: a}}
	c := &cobra.Command{
		Use:   "audit",
		Short: "Judge what runs: what is wrong, which limit is near",
		Long: `Audit reads a cluster that runs, or a snapshot or must-gather of one, or what
the clients of an OpenStack cloud list, and judges it by the practices of the
documents, by the limits that plan knows, and by the checks of tune: what is
wrong, what that does to users, what to do first.

What the account may not read, or a file does not hold, is not seen: it is
named, and the verdict is not good without it. A waiver says of a finding that
it is known, why it may stand, who says so and until when.

` + exitCodesHelp,
		Example: `  plimsoll audit --context prod
  plimsoll audit --snapshot cloud.json.gz --waivers waivers.yaml
  plimsoll audit --context prod --prometheus https://thanos-querier.example --prometheus-token-file token
  plimsoll audit --context prod -o json --output-file today.json
  plimsoll audit --context prod --baseline yesterday.json
  plimsoll audit --openstack exports/ --scenario hosts.yaml
  plimsoll audit --list`,
		Args: noFile,
		RunE: func(c *cobra.Command, _ []string) error { return x.run(c.Context()) },
	}
	x.out.flags(c)
	x.out.verb = "audit"
	x.failures(c)
	x.in.running.flags(c)
	x.os.flags(c)
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
	if err := x.os.check(&x.in); err != nil {
		return badInput(err)
	}
	if !x.in.runs() && x.os.exports == "" {
		return badInput(errors.New("no cluster is given: name a --context, a --snapshot, or --live for the current one, " +
			"or --openstack for a cloud"))
	}
	waivers, badWaivers := x.readWaivers()
	before, badBaseline := x.readBaseline(x.baseline)
	if err := x.tellEach(badWaivers, badBaseline); err != nil {
		return err
	}
	if x.os.exports != "" {
		return x.stack(ctx, waivers, before)
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
	if why := cloud.Nothing(); why != "" && x.in.snapshot != "" && x.in.taken != nil {
		return badInput(fmt.Errorf("%s: %s", name, why)) // which is why it may have no release either
	}
	if err != nil {
		return err
	}
	for _, s := range x.in.taken.Skipped {
		if s.What == otherNamespaces && s.Decides {
			cloud.OnlyPlatform(s.Why)
		}
	}
	return x.judge(audit.Input{Cloud: cloud, Inventory: x.in.taken, Plan: merged.plan()}, waivers, before)
}

// judge what was seen, less what is waived or known from before.
func (x *auditCommand) judge(in audit.Input, waivers []placedWaiver, before *v1alpha1.Answer) error {
	in.Cloud.Sort()
	for _, w := range waivers {
		in.Waivers, in.WaiverPlaces = append(in.Waivers, w.Waiver), append(in.WaiverPlaces, w.place)
	}
	if len(in.Cloud.Settings) > 0 {
		in.Checked = check.Run(check.Input{Objects: in.Cloud.Settings, Release: in.Cloud.Release}).Findings
	}
	made := audit.Answer(in)
	if before != nil {
		audit.Since(&made, in.Cloud, *before)
	}
	return x.answer(&made, nil)
}

// waiverFile is the form of a file of waivers.
type waiverFile struct {
	Waivers []audit.Waiver `json:"waivers"`
}

// placedWaiver is a waiver, and where it stands.
type placedWaiver struct {
	audit.Waiver
	place v1alpha1.Place
}

// readWaivers reads the file of waivers.
func (x *auditCommand) readWaivers() ([]placedWaiver, error) {
	if x.waivers == "" {
		return nil, nil
	}
	text, name, err := x.slurp(x.waivers, maxConfiguration)
	if err != nil {
		return nil, err
	}
	tree, bad := yamlpos.Parse(name, text)
	var file waiverFile
	if len(bad) == 0 {
		bad = strict.New[waiverFile](nil).Decode(tree, &file)
	}
	var out []placedWaiver
	for i, w := range file.Waivers {
		line, col := tree.At(fmt.Sprintf("waivers[%d]", i))
		out = append(out, placedWaiver{w, v1alpha1.Place{File: name, Line: line, Col: col}})
		for _, fault := range w.Faults() {
			bad.Add(tree.Problem(fmt.Sprintf("waivers[%d].%s", i, fault.Field), fault.What, fault.Fix))
		}
	}
	if len(bad) > 0 {
		bad.Sort()
		bad.TakeExcerpts(text, 1, 1)
		return nil, bad
	}
	return out, nil
}

// tellEach tells what is wrong with each of several files; nil where nothing is.
func (x *auditCommand) tellEach(bad ...error) error {
	var last error
	for _, err := range bad {
		if err != nil {
			last = x.tellOrSay(err)
		}
	}
	return last
}

// noFile refuses words that are neither flags nor commands, and says what may have been meant.
func noFile(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	c.SuggestionsMinimumDistance = 2
	hint := "a snapshot or must-gather is named by --snapshot"
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ") + "?"
	}
	return fmt.Errorf("unknown command %q for %q (%s)", args[0], c.CommandPath(), hint)
}

// readBaseline reads an earlier answer; nil where none is named.
func (x *auditCommand) readBaseline(path string) (*v1alpha1.Answer, error) {
	if path == "" {
		return nil, nil
	}
	text, name, err := x.slurp(path, maxBaseline)
	if err != nil {
		return nil, err
	}
	before, err := audit.Earlier(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return before, nil
}

// maxBaseline is more than any answer is long, in bytes.
const maxBaseline = 64 << 20
