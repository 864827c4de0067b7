package cli

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/spf13/cobra"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/term"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/pack"
	"plimsoll.dev/pack/certify"
	"plimsoll.dev/pack/peer"
	"plimsoll.dev/plan"
	"plimsoll.dev/report"
)

// packCommand holds the flags of "pack".
type packCommand struct {
	*app
	in      input
	out     output
	compare bool
	gap     float64
	seconds float64
}

func newPack(a *app) *cobra.Command {
	p := &packCommand{app: a}
	c := &cobra.Command{
		Use:   "pack [SCENARIO]",
		Short: "Find the cheapest mix of nodes that holds every pod, and prove it",
		Long: `Pack buys nodes: of all worker types that a scenario offers, the mix that holds
every pod at the least price (the fewest cores where no prices are given), with
the policy's spare nodes and zones, and a lower bound that no mix can be below.
The JSON output carries a certificate of the bound, which "certify" checks.

` + exitCodesHelp,
		Example: `  plimsoll pack examples/shop.yaml
  plimsoll pack examples/shop.yaml --compare
  plimsoll pack examples/shop.yaml -o json --output-file packing.json
  plimsoll certify packing.json`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeYAML,
		RunE:              func(c *cobra.Command, args []string) error { return p.run(c.Context(), first(args)) },
	}
	p.in.flags(c)
	p.out.flags(c)
	c.Flags().BoolVar(&p.compare, "compare", false, "also say what other planners' rules would buy for the same pods")
	c.Flags().Float64Var(&p.gap, "gap", 0,
		"be content with a mix that is proven within this share of the cheapest, such as 0.001")
	c.Flags().Float64Var(&p.seconds, "effort", 1,
		"search about so many seconds, above 1 in whole doublings; the answer does not "+
			"depend on the machine's speed")
	return c
}

func (p *packCommand) run(ctx context.Context, name string) error {
	if !(p.gap >= 0 && p.gap < 1) || !(p.seconds > 0 && p.seconds <= 3600) {
		return badInput(errors.New("--gap is a share from 0 to below 1, --effort is in seconds, above 0 and at most 3600"))
	}
	opt, err := p.out.options(p.app)
	if err != nil {
		return err
	}
	m, err := p.in.read(p.app, name)
	if err != nil {
		return err
	}
	if m.scenario.Platform.Type == platformHelion {
		return badInput(errors.New("pack is for OpenShift and Kubernetes (on helion, plan finds the fewest computes and " +
			"their floor, and place --compare the packed order)"))
	}
	q := plan.Problem(m.scenario, m.assumed, m.facts())
	if len(q.Problem.Nodes) == 0 {
		return badInput(errors.New("there is no node type to buy (list one with role worker under hardware.nodeTypes)" +
			andLacking(m.skipped)))
	}
	q.Open = append(q.Open, v1alpha1.Undecided(m.skipped)...)
	if f, ok := v1alpha1.Lacking(m.skipped); ok {
		q.Open = append(q.Open, f.Message)
	}
	s, err := p.solve(ctx, q.Problem)
	lacking := err
	if errors.Is(lacking, pack.ErrSpares) { // how far the stock goes is worth knowing, too
		q.Problem.Spares = 0
		s, err = p.solve(ctx, q.Problem)
	}
	if err != nil {
		return badInput(err)
	}
	if err := p.print(ctx, m, q, s, opt); err != nil {
		return err
	}
	if left := total(s.Left); left > 0 {
		p.say("exit code 3: %s on no node", words.Count(left, "pod"))
		return &exitError{code: ExitNegative}
	}
	if lacking != nil {
		p.say("exit code 3: packed without spare nodes; %v", lacking)
		return &exitError{code: ExitNegative}
	}
	if len(q.Open) > 0 {
		p.say("exit code 3: not known: %s", q.Open[0])
		return &exitError{code: ExitNegative}
	}
	return nil
}

// solve searches, and shows how far it is.
func (p *packCommand) solve(ctx context.Context, q pack.Problem) (pack.Solution, error) {
	const parts = 1000
	progress := term.NewProgress(p.terminal,
		term.ProgressOptions{Title: "packing", Total: parts, Quiet: p.quiet, Now: time.Now})
	defer progress.Done()
	return pack.Solve(q, pack.Options{Gap: p.gap, Effort: int64(p.seconds * float64(pack.DefaultEffort)),
		Start:    peer.Packings,
		Stop:     func() bool { return ctx.Err() != nil },
		Progress: func(now pack.Progress) { progress.Set(int64(now.Done * parts)) }})
}

func (p *packCommand) print(ctx context.Context, m *merged, q plan.Priced, s pack.Solution,
	opt report.Options) error {
	bought := report.Packing{Problem: q.Problem, Solution: s, Unit: q.Unit, Scale: q.Scale,
		Open: q.Open, Assumptions: m.assumed}
	if total(s.Left) == 0 {
		bought.Placed, bought.Holds = q.Placed(s.Nodes)
		bought.Cheaper = q.Cheaper(s.Cost)
	}
	if p.compare {
		var err error
		if bought.Bare, err = p.bare(ctx, q.Problem, s); err != nil {
			return err
		}
		bought.Peers = peer.Compare(q.Problem)
	}
	return p.out.write(p.app, func(w io.Writer) error {
		if p.out.format == report.JSON {
			return report.WriteJSON(w, certify.Document{Kind: certify.Kind, Problem: &q.Problem, Solution: &s,
				Beside: besidePacking{bought.Unit, bought.Placed, bought.Holds, bought.Cheaper, bought.Open, bought.Bare.Cost,
					bought.Peers}}, opt.MadeBy)
		}
		return report.WritePacking(w, bought, p.out.format, opt)
	})
}

// besidePacking is what the text says of a packing and its certificate doesn't.
type besidePacking struct {
	Unit     string        `json:"unit,omitempty"`
	Placed   string        `json:"placed,omitempty"`  // what placement makes of it
	Holds    bool          `json:"holds"`             // placement confirms it
	Cheaper  []int64       `json:"cheaper,omitempty"` // nodes of each kind on which it does, too, for less
	Open     []string      `json:"open,omitempty"`    // what the answer needs and did not get
	BareCost int64         `json:"bareCost,omitempty"`
	Peers    []peer.Result `json:"peers,omitempty"` // other planners' rules, without spares and zones as BareCost
}

// bare is the mix without spare nodes and zones, which other rules don't know.
func (p *packCommand) bare(ctx context.Context, q pack.Problem, s pack.Solution) (pack.Solution, error) {
	if q.Spares == 0 && q.Zones == 0 {
		return s, nil
	}
	q.Spares, q.Zones, q.SurviveZoneLoss = 0, 0, false
	return p.solve(ctx, q)
}

func total(list []int64) int64 {
	n := int64(0)
	for _, x := range list {
		n += x
	}
	return n
}
