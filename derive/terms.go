package derive

import "strings"

// Terms are the terms of a formula over a list, with their inputs. The zero value has
// none.
type Terms struct {
	Texts []string
	In    []Input
}

// Add adds a term and the inputs that it names.
func (t *Terms) Add(text string, in ...Input) {
	t.Texts, t.In = append(t.Texts, text), append(t.In, in...)
}

// Product adds the product of the inputs as a term: "n1 * v1", or "n1" of a single one.
func (t *Terms) Product(in ...Input) {
	names := make([]string, len(in))
	for i, v := range in {
		names[i] = v.Name
	}
	t.Add(strings.Join(names, " * "), in...)
}

// Sum is the formula "a + b"; "0" without terms.
func (t *Terms) Sum() string {
	if len(t.Texts) == 0 {
		return "0"
	}
	return strings.Join(t.Texts, " + ")
}

// Of is the formula "max(a, b)" of a function of any number of arguments; "0" without
// terms.
func (t *Terms) Of(function string) string {
	if len(t.Texts) == 0 {
		return "0"
	}
	return function + "(" + strings.Join(t.Texts, ", ") + ")"
}
