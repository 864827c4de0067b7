package v1alpha1

import (
	"encoding/json"
	"fmt"
	"slices"

	"plimsoll.dev/derive"
	"plimsoll.dev/limit"
	"plimsoll.dev/topo"
)

// Plan is the answer to a Scenario: figures with their derivations, gauges
// against the limits of the release, findings, and the decisions that the
// manifests are made from. It is the same in every output format.
type Plan struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// MadeBy is the build that saved the plan.
	MadeBy *Build `json:"madeBy,omitempty"`
	// Metadata of the scenario.
	Metadata Metadata `json:"metadata"`
	// Platform of the scenario, with its defaults.
	Platform Platform `json:"platform"`
	// Verdict is what a reader needs first.
	Verdict Verdict `json:"verdict"`
	// Gauges are all limits, the nearest first.
	Gauges []limit.Gauge `json:"gauges"`
	// Findings are errors, warnings and remarks, errors first.
	Findings []Finding `json:"findings,omitempty"`
	// Sections group figures and tables by subject, in reading order.
	Sections []Section `json:"sections"`
	// Options are the node options side by side.
	Options []Option `json:"options,omitempty"`
	// Proofs are packings with certificates of their floors, which "certify" checks.
	Proofs []Proof `json:"proofs,omitempty"`
	// Nodes are the layers of one node of each type in the plan.
	Nodes []NodeLayers `json:"nodes,omitempty"`
	// Figures are all figures in the order in which they were found.
	Figures []derive.Figure `json:"figures"`
	// Assumptions are fields that the scenario left open.
	Assumptions []Assumption `json:"assumptions,omitempty"`
	// Skipped is what could not be understood or does not count.
	Skipped []Skipped `json:"skipped,omitempty"`
	// Decisions are what manifests are written from.
	Decisions Decisions `json:"decisions"`
	// Scenario that was planned, with its defaults and all that its files hold: from it "verify" plans again.
	Scenario *Scenario `json:"scenario,omitempty"`
	// Snapshot is the running cluster that the plan is about: its nodes, and the pods there.
	Snapshot *Inventory `json:"snapshot,omitempty"`
	// Machines that node types of the scenario name by a file, by the types' names.
	Machines map[string]topo.Machine `json:"machines,omitempty"`
}

// Verdict is the plan in three sentences.
type Verdict struct {
	// Fits is false when an error was found: something does not fit.
	Fits bool `json:"fits"`
	// Summary says what is needed: "138 x 4/16 workers, 3 infra, 3 control plane".
	Summary string `json:"summary"`
	// Cost of all nodes that have a price, in one sentence; empty without prices.
	Cost string `json:"cost,omitempty"`
	// Tightest names the limit that breaks first, in one sentence.
	Tightest string `json:"tightest"`
	// Problem names the worst finding; empty when there is none.
	Problem string `json:"problem,omitempty"`
	// Open names what the answer needs and did not get; a verdict with something open is not good.
	Open []string `json:"open,omitempty"`
}

// Good says that all fits and nothing is open.
func (v *Verdict) Good() bool { return v.Fits && len(v.Open) == 0 }

// Severity of a finding.
type Severity string

// The severities, worst first. A plan with an error does not fit.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Info    Severity = "info"
)

// Severities lists all severities, worst first.
func Severities() []Severity { return []Severity{Error, Warning, Info} }

// Rank orders severities, the worst 0; what is none of them counts as a remark.
func (s Severity) Rank() int {
	if i := slices.Index(Severities(), s); i >= 0 {
		return i
	}
	return slices.Index(Severities(), Info)
}

// SortFindings puts errors first, and keeps the order within a severity.
func SortFindings(list []Finding) {
	slices.SortStableFunc(list, func(a, b Finding) int { return a.Severity.Rank() - b.Severity.Rank() })
}

