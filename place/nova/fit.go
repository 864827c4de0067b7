package nova

// Fit finds a place on the host for the VM: virtual NUMA nodes are matched to
// NUMA nodes, so it fails only when there is no place at all.
func (h *Host) Fit(r *Request, rules Rules) (*Fit, bool) { return nil, false }

// Explain returns, for a VM that does not fit, the first failing test of each
// node for each cell, the host's own first; nil for one that fits.
func (h *Host) Explain(r *Request, rules Rules) []Reason { return nil }

// Search is Nova's own search, with its fault (the search remembers pairs of
// node and cell under ids that it changes while it searches). ok is what Nova
// says; fit is its answer, which may name CPUs of another node.
func (h *Host) Search(r *Request) (fit *Fit, ok bool) { return nil, false }

// Claim takes what a VM was given; Release gives it back.
func (h *Host) Claim(r *Request, f *Fit)   {}
func (h *Host) Release(r *Request, f *Fit) {}

// Clone copies the host, so that a copy can be tried on.
func (h *Host) Clone() *Host { return nil }
