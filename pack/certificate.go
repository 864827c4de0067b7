package pack

// Certificate proves a lower bound in integers. It says a price for each kind of
// item, in units of 1/Scale of the nodes' cost, such that no filled node is worth
// more than it costs; so every packing costs at least the sum of price times
// count, divided by Scale and rounded up. Count is what is packed: the items'
// count less what the solution leaves over.
//
// That no filled node is worth more is shown for each kind of node by a tree
// that cuts the patterns into boxes (between From and To of each item), and for
// each box by weights of the dimensions: price of an item at most its weighted
// need, plus what it exceeds that by times the most the box allows.
//
// Zones only add conditions, so the bound stands as it is; but a packing that
// survives the loss of a zone still holds everything without any one of its
// Zones zones, so the nodes of all but one are worth the count. Each zone has the
// same nodes, so many as the stock has for each at most: one costs at least a
// (Zones-1)th of what the count is worth, rounded up, and all Zones times that.
type Certificate struct {
	// Scale of the prices: a price of Scale is a cost of 1.
	Scale int64 `json:"scale"`
	// Prices of one item each, from 0.
	Prices []int64 `json:"prices"`
	// Stock is the price of a node of each kind whose stock is limited, from 0: what one more would save.
	// It is 0 for a kind without limit.
	Stock []int64 `json:"stock,omitempty"`
	// Bound in cost: the sum of price times count, less stock price times stock, over Scale, rounded up to a multiple
	// of the greatest common divisor of all costs; or more, see Counts. With SurviveZoneLoss, the stock being Zones-1
	// times a Zones-th of it, rounded down, a (Zones-1)th of that, rounded up to such a multiple, times Zones. It is the
	// bound of a packing without spare nodes, which holds for one with spares, too.
	Bound int64 `json:"bound"`
	// Counts raise the bound, of few nodes, above what one set of prices proves. Each is a certificate of an inequality
	// that the numbers of nodes of every packing fulfil: the sum over the kinds of cost times Scale plus stock price
	// (here also of kinds without limit), times nodes, is at least the sum of price times count. Bound is what no
	// numbers of nodes within the stock cost less than that fulfil this certificate's own inequality and those of
	// Counts, whose Bound says nothing. With SurviveZoneLoss they are fulfilled by Zones-1 times the numbers of one zone.
	Counts []Certificate `json:"counts,omitempty"`
	// Rounded are for each kind of node dimensions that follow from the given ones; empty when there are none at all.
	Rounded [][]Rounding `json:"rounded,omitempty"`
	// Proofs, one for each kind of node.
	Proofs []Proof `json:"proofs"`
	// Spares proves the bound of a packing with spare nodes: one certificate for each cost of the dearest
	// kind allowed; the bound is the least of them, each with the spares' own cost (or Bound, if that is higher).
	Spares []SpareProof `json:"spares,omitempty"`
}

// Rounding is a dimension that follows from others because counts are whole
// (mixed-integer rounding). With need and capacity the sums of Of times those of
// the given dimensions, and rest = capacity mod Divisor, it has
//
//	capacity' = capacity/Divisor * (Divisor-rest)
//	need'     = need/Divisor * (Divisor-rest) + max(need mod Divisor - rest, 0)
//
// with division rounded down: what keeps within capacity in whole counts keeps
// within capacity', too. Of a node of 15.5 cores only 15 are worth anything to
// items of whole cores: Divisor 1000 makes 7500 of 15500 and 500 of 1000.
type Rounding struct {
	// Of is a factor for each dimension, from 0. Capacity stays below 2^62.
	Of []int64 `json:"of"`
	// Divisor, from 1.
	Divisor int64 `json:"divisor"`
}

// SpareProof is the case that the dearest spare costs so much: take the dearest
// nodes away, as many as there are spares, and let Dearest be the cost of the
// cheapest of them. They cost Dearest each at least, and the rest, which costs
// Dearest each at most, still holds everything. There is one case for each
// different cost of a node.
type SpareProof struct {
	// Dearest cost of a node kind in the case.
	Dearest int64 `json:"dearest"`
	// Certificate for the kinds that cost at most Dearest; the proofs of dearer kinds are empty. It knows
	// neither zones nor spares.
	Certificate Certificate `json:"certificate"`
	// Bound of the case: the certificate's bound and spares times Dearest.
	Bound int64 `json:"bound"`
}

// Proof is that no filled node of a kind is worth more than it costs. It is
// either a cut, where an item's count is at most At in Below, and more in
// Above, or a box with weights.
//
// A box has From and To for each item. At the root From is 0, and To is the
// item's Count cut to MaxPerNode, 0 where the kind is not allowed. In a leaf, To
// becomes 0 for items in conflict with one whose From is not 0, and is cut to
// what fits, in every dimension, into the capacity less the needs of the From of
// all other items. The box is empty, and needs no weights, when some To is below
// its From then. (Rounded dimensions are not looked at for this, only below.) Otherwise, with
// excess = price*Unit - sum of Weights*need,
//
//	sum of Weights*capacity + sum over items of excess*(To if excess > 0, else From) <= (cost*Scale + Stock) * Unit
type Proof struct {
	// Item that is cut, with Below and Above.
	Item int `json:"item,omitempty"`
	// At is the highest count in Below.
	At    int64  `json:"at,omitempty"`
	Below *Proof `json:"below,omitempty"`
	Above *Proof `json:"above,omitempty"`
	// Weights of the dimensions, the given ones and then the kind's rounded ones, each from 0, in 1/Unit of a
	// price per unit of the dimension.
	Weights []int64 `json:"weights,omitempty"`
	Unit    int64   `json:"unit,omitempty"`
}