// Finding is a verdict in words.
type Finding struct {
	// Severity says whether the plan can stand.
	Severity Severity `json:"severity"`
	// ID is stable and dotted, the section first: "network.cidr.tooSmall".
	ID string `json:"id"`
	// Message says what is the matter, with the numbers.
	Message string `json:"message"`
	// Remedy says what would be right.
	Remedy string `json:"remedy,omitempty"`
	// Figure is the id of the figure that the finding is about.
	Figure string `json:"figure,omitempty"`
	// Field is the scenario field to change.
	Field string `json:"field,omitempty"`
	// Sources are the documents that say so.
	Sources []derive.Source `json:"sources,omitempty"`
	// Place is where in a file the finding stands; nil for what no file says.
	Place *Place `json:"place,omitempty"`
}

// Place is a position in a file of the user.
type Place struct {
	// File as the user named it; Line and Col count from 1.
	File string `json:"file"`
	Line int    `json:"line"`
	Col  int    `json:"col"`
	// Object is the kind and name: "Tuned/ingress".
	Object string `json:"object,omitempty"`
	// Field is the path in the object: "spec.recommend[0].priority".
	Field string `json:"field,omitempty"`
	// Cluster says that File is a cluster, or a snapshot of one, which nobody looks into for a line.
	Cluster bool `json:"cluster,omitempty"`
	// Excerpt is the source line with a caret below it, for terminals.
	Excerpt string `json:"-"`
}

// Section is a subject of the plan: a row of the requirements or several.
type Section struct {
	// ID is the first part of the section's figure ids: "network".
	ID string `json:"id"`
	// Title of the section.
	Title string `json:"title"`
	// Summary is the section in a sentence.
	Summary string `json:"summary,omitempty"`
	// Figures are ids, in reading order; the ones a reader wants without -o wide.
	Figures []string `json:"figures,omitempty"`
	// Details are ids of the figures shown in wide output and in reports.
	Details []string `json:"details,omitempty"`
	// Tables of the section.
	Tables []Table `json:"tables,omitempty"`
	// Timeline is drawn as bars over time; terminals show it in wide output.
	Timeline *Timeline `json:"timeline,omitempty"`
}

// Table is rows under headings, for every output format alike.
type Table struct {
	// ID is stable: "options", "monitoring.sizes".
	ID string `json:"id"`
	// Title stands above the table.
	Title string `json:"title"`
	// Columns are the headings.
	Columns []Column `json:"columns"`
	// Rows are cells in the order of the columns.
	Rows [][]Cell `json:"rows"`
	// Notes stand below the table.
	Notes []string `json:"notes,omitempty"`
	// Wide tables are left out of the default output for terminals.
	Wide bool `json:"wide,omitempty"`
}

// Column is the heading of a table's column.
type Column struct {
	// Title of the column.
	Title string `json:"title"`
	// Right aligns numbers.
	Right bool `json:"right,omitempty"`
	// Wide columns are left out of the default output for terminals.
	Wide bool `json:"wide,omitempty"`
}

// Cell is one entry of a table.
type Cell struct {
	// Text as printed.
	Text string `json:"text"`
	// List are the entries of a cell that has several, the weightiest first; Text joins them.
	List []string `json:"list,omitempty"`
	// Number in base units, when the cell is one.
	Number *float64 `json:"number,omitempty"`
	// Unit of the number.
	Unit string `json:"unit,omitempty"`
	// Figure is the id of the figure that explains the number.
	Figure string `json:"figure,omitempty"`
	// Mark judges the cell: "good", "warn", "bad" or nothing.
	Mark string `json:"mark,omitempty"`
}

