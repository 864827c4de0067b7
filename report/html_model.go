package report

import (
	"cmp"
	"html/template"
	"strconv"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/limit"
)

// page is a plan prepared for the template of the HTML report.
type page struct {
	*index
	anchors *anchors
	// rows are the assumptions that have a row with an id.
	rows map[string]bool
	// CSS and Defs are ours and need no escaping.
	CSS  template.CSS
	Defs template.HTML

	Contents []link
	// Purchase is what to buy; nil for platforms of which another section tells.
	Purchase   *sectionView
	Near, Rest []gaugeView
	// RestMost is the largest share among Rest.
	RestMost string
	Options  *optionsView
	// Compared sets floor, packing and scheduler side by side; nil without comparison.
	Compared *rowsView
	Sections []sectionView
	Nodes    []nodeView
	Facts    []factView
}

// link leads to another place of the page; without Anchor it is mere text.
type link struct{ Anchor, Text string }

// anchors gives each thing of the page an id of its own.
type anchors struct {
	given map[string]string
	used  map[string]bool
}

// longestAnchor bounds ids made from long names.
const longestAnchor = 60

// of is the anchor of the thing with a kind ("f" for figures) and an id. It is
// made of letters, digits, dots and hyphens.
func (a *anchors) of(kind, id string) string { return a.at(kind, id, kind+"-"+id) }

// at is of, made from a text of its own.
func (a *anchors) at(kind, id, text string) string {
	key := kind + "\x00" + id
	if got, ok := a.given[key]; ok {
		return got
	}
	slug := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '-':
			return r
		}
		return '_'
	}, text)
	if len(slug) > longestAnchor {
		slug = slug[:longestAnchor]
	}
	unique := slug
	for n := 2; a.used[unique]; n++ {
		unique = slug + "_" + strconv.Itoa(n)
	}
	a.used[unique], a.given[key] = true, unique
	return unique
}

// gaugeView is a gauge with its drawing and its derivation.
type gaugeView struct {
	limit.Gauge
	// Above is a line that stands above the gauge, where another kind begins.
	Above         string
	Anchor        string
	Title         string
	Planned, Most string
	Percent       string
	Source        string
	Drawing       template.HTML
	Meaning       string
	Doubts        []string
	Steps         []stepView
}

// stepView is a node of a derivation as a list item.
type stepView struct {
	Name, Value, Exact string
	From               link
	Origin             string
	Formula            string
	Problem            string
	Method             string
	Steps              []stepView
	// More says that the derivation goes on at the figure itself.
	More bool
}

// figureView is a figure with its fold.
type figureView struct {
	explanation
	// Anchor is inside the fold; empty when the figure is folded out elsewhere.
	Anchor string
	Ref    string
	Exact  string
	Worked string
	Inputs []stepView
}

// sectionView is a section with its figures.
type sectionView struct {
	Anchor, Title, Summary string
	Figures, Details       []figureView
	Tables                 []tableView
	Timeline               *timelineView
}

// tableView is a table with links in its cells.
type tableView struct {
	v1alpha1.Table
	Rows [][]cellView
}

type cellView struct {
	v1alpha1.Cell
	Right bool
	// Chosen is set in the column of the option that the plan goes on with.
	Chosen bool
	Link   string
	// Drawing of a share, when the cell is one.
	Drawing template.HTML
}

// optionsView is the options side by side.
type optionsView struct {
	Heads   []v1alpha1.Option
	Rows    []optionRowView
	Reasons []v1alpha1.Option
	// Title stands above, Note below.
	Title, Note string
}

type optionRowView struct {
	Title string
	Cells []cellView
}

// nodeView is a node's layers: a drawing for each resource, and the table.
type nodeView struct {
	Title     string
	Resources []resourceView
	Rows      []layerRowView
}

type resourceView struct {
	Name, Capacity string
	Drawing        template.HTML
}

type layerRowView struct {
	Swatch template.HTML
	Name   string
	Cells  []string
}

// factView is a fact that the plan used.
type factView struct {
	Anchor, ID, Title, Value, Source string
	Remarks                          []string
}

// origin is where a value comes from, as a link where the page has the place.
func (p *page) originOf(r *derive.Ref) (text string, to link) {
	if r == nil {
		return "", link{}
	}
	switch r.Kind {
	case derive.FromFigure:
		if f, ok := p.figures[r.ID]; ok {
			return "", link{p.anchors.of("f", r.ID), f.Title}
		}
	case derive.FromFact:
		return "", link{p.anchors.of("fact", r.ID), cmp.Or(sourceOf(r).String(), r.ID)}
	case derive.FromDefault:
		for _, a := range p.plan.Assumptions {
			if a.Field == r.ID {
				return "default of", link{p.anchors.of("a", r.ID), r.ID}
			}
		}
	}
	return origin(r), link{}
}
