package store

import (
	"cmp"
	"slices"
	"strings"

	"plimsoll.dev/facts"
)

// Level says how well a technology suits a use.
type Level string

// The levels, best first: the three words of table 10.2, and "not recommended",
// which the text uses for what the table calls configurable.
const (
	Recommended     Level = "recommended"
	Configurable    Level = "configurable"
	NotRecommended  Level = "not recommended"
	NotConfigurable Level = "not configurable"
)

// Levels lists all levels, best first.
func Levels() []Level { return []Level{Recommended, Configurable, NotRecommended, NotConfigurable} }

// worse returns the worse of two levels; an empty level is no judgement.
func worse(a, b Level) Level {
	if slices.Index(Levels(), b) > slices.Index(Levels(), a) {
		return b
	}
	return a
}

// Need is a use of storage on a platform.
type Need struct {
	// Use is registry, scaledRegistry, metrics, logging, apps, database or etcd.
	Use string
	// AccessMode is RWO, ROX or RWX. A scaled registry needs RWX whatever is asked.
	AccessMode string
	// Provider below the cluster, as in platform.provider.
	Provider string
}

// Choice is a technology for a use, with the judgement on it.
type Choice struct {
	// Technology is block, file or object; Product the one that was looked at.
	Technology, Product string
	// Level is the verdict, Table what table 10.2 alone says ("" for etcd, which
	// the table does not list).
	Level, Table Level
	// Reasons are the rules that apply, in the documents' order.
	Reasons []Reason
	// Footnotes are the table's own for this cell.
	Footnotes []string
}

// Reason is one rule that applies to a choice.
type Reason struct {
	// Level that the rule holds the choice down to; empty when it only informs.
	Level Level
	// Text in a sentence without a full stop.
	Text string
	// Fact that the rule rests on.
	Fact string
}

// Technologies are the three kinds of storage.
func Technologies() []string { return []string{"block", "file", "object"} }

// Advise ranks the technologies for a need, best first. It looks at the product
// that the provider is known for, such as AWS EBS for block storage on AWS; for
// etcd at local NVMe or SSD drives, which the document recommends.
func Advise(c *facts.Catalogue, need Need) []Choice {
	var list []Choice
	for _, t := range preference(need.Use) {
		product := typical[need.Provider][t]
		if need.Use == "etcd" && t == "block" {
			product = localFlash
		}
		list = append(list, Judge(c, need, t, product))
	}
	slices.SortStableFunc(list, func(a, b Choice) int {
		return cmp.Compare(slices.Index(Levels(), a.Level), slices.Index(Levels(), b.Level))
	})
	return list
}

// Judge gives the verdict on one technology, block, file or object, and
// optionally a product, for a need.
func Judge(c *facts.Catalogue, need Need, technology, product string) Choice {
	if need.Use == "scaledRegistry" {
		need.AccessMode = "RWX"
	}
	choice := Choice{Technology: technology, Product: product, Level: Recommended}
	if column := columns[need.Use]; column != "" {
		cell := c.Must("ocp.storage." + column + "/" + technology)
		choice.Table, choice.Footnotes = Level(cell.Text), cell.Notes
		choice.add(Reason{Level: choice.Table, Fact: cell.ID,
			Text: "table 10.2 says " + cell.Text + " for " + useTitles[column]})
	}
	if r, ok := modeReason(c, need, technology, product); ok {
		choice.add(r)
	}
	for _, r := range rules {
		if r.applies(need, technology, product) {
			choice.add(Reason{Level: r.level, Fact: r.fact, Text: r.text})
		}
	}
	return choice
}

func (c *Choice) add(r Reason) {
	c.Reasons = append(c.Reasons, r)
	c.Level = worse(c.Level, r.Level)
}

// Why are the reasons that decide the level, and the remarks unless the choice
// can't be configured at all.
func (c Choice) Why() []Reason {
	return slices.DeleteFunc(slices.Clone(c.Reasons), func(r Reason) bool {
		return r.Level != c.Level && (r.Level != "" || c.Level == NotConfigurable)
	})
}

// Words are the reasons of Why in a line.
func (c Choice) Words() string {
	var words []string
	for _, r := range c.Why() {
		words = append(words, r.Text)
	}
	return strings.Join(words, "; ")
}

// Serves says whether a technology can be mounted in an access mode: RWO always,
// ROX and RWX as table 10.2 has it. A product can be an exception (footnote 4).
func Serves(c *facts.Catalogue, technology, product, mode string) bool {
	_, refused := modeReason(c, Need{AccessMode: mode}, technology, product)
	return !refused
}

// modeReason tells why the access mode can't be had.
func modeReason(c *facts.Catalogue, need Need, technology, product string) (Reason, bool) {
	column := map[string]string{"ROX": "rox", "RWX": "rwx"}[need.AccessMode]
	if column == "" {
		return Reason{}, false
	}
	cell := c.Must("ocp.storage." + column + "/" + technology)
	switch {
	case cell.Text == "No":
		return Reason{Level: NotConfigurable, Fact: cell.ID,
			Text: technology + " storage can't be mounted " + modeTitles[need.AccessMode]}, true
	case need.AccessMode == "ROX" && products[product].notROX && technology != "object":
		return Reason{Level: NotConfigurable, Fact: cell.ID,
			Text: products[product].title + " is an exception of table 10.2: it can't be mounted " + modeTitles["ROX"]}, true
	}
	return Reason{}, false
}
