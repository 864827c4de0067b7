// Package store advises on persistent storage and sizes the local disks of
// nodes, after chapter 10 of the OpenShift guide: which technology suits a use,
// whether a given choice is sound, and how large a disk each role needs.
//
// It measures no storage and knows no prices; how much persistent storage the
// pods claim is the workload's business.
//
//	choices := store.Advise(c, store.Need{Use: "registry", AccessMode: "RWO", Provider: "aws"})
//	choices[0].Technology // "object"
package store

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/part"
)

// Input is what the storage section is made from.
type Input struct {
	// Storage is the scenario's part, defaults filled in.
	Storage v1alpha1.Storage
	// Provider below the cluster, as in platform.provider.
	Provider string
	// Release of the platform.
	Release string
	// Nodes are the node types of the plan.
	Nodes []Node
	// Origin tells which fields were assumed.
	Origin *part.Origin
	// Facts is the catalogue.
	Facts *facts.Catalogue
}

// Result is the advice on each use and the disk of each node type.
type Result struct {
	// Part is the section "storage".
	Part *part.Part
	// Advice is one entry a use, in the scenario's order.
	Advice []Advice
	// Disks is one entry a node type, in the order of Input.Nodes.
	Disks []Disk
}

// Advice is the answer for one use.
type Advice struct {
	// Name and Use as the scenario gives them.
	Name, Use string
	// Choices are the technologies, best first.
	Choices []Choice
	// Given is the verdict on the scenario's choice; nil when it makes none.
	Given *Choice
}

// Plan advises on the scenario's uses and sizes disks; it records the figures
// "storage.*" in b.
func Plan(b *derive.Book, in Input) Result {
	p := &planner{Sheet: part.On(b, in.Facts, in.Origin, part.New("storage", "Storage and disks"), "storage"), in: in}
	r := Result{Part: p.Part, Advice: p.advise()}
	for _, n := range in.Nodes {
		r.Disks = append(r.Disks, p.disk(n))
	}
	p.choiceTable(r.Advice)
	p.diskTable(r.Disks)
	p.summary(r)
	return r
}

type planner struct {
	part.Sheet
	in Input
}

// request is one use of the scenario with the path of its field.
type request struct {
	v1alpha1.StorageUse
	path string
}

func (p *planner) requests() []request {
	var list []request
	for i, u := range p.in.Storage.Uses {
		list = append(list, request{u, fmt.Sprintf("storage.uses[%d]", i)})
	}
	return list
}

func (p *planner) advise() []Advice {
	var list []Advice
	for _, r := range p.requests() {
		need := Need{Use: r.Use, AccessMode: r.AccessMode, Provider: p.in.Provider}
		a := Advice{Name: r.Name, Use: r.Use, Choices: Advise(p.Facts, need)}
		p.record(a)
		if r.Technology != "" || r.Product != "" {
			p.judge(r, need, &a)
		}
		p.checkMode(r)
		list = append(list, a)
	}
	return list
}

// record puts the ranking into the book.
func (p *planner) record(a Advice) {
	f := derive.Figure{ID: "storage.advice[" + a.Name + "]", Title: "Storage for " + a.Name + ", best first",
		Method: "what table 10.2 says of each technology, lowered by every rule of the text that applies to " +
			"use, access mode and platform"}
	for i, c := range a.Choices {
		if i > 0 {
			f.Value.Text += ", "
		}
		name := c.Technology
		if a.Use == "etcd" {
			name = title(c)
		}
		f.Value.Text += fmt.Sprintf("%s (%s)", name, c.Level)
		for _, r := range c.Reasons {
			f.Notes = append(f.Notes, c.Technology+": "+r.Text)
			f.Inputs = append(f.Inputs, derive.In(fmt.Sprintf("rule%d", len(f.Inputs)+1), p.Fact(r.Fact)))
		}
	}
	f.Sources = []derive.Source{{Code: "OCP", Section: "10.2"}}
	p.Detail(p.Record(f))
}
