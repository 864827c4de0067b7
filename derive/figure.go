package derive

// Figure is one number of a plan with everything that is needed to check it.
type Figure struct {
	// ID is stable and dotted, the section first: "network.hostPrefix". An item
	// of a list stands in brackets: "node.allocatable.cpu[m5.xlarge]".
	ID string `json:"id"`
	// Title says in a few words what the number is.
	Title string `json:"title"`
	// Value is the number.
	Value Value `json:"value"`
	// Formula is arithmetic over the names of Inputs; Eval computes it. Empty
	// when Method says how the figure was found.
	Formula string `json:"formula,omitempty"`
	// Method says in words how a figure was found that no formula gives, such as
	// a packing.
	Method string `json:"method,omitempty"`
	// Inputs are the values that the formula or method used.
	Inputs []Input `json:"inputs,omitempty"`
	// Notes are conditions and doubts a reader should know.
	Notes []string `json:"notes,omitempty"`
	// Sources are the places that state the formula or method itself.
	Sources []Source `json:"sources,omitempty"`
}

// Input is a named value that a figure was computed from.
type Input struct {
	Name  string `json:"name"`
	Value Value  `json:"value"`
}

// In names a value for use in a formula. The name is an identifier.
func In(name string, v Value) Input { return Input{Name: name, Value: v} }

// Book collects the figures of a plan in the order in which they are found.
// The zero Book is empty and ready to use. Not safe for concurrent use.
type Book struct {
	figures []Figure
	index   map[string]int
}

// Calc records a figure whose value in unitName is what the formula gives over
// the inputs, and returns the value for use as another figure's input.
// Recording an id again replaces the figure: iterations keep the last round.
func (b *Book) Calc(id, title, unitName, formula string, in ...Input) Value {
	return b.Found(id, title, Solve(formula, in...), unitName, formula, in...)
}

// CalcAs is Calc for a number that is not printed as its unit is by default.
func (b *Book) CalcAs(write func(float64) string, id, title, unitName, formula string, in ...Input) Value {
	v := Of(Solve(formula, in...), unitName)
	return b.Record(Figure{ID: id, Title: title, Value: v.WithText(write(v.Number)), Formula: formula, Inputs: in})
}

// Found records a figure whose number something else found: a search, a placement,
// a function that decides by it as well. The formula restates it, and Verify compares
// the two, so that the answer and what is printed under it can't drift apart.
func (b *Book) Found(id, title string, number float64, unitName, formula string, in ...Input) Value {
	return b.Record(Figure{ID: id, Title: title, Value: Of(number, unitName), Formula: formula, Inputs: in})
}

// Record records a figure and returns its value, which refers to the figure.
func (b *Book) Record(f Figure) Value {
	if b.index == nil {
		b.index = map[string]int{}
	}
	f.Value.From = nil
	if i, ok := b.index[f.ID]; ok {
		b.figures[i] = f
	} else {
		b.index[f.ID] = len(b.figures)
		b.figures = append(b.figures, f)
	}
	return f.Value.at(FromFigure, f.ID)
}

// Note adds a note to the figure id, and sources for its formula. It does
// nothing when there is no such figure.
func (b *Book) Note(id, note string, sources ...Source) {
	i, ok := b.index[id]
	if !ok {
		return
	}
	if note != "" {
		b.figures[i].Notes = append(b.figures[i].Notes, note)
	}
	b.figures[i].Sources = append(b.figures[i].Sources, sources...)
}

// Get returns the figure id.
func (b *Book) Get(id string) (Figure, bool) {
	i, ok := b.index[id]
	if !ok {
		return Figure{}, false
	}
	return b.figures[i], true
}

// Figures returns all figures in the order in which they were first recorded.
func (b *Book) Figures() []Figure { return b.figures }
