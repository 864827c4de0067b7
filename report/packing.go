package report

import (
	"fmt"
	"io"
	"math"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/pack"
	"plimsoll.dev/pack/peer"
	"plimsoll.dev/unit"
)

// Packing is the cheapest mix of nodes that was found, with its proof.
type Packing struct {
	Problem  pack.Problem  `json:"problem"`
	Solution pack.Solution `json:"solution"`
	// Unit is what a cost of 1 is: core, or price; Scale is how many units of cost are one of it.
	Unit  string  `json:"unit"`
	Scale float64 `json:"scale"`
	// Bare is the mix without spare nodes and zones, which the peers don't know.
	Bare pack.Solution `json:"bare,omitzero"`
	// Placed says what placement makes of the mix; Holds that it confirms it.
	Placed string `json:"placed,omitempty"`
	Holds  bool   `json:"holds,omitempty"`
	// Cheaper is a mix that costs less and that placement confirms; nil where none is known.
	Cheaper []int64 `json:"cheaper,omitempty"`
	// Peers are what other planners' rules would buy.
	Peers []peer.Result `json:"peers,omitempty"`
	// Open is as in the verdict of a plan.
	Open []string `json:"open,omitempty"`
	// Assumptions are fields that the scenario left open.
	Assumptions []v1alpha1.Assumption `json:"assumptions,omitempty"`
}

// WritePacking writes a packing in a format of Formats, but JSON, which is the
// document that certify reads. It returns an error for an unknown format, or the
// writer's.
func WritePacking(w io.Writer, p Packing, format string, opt Options) error {
	if format == JSON {
		return unknownFormat(format)
	}
	return p.document(format).write(w, format, opt)
}

// patternRows is the number of patterns in the default output; wide has all.
const patternRows = 12

// document is the packing for people.
func (p Packing) document(format string) *Document {
	says := p.sentences()
	d := &Document{Title: "Packing", Sub: mixText(p), Value: p,
		Verdict: &Verdict{Mark: judged(p.left() == 0), Text: says[0], More: says[1:],
			Named: inWords("Assumed", unsaid(p.Assumptions), "Not known", strings.Join(p.Open, "; "))}}
	if p.Placed != "" {
		d.Verdict.More = append(d.Verdict.More, p.Placed)
	}
	if p.Cheaper != nil {
		d.Verdict.More = append(d.Verdict.More, p.cheaper())
	}
	if (p.Placed != "" && !p.Holds || p.Cheaper != nil || len(p.Open) > 0) && p.left() == 0 {
		d.Verdict.Mark = "warn"
	}
	d.Names = each(p.Problem.Nodes, func(n pack.NodeType) string { return n.Name })
	d.add("nodes", "Nodes", boughtGrid(p, !short(format)))
	head := "Each runs"
	switch {
	case p.Solution.Together:
		head = "Each runs when one zone is lost"
	case p.Problem.Zones > 1: // with what it takes over from a zone that is lost
		head = "Each has room for"
	}
	patterns, more := newTable("", []string{">Nodes", "Type", head}, nil), Para{Style: table.Faint}
	patterns.ID = "patterns"
	for i, x := range p.Solution.Patterns {
		if n := len(p.Solution.Patterns) - i; i == patternRows && short(format) {
			more.Text = fmt.Sprintf("and %s more: -o wide lists them", words.Count(n, "pattern"))
			break
		}
		patterns.row(words.Number(x.Copies), p.Problem.Nodes[x.Node].Name, stacksText(p.Problem, x.Items))
	}
	d.add("filled", "How they are filled", p.charts(), patterns, more)
	if len(p.Peers) > 0 {
		d.add("peers", "What other rules would buy for the same pods", peerGrid(p))
	}
	return d
}

// judged is the mark of what holds or does not.
func judged(ok bool) string {
	if ok {
		return "good"
	}
	return "bad"
}

// mixText is "35 x 16-64 + 1 x 8-32".
func mixText(p Packing) string {
	var parts []string
	for i, n := range p.Solution.Nodes {
		if n > 0 {
			parts = append(parts, words.Number(n)+" x "+p.Problem.Nodes[i].Name)
		}
	}
	if len(parts) == 0 {
		return "no nodes"
	}
	return strings.Join(parts, " + ")
}

func (p Packing) left() int64 { return total(p.Solution.Left) }

func total(list []int64) int64 {
	n := int64(0)
	for _, x := range list {
		n += x
	}
	return n
}

