package cli

import (
	"bytes"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/pack/certify"
)

func newCertify(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "certify PLAN",
		Short: "Check the certificates that no packing needs fewer nodes",
		Long: `Certify checks in whole numbers, by a program of its own that shares nothing
with the one that packs, that each packing of a plan holds every pod, and that
its certificate proves that none needs fewer nodes. PLAN is a plan or a
packing that was saved with -o json, by whomever. What else a plan says is held
against its scenario, as "plimsoll verify" does.

` + exitCodesHelp,
		Example: `  plimsoll plan examples/ocp-9.4.yaml -o json --output-file plan.json
  plimsoll certify plan.json`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeYAML,
		RunE:              func(_ *cobra.Command, args []string) error { return a.certify(args[0]) },
	}
}

// certify checks every packing of a file.
func (a *app) certify(name string) error {
	text, err := a.readDocument(name)
	if err != nil {
		return badInput(err)
	}
	proofs := []v1alpha1.Proof{{Packing: text}}
	made, err := decodePlan(name, text)
	if err != nil {
		return err
	}
	if made != nil {
		if proofs = made.Proofs; len(proofs) == 0 {
			return badInput(fmt.Errorf("%s: the plan has no packing with a certificate (plan it with "+
				"this version, for equal nodes)", name))
		}
	}
	wrong, remarks, err := a.tellWrong(made, nil)
	if err != nil {
		return err
	}
	for _, r := range remarks {
		a.say("%s", r)
	}
	for _, p := range proofs {
		d, err := certify.Read(bytes.NewReader(p.Packing))
		if err != nil {
			return badInput(fmt.Errorf("%s: %w", name, err))
		}
		n, err := a.certifyOne(title(p), d, claims(made, p, d))
		if err != nil {
			return err
		}
		wrong += n
	}
	if wrong > 0 {
		return &exitError{code: ExitNegative}
	}
	return nil
}

// title names a packing of a plan.
func title(p v1alpha1.Proof) string {
	if p.Option == "" {
		return "packing"
	}
	return table.Clean(p.Option + ", " + p.Basis)
}

// certifyOne prints what the checker says of one packing, and counts the faults.
func (a *app) certifyOne(title string, d certify.Document, claims []string) (int, error) {
	faults := append(certify.Check(*d.Problem, *d.Solution), claims...)
	if len(faults) > 0 {
		for _, f := range faults {
			if _, err := fmt.Fprintf(a.Out, "%s: %s\n", title, table.Clean(f)); err != nil {
				return 0, err
			}
		}
		return len(faults), nil
	}
	b := d.Solution.Bound
	_, err := fmt.Fprintf(a.Out, "%s: %s, proven: no packing costs less than %d or needs fewer than %s (%s)\n",
		title, nodesOf(d), b.Cost, words.Count(b.Nodes, "node"), gap(b.GapCost))
	return 0, err
}

// claims are the plan's numbers that its own certificate does not bear out.
func claims(made *v1alpha1.Plan, p v1alpha1.Proof, d certify.Document) []string {
	if made == nil {
		return nil
	}
	var out []string
	bound, nodes := int(d.Solution.Bound.Nodes), int(total(d.Solution.Nodes))
	if p.Bound != bound || p.Nodes != nodes {
		out = append(out, fmt.Sprintf("the plan says %d nodes and a bound of %d, the packing %d and %d", p.Nodes, p.Bound,
			nodes, bound))
	}
	for _, o := range made.Options {
		floor, packed := o.Floor, o.Base
		if p.Basis == "nominal" {
			floor, packed = bound, o.Bare
		}
		if o.Name == p.Option && (floor > bound || packed < bound) {
			out = append(out, fmt.Sprintf("the option says %d nodes and a floor of %d, which the bound of %d does not bear out",
				packed, floor, bound))
		}
	}
	return out
}

// nodesOf is the packing in a few words.
func nodesOf(d certify.Document) string {
	return words.Count(total(d.Solution.Nodes), "node")
}

func gap(cost int64) string {
	if cost == 0 {
		return "optimal"
	}
	return fmt.Sprintf("at most %d more expensive than the best", cost)
}

// readDocument reads a file, or standard input, that may be no longer than a plan.
func (a *app) readDocument(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(io.LimitReader(a.In, maxPlan))
	}
	text, err := readBounded(name)
	if err == nil && text == nil {
		err = fmt.Errorf("%s: is no regular file (a plan from a pipe is read as -)", name)
	}
	return text, err
}
