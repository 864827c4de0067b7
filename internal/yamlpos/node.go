package yamlpos

import "strconv"

// Kind says what a node is.
type Kind uint8

// The kinds of nodes. Numbers keep the text as written, so that 4.10 is not
// mistaken for 4.1.
const (
	Null Kind = iota
	Bool
	Int
	Float
	Text
	List
	Map
)

// String names the kind for people.
func (k Kind) String() string {
	return [...]string{"nothing", "a boolean", "a whole number", "a number", "text", "a list", "a mapping"}[k]
}

// Node is a value of the document. A node may be shared: an alias is the very
// node that the anchor stands on.
type Node struct {
	Kind Kind
	// Line and Col are where the value begins, from 1. Those of an empty value
	// are the key's.
	Line, Col int
	// Text is a scalar as written, without quotes and escapes.
	Text string
	// Items of a list.
	Items []*Node
	// Entries of a mapping in the order of the file, merged ones (<<) last.
	Entries []Entry

	size  int // nodes below and including this one, aliases counted each time
	depth int // levels below and including this one
}

// Entry is a key of a mapping and its value.
type Entry struct {
	Key       string
	Line, Col int
	Value     *Node
}

// Entry returns the entry of key, or nil. A nil node has no entries.
func (n *Node) Entry(key string) *Entry {
	if n == nil {
		return nil
	}
	for i := range n.Entries {
		if n.Entries[i].Key == key {
			return &n.Entries[i]
		}
	}
	return nil
}

// Get returns the value of key, or nil when the mapping has no such key or the
// key has no value.
func (n *Node) Get(key string) *Node {
	if e := n.Entry(key); e != nil && e.Value.Kind != Null {
		return e.Value
	}
	return nil
}

// Item returns the i-th item, or nil when there is none.
func (n *Node) Item(i int) *Node {
	if n == nil || i < 0 || i >= len(n.Items) {
		return nil
	}
	return n.Items[i]
}

// Move puts a value and all in it at one place.
func (n *Node) Move(line, col int) {
	n.Line, n.Col = line, col
	for _, item := range n.Items {
		item.Move(line, col)
	}
	for i := range n.Entries {
		n.Entries[i].Line, n.Entries[i].Col = line, col
		n.Entries[i].Value.Move(line, col)
	}
}

// Value is the node as JSON has it: nil, bool, int64, float64, string, []any or
// map[string]any. Whole numbers may be written in any base that YAML knows (0644
// is octal); those beyond 64 bits become float64, later keys win over merged ones.
func (n *Node) Value() any {
	switch n.Kind {
	case Null:
		return nil
	case Bool:
		return n.Text == "true" || n.Text == "True" || n.Text == "TRUE"
	case Int, Float:
		return number(n.Text)
	case List:
		out := make([]any, len(n.Items))
		for i, item := range n.Items {
			out[i] = item.Value()
		}
		return out
	case Map:
		out := make(map[string]any, len(n.Entries))
		for _, e := range n.Entries {
			if _, merged := out[e.Key]; !merged {
				out[e.Key] = e.Value.Value()
			}
		}
		return out
	}
	return n.Text
}

func number(text string) any {
	if i, err := strconv.ParseInt(text, 0, 64); err == nil {
		return i
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return text
	}
	return f
}
