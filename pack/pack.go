// Package pack finds the cheapest mix of nodes that holds every item, and proves
// how far from the best it can be: column generation over node patterns, with a
// lower bound that a simple checker verifies. It works on integers only and
// knows no cloud: nodes have capacities and costs, items have needs.
//
// It places nothing on a particular node: a pattern is copied as often as the
// solution says.
//
//	s, err := pack.Solve(problem, pack.Options{})
//	s.Nodes, s.Bound.Nodes // [138], 138: proven
package pack

// Problem is what is to be packed on what. All amounts are integers of at most
// 2^53 in any unit that the caller likes, the same for nodes and items.
type Problem struct {
	// Resources names the dimensions, for messages and certificates.
	Resources []string `json:"resources"`
	// Nodes are the kinds of node on offer.
	Nodes []NodeType `json:"nodes"`
	// Items are the kinds of item. Equal items should be one with a count, which is found and proven sooner.
	Items []Item `json:"items"`
	// Conflicts are pairs of item indices that exclude each other on a node.
	Conflicts [][2]int `json:"conflicts,omitempty"`
	// Spares is the number of nodes, of any kind, that may fail together while the rest still holds everything.
	Spares int `json:"spares,omitempty"`
	// Zones, from 2, spreads the nodes evenly over so many zones, each item as evenly as its count allows, unless one may
	// be lost and it is cheaper not to (Solution.Together).
	Zones int `json:"zones,omitempty"`
	// SurviveZoneLoss asks that the other zones hold everything when one is lost.
	SurviveZoneLoss bool `json:"surviveZoneLoss,omitempty"`
}

// NodeType is a kind of node.
type NodeType struct {
	Name string `json:"name"`
	// Capacity per dimension.
	Capacity []int64 `json:"capacity"`
	// Cost of one node, from 1, in any unit; equal costs ask for the fewest nodes.
	Cost int64 `json:"cost"`
	// Stock is the most nodes there are; -1 is no limit.
	Stock int64 `json:"stock"`
}

// Item is a number of equal items.
type Item struct {
	Name string `json:"name"`
	// Count of items.
	Count int64 `json:"count"`
	// Need per dimension of one item.
	Need []int64 `json:"need"`
	// MaxPerNode is the most of them on one node; 0 is no limit, 1 is anti-affinity.
	MaxPerNode int64 `json:"maxPerNode,omitempty"`
	// On says which kinds of node are allowed; nil is all.
	On []bool `json:"on,omitempty"`
}

// Options of a search.
type Options struct {
	// Gap in cost at which the search is content, such as 0.001; 0 goes on to the optimum.
	Gap float64
	// Effort bounds the work in units that take some microseconds each, the same on every machine, so that an
	// answer can be repeated; 0 is DefaultEffort. Above it a further search is made with each doubling, whole ones
	// only, so that what more effort finds is never worse.
	Effort int64
	// Start says packings to begin with, of a problem without zones and spares: the answer is no worse than any of
	// them, and its search knows their patterns. What of them doesn't hold is packed anew. Nil is none.
	Start func(Problem) [][]Pattern
	// Stop ends the search early when it says so; nil never does.
	Stop func() bool
	// Progress is told now and then how far the search is; nil is not.
	Progress func(Progress)
}

// Progress of a search.
type Progress struct {
	// Cost of the best packing and Bound below it, so far.
	Cost, Bound int64
	// Done is the share of the effort that is spent, 0 to 1.
	Done float64
}

// Solution is a packing, and how good it is.
type Solution struct {
	// Patterns are the kinds of filled node, with their copies. With Zones each is in every zone equally often and has
	// room for the zone's share, or for what the zone takes over when another is lost: for a few items
	// more than there are. But see Together.
	Patterns []Pattern `json:"patterns"`
	// Together says, where a zone may be lost, that the patterns are those of all zones but one, whichever is lost:
	// together they hold every item once. Each zone has the same nodes, so many that all but one have these,
	// some of which may stay empty. When a zone is lost, what runs in the others may have to move.
	Together bool `json:"together,omitempty"`
	// Nodes is the number of nodes of each kind, spares included.
	Nodes []int64 `json:"nodes"`
	// Spares is how many of them stay empty. Where a zone may be lost, they are those that what is there for
	// that can't stand in for: the nodes of one zone, or, with Together, those that no pattern is on.
	Spares []int64 `json:"spares,omitempty"`
	// Cost of all nodes.
	Cost int64 `json:"cost"`
	// Left are the items that no node can hold, or that the stock leaves over, by item.
	Left []int64 `json:"left,omitempty"`
	// Bound is what no packing can be below.
	Bound Bound `json:"bound"`
	// Optimal says that no packing of what is not left over costs less.
	Optimal bool `json:"optimal"`
	// Certificate proves the bound.
	Certificate Certificate `json:"certificate"`
	// Effort that was spent.
	Effort int64 `json:"effort"`
}

// Pattern is a filled node.
type Pattern struct {
	// Node is the index of its kind.
	Node int `json:"node"`
	// Items on it.
	Items []Stack `json:"items"`
	// Copies of the pattern.
	Copies int64 `json:"copies"`
}

// Stack is a number of equal items on one node.
type Stack struct {
	Item  int   `json:"item"`
	Count int64 `json:"count"`
}

// Bound is what no packing can be below.
type Bound struct {
	// Cost that no packing is below.
	Cost int64 `json:"cost"`
	// Nodes that no packing is below, whatever they cost.
	Nodes int64 `json:"nodes"`
	// Method that found the bound, the simplest that gives it: volume (the total of one dimension), linear (items may be
	// split over nodes), patterns (whole items on a node, nodes may be split) or counts (whole items and whole nodes).
	Method string `json:"method"`
	// GapCost and GapNodes are what the packing is above it.
	GapCost  int64 `json:"gapCost"`
	GapNodes int64 `json:"gapNodes"`
	// Gap is GapCost as a share of the packing's cost.
	Gap float64 `json:"gap"`
}