// cost is a cost in the problem's units for people.
func (p Packing) cost(n int64) string {
	if p.Unit == "price" {
		return grouped(float64(n) / p.Scale)
	}
	return words.Number(n) + " " + p.Unit + "s"
}

// sentences say how good the mix is, for all formats alike.
func (p Packing) sentences() []string {
	s := p.Solution
	var out []string
	if n := p.left(); n > 0 {
		out = append(out, words.Number(n)+" pods find no place on any node there is")
	}
	switch {
	case s.Optimal:
		out = append(out, fmt.Sprintf("It costs %s, and no mix costs less: proven.", p.cost(s.Cost)))
	default:
		out = append(out, fmt.Sprintf("It costs %s; no mix costs less than %s: "+
			"the mix is at most %s more expensive than the best.",
			p.cost(s.Cost), p.cost(s.Bound.Cost),
			unit.Format(math.Ceil(float64(s.Bound.GapCost)/float64(max(1, s.Bound.Cost))*1000)/10, unit.Percent)))
	}
	out = append(out, fmt.Sprintf("%s; no mix has fewer than %s. The bound was found by %s.",
		words.Count(int(total(s.Nodes)), "node"), words.Number(s.Bound.Nodes), s.Bound.Method))
	if p.Problem.Zones > 1 {
		out = append(out, fmt.Sprintf("Each of the %d zones has the same nodes, "+
			"and the others hold everything when one is lost.", p.Problem.Zones))
	}
	if s.Together {
		out = append(out, "Pods that run in the others may have to move then.")
	}
	if p.Unit != "price" {
		out = append(out, "Cores are counted, since not all node types have a price.")
	}
	return out
}

// cheaper says what the plan buys for less.
func (p Packing) cheaper() string {
	cost, why := int64(0), ""
	for k, n := range p.Cheaper {
		cost += n * p.Problem.Nodes[k].Cost
	}
	if p.Problem.Zones > 1 {
		why = ": here each zone has the same nodes"
		if !p.Solution.Together {
			why += ", with room for an even share of each kind of pod"
		}
	}
	return fmt.Sprintf("Placement finds it on %s, too, which costs %s (plimsoll plan)%s.",
		mixText(Packing{Problem: p.Problem, Solution: pack.Solution{Nodes: p.Cheaper}}), p.cost(cost), why)
}

// boughtGrid is the node types of the mix; with all, the others on offer, too.
func boughtGrid(p Packing, all bool) Grid {
	g := newTable("", []string{"Type", ">Nodes", ">Spare", ">Cost of one", ">Cost"}, nil)
	for i, n := range p.Problem.Nodes {
		count, spare := p.Solution.Nodes[i], int64(0)
		if i < len(p.Solution.Spares) {
			spare = p.Solution.Spares[i]
		}
		if count > 0 || all {
			g.row(n.Name, words.Number(count), orNone(int(spare)), p.cost(n.Cost), p.cost(n.Cost*count))
		}
	}
	return g
}

func stacksText(q pack.Problem, items []pack.Stack) string {
	return joined(items, ", ", func(s pack.Stack) string {
		return fmt.Sprintf("%s x%d", q.Items[s.Item].Name, s.Count)
	})
}

// peerGrid is the mix and what other rules would buy.
func peerGrid(p Packing) Grid {
	g := newTable("", []string{"Rule", "Nodes", ">Cost", ">More", "Note"}, nil)
	g.row("plimsoll", mixText(Packing{Problem: p.Problem, Solution: p.Bare}), p.cost(p.Bare.Cost), "", bareNote(p))
	for _, x := range p.Peers {
		more := ""
		if p.Bare.Cost > 0 && x.Fits {
			more = fmt.Sprintf("%+.1f %%", (float64(x.Cost)/float64(p.Bare.Cost)-1)*100)
		}
		note := x.Note
		if n := total(x.Left); n > 0 {
			note = strings.TrimSuffix(fmt.Sprintf("%s pods find no place; %s", words.Number(n), note), "; ")
		}
		mix := mixText(Packing{Problem: p.Problem, Solution: pack.Solution{Nodes: x.Nodes}})
		g.row(x.Name, mix, p.cost(x.Cost), more, note)
	}
	return g
}

// bareNote says what the mix that is compared leaves out.
func bareNote(p Packing) string {
	if p.Problem.Spares > 0 || p.Problem.Zones > 1 {
		return "without spares and zones, as the others"
	}
	return ""
}