// Option is one way to provide the nodes, measured by packing every pod.
type Option struct {
	// Name of the option.
	Name string `json:"name"`
	// Nodes of the option by type.
	Nodes []OptionNodes `json:"nodes"`
	// Bare is the number of nodes without overcommit on the machines' nominal size, as the documents
	// count: nothing reserved.
	Bare int `json:"bare"`
	// Needed is the number of nodes without overcommit on what is allocatable, found by packing.
	Needed int `json:"needed"`
	// Base is the number of nodes under the policy's overcommit, found by packing, without spares.
	Base int `json:"base"`
	// Total is the number of nodes that placement needs: all pods find a place, also after what the
	// policy wants survived. Where Verified says that it was not placed it is Base with spare nodes.
	Total int `json:"total"`
	// Floor is a number of nodes that no packing can do with fewer of; a certificate proves it where Proof names one.
	Floor int `json:"floor"`
	// FloorMethod says what proves the floor: volume (the totals), linear, patterns, counts or search.
	FloorMethod string `json:"floorMethod,omitempty"`
	// Given is the number of nodes that the scenario has in mind; 0 when it says none.
	Given int `json:"given,omitempty"`
	// Fits says whether the pods fit on the option: on Given, or within the stock.
	Fits bool `json:"fits"`
	// Why says in words why it doesn't fit, or what it costs.
	Why string `json:"why,omitempty"`
	// Overcommit implied per resource when Given nodes carry the workload, on their nominal size.
	Overcommit []ResourceShare `json:"overcommit,omitempty"`
	// FitsAt is the CPU overcommit at which a packing on Given nodes of nominal size succeeds; 0 when none does.
	FitsAt float64 `json:"fitsAt,omitempty"`
	// Utilisation of what is allocatable on Total nodes, per resource.
	Utilisation []ResourceShare `json:"utilisation,omitempty"`
	// Binding is the resource that decides the number of nodes.
	Binding string `json:"binding,omitempty"`
	// Price of Total nodes; 0 without prices.
	Price float64 `json:"price,omitempty"`
	// Cost is Price with that of the infrastructure and control plane nodes.
	Cost float64 `json:"cost,omitempty"`
	// Stranded is what is free on nodes that are full in another resource.
	Stranded []ResourceShare `json:"stranded,omitempty"`
	// Verified says what placement confirms of Total; nil where it was not asked.
	Verified *Verification `json:"verified,omitempty"`
	// Comparison of the proven floor, the planned nodes and what the scheduler needs.
	Comparison *NodeComparison `json:"comparison,omitempty"`
	// Chosen marks the option that the plan goes on with.
	Chosen bool `json:"chosen,omitempty"`
	// Figure is the id of the figure that explains the number.
	Figure string `json:"figure,omitempty"`
}

// The states of a verification.
const (
	// Verified: every case was placed by the rules of the schedulers; of nodes that are equal in all
	// that counts, one stands for the others.
	Verified = "verified"
	// VerifiedBySample: there are too many combinations of nodes to fail; half of those tried are the worst.
	VerifiedBySample = "sampled"
	// Estimated: it would take too long to place, or the option is dearer than another on any number that
	// may hold; the number is the packing's, or the least one that was not refuted.
	Estimated = "estimated"
	// NotVerified: placement refutes it.
	NotVerified = "refuted"
)

// Verification is what placement says of a number of nodes.
type Verification struct {
	// Status is verified, sampled, estimated or refuted.
	Status string `json:"status"`
	// Order in which the pods arrive: runs, shuffled, largestFirst or any.
	Order string `json:"order"`
	// Asked are the events that the policy wants survived.
	Asked []string `json:"asked,omitempty"`
	// Fewer says what breaks with one node fewer.
	Fewer string `json:"fewer,omitempty"`
	// Problem says why it is not verified.
	Problem string `json:"problem,omitempty"`
}

// Proof is a packing with a certificate that no packing needs fewer nodes.
type Proof struct {
	// Option that was packed.
	Option string `json:"option"`
	// Basis is nominal (the machines' label, no overcommit) or allocatable (what is left of it, under
	// the policy's overcommit).
	Basis string `json:"basis"`
	// Nodes of the packing, and Bound below which there is none.
	Nodes int `json:"nodes"`
	Bound int `json:"bound"`
	// Method that found the bound: volume, linear, patterns, counts or search.
	Method string `json:"method"`
	// Packing is the document of kind Packing: problem, solution and certificate.
	Packing json.RawMessage `json:"packing"`
}

// ResourceShare is a share of one resource: a utilisation or an overcommit.
type ResourceShare struct {
	// Resource is cpu, memory, pods, ephemeral-storage, hugepages-2Mi or a device.
	Resource string `json:"resource"`
	// Used is the amount requested.
	Used derive.Value `json:"used"`
	// Total is the amount there is.
	Total derive.Value `json:"total"`
	// Share is Used / Total.
	Share float64 `json:"share"`
	// Figure is the id of the figure that explains the share.
	Figure string `json:"figure,omitempty"`
}

// NodeLayers is a node of one type cut into what it is used for.
type NodeLayers struct {
	// Type is the node type's name.
	Type string `json:"type"`
	// Role of the node.
	Role string `json:"role"`
	// Count of such nodes in the plan.
	Count int `json:"count"`
	// Resources are the layers of each resource, bottom first.
	Resources []ResourceLayers `json:"resources"`
}

// ResourceLayers cuts one resource of a node; the layers sum to Capacity.
type ResourceLayers struct {
	// Resource is cpu, memory or pods.
	Resource string `json:"resource"`
	// Capacity of the node.
	Capacity derive.Value `json:"capacity"`
	// Layers, bottom first: system, kubelet, eviction, hugepages, daemonsets, infrastructure, workload, free.
	Layers []Layer `json:"layers"`
}

// Layer is one part of a node's resource.
type Layer struct {
	// Name of the layer.
	Name string `json:"name"`
	// Value of the layer; a mean over the nodes for the workload.
	Value derive.Value `json:"value"`
}

// Assumption is a field that the scenario left open.
type Assumption struct {
	// Field is the path, such as policy.zones.
	Field string `json:"field"`
	// Value that was filled in.
	Value string `json:"value"`
	// Why it has this value.
	Why string `json:"why,omitempty"`
	// Fact that the value comes from.
	Fact string `json:"fact,omitempty"`
}

// Skipped is something in the input that was not counted.
type Skipped struct {
	// Place is file:line, or a path.
	Place string `json:"place"`
	// What was found there.
	What string `json:"what"`
	// Why it was not counted.
	Why string `json:"why"`
	// Count of such things, when they are many.
	Count int `json:"count,omitempty"`
	// Planning says that only a plan goes without it; placement honours it.
	Planning bool `json:"planning,omitempty"`
	// Needed says that the answer can't be good without it.
	Needed bool `json:"needed,omitempty"`
	// Decides says that it can change how many pods there are or where they go: a verdict without it is open.
	Decides bool `json:"decides,omitempty"`
}

// Undecided names what was skipped and leaves a verdict open.
func Undecided(skipped []Skipped) []string {
	var out []string
	for _, s := range skipped {
		if s.Decides {
			out = append(out, s.What+": "+s.Why)
		}
	}
	return out
}

// Lacking is the finding that an answer lacks what was skipped and is needed; ok is
// false when nothing of the sort was.
func Lacking(skipped []Skipped) (f Finding, ok bool) {
	n, first := 0, Skipped{}
	for _, s := range skipped {
		if s.Needed {
			if n == 0 {
				first = s
			}
			n += max(1, s.Count)
		}
	}
	message := first.What + ": " + first.Why
	if n > 1 { // each for a reason of its own
		message += fmt.Sprintf("; and %d more (--section skipped)", n-1)
	}
	return Finding{Severity: Error, ID: "input.lacking", Message: message,
		Remedy: "complete the files that the scenario names, or give the account that reads the cluster the rights of " +
			"\"plimsoll rbac plan\", so that all that runs is counted"}, n > 0
}
