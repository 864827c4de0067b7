package cel

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"time"
)

// Eval says whether a value keeps the rule. Values are those of JSON: map[string]any, []any, string, int64, float64,
// bool, nil. An error is a rule that can't be evaluated for the value, which API servers refuse as well.
func (e *Expr) Eval(self any) (bool, error) {
	v, err := e.node.eval(scope{"self": self})
	if err != nil {
		return false, err
	}
	ok, is := v.(bool)
	if !is {
		return false, fmt.Errorf("%q is not true or false", e.text)
	}
	return ok, nil
}

// Missing is the name of a field that a rule reads without asking whether it is there.
type Missing string

func (m Missing) Error() string { return "there is no " + string(m) }

var errOverload = errors.New("the types don't fit")

func constant(v any) *node { return &node{eval: func(scope) (any, error) { return v, nil }} }

func variable(name string) *node {
	return &node{name: name, eval: func(s scope) (any, error) {
		v, ok := s[name]
		if !ok {
			return nil, fmt.Errorf("%s is not known", name)
		}
		return v, nil
	}}
}

func selected(of *node, field string) *node {
	return &node{of: of, field: field, eval: func(s scope) (any, error) {
		v, err := of.eval(s)
		if err != nil {
			return nil, err
		}
		m, ok := v.(map[string]any)
		if !ok {
			return nil, errOverload
		}
		if v, ok = m[field]; !ok {
			return nil, Missing(field)
		}
		return v, nil
	}}
}

func present(n *node) *node {
	return &node{eval: func(s scope) (any, error) {
		v, err := n.of.eval(s)
		if err != nil {
			return nil, err
		}
		m, ok := v.(map[string]any)
		if !ok {
			return nil, errOverload
		}
		_, ok = m[n.field]
		return ok, nil
	}}
}

func index(of, at *node) *node {
	return called(func(args []any) (any, error) {
		switch v := args[0].(type) {
		case []any:
			i, ok := args[1].(int64)
			if !ok || i < 0 || i >= int64(len(v)) {
				return nil, fmt.Errorf("there is no item %v", args[1])
			}
			return v[i], nil
		case map[string]any:
			key, _ := args[1].(string)
			value, ok := v[key]
			if !ok {
				return nil, fmt.Errorf("there is no %v", args[1])
			}
			return value, nil
		}
		return nil, errOverload
	}, []*node{of, at})
}

func list(items []*node) *node {
	return called(func(args []any) (any, error) { return args, nil }, items)
}

// called evaluates all arguments and gives them to a function.
func called(f func([]any) (any, error), args []*node) *node {
	return &node{eval: func(s scope) (any, error) {
		values := make([]any, len(args))
		for i, a := range args {
			var err error
			if values[i], err = a.eval(s); err != nil {
				return nil, err
			}
		}
		return f(values)
	}}
}

func truth(n *node, s scope) (bool, error) {
	v, err := n.eval(s)
	if err != nil {
		return false, err
	}
	b, ok := v.(bool)
	if !ok {
		return false, errOverload
	}
	return b, nil
}

func not(n *node) *node {
	return &node{eval: func(s scope) (any, error) {
		b, err := truth(n, s)
		return !b, err
	}}
}

func minus(n *node) *node {
	return called(func(args []any) (any, error) {
		switch v := args[0].(type) {
		case int64:
			return -v, nil
		case float64:
			return -v, nil
		}
		return nil, errOverload
	}, []*node{n})
}

func choice(n, yes, no *node) *node {
	return &node{eval: func(s scope) (any, error) {
		b, err := truth(n, s)
		switch {
		case err != nil:
			return nil, err
		case b:
			return yes.eval(s)
		}
		return no.eval(s)
	}}
}

// either is || (decides: true) or && (decides: false): the side that decides wins over an error of the other.
func either(a, b *node, decides bool) *node {
	return &node{eval: func(s scope) (any, error) {
		left, errLeft := truth(a, s)
		if errLeft == nil && left == decides {
			return decides, nil
		}
		right, errRight := truth(b, s)
		if errRight == nil && right == decides {
			return decides, nil
		}
		return !decides, cmp.Or(errLeft, errRight)
	}}
}

func binary(op string, a, b *node) *node {
	switch op {
	case "||":
		return either(a, b, true)
	case "&&":
		return either(a, b, false)
	}
	return called(func(args []any) (any, error) { return operate(op, args[0], args[1]) }, []*node{a, b})
}

func operate(op string, a, b any) (any, error) {
	switch op {
	case "==":
		return equal(a, b), nil
	case "!=":
		return !equal(a, b), nil
	case "in":
		return in(a, b)
	case "+", "-":
		return sum(op, a, b)
	}
	c, err := compare(a, b)
	if err != nil {
		return nil, err
	}
	return map[string]bool{"<": c < 0, "<=": c <= 0, ">": c > 0, ">=": c >= 0}[op], nil
}

func equal(a, b any) bool {
	if c, err := compare(a, b); err == nil {
		return c == 0
	}
	return reflect.DeepEqual(a, b)
}

func compare(a, b any) (int, error) {
	switch x := a.(type) {
	case int64:
		switch y := b.(type) {
		case int64:
			return cmp.Compare(x, y), nil
		case float64:
			return cmp.Compare(float64(x), y), nil
		}
	case float64:
		switch y := b.(type) {
		case int64:
			return cmp.Compare(x, float64(y)), nil
		case float64:
			return cmp.Compare(x, y), nil
		}
	case string:
		if y, ok := b.(string); ok {
			return cmp.Compare(x, y), nil
		}
	case time.Duration:
		if y, ok := b.(time.Duration); ok {
			return cmp.Compare(x, y), nil
		}
	}
	return 0, errOverload
}

func in(a, b any) (any, error) {
	switch v := b.(type) {
	case []any:
		for _, item := range v {
			if equal(a, item) {
				return true, nil
			}
		}
		return false, nil
	case map[string]any:
		key, _ := a.(string)
		_, ok := v[key]
		return ok, nil
	}
	return nil, errOverload
}

func sum(op string, a, b any) (any, error) {
	switch x := a.(type) {
	case int64:
		if y, ok := b.(int64); ok && op == "+" {
			return x + y, nil
		} else if ok {
			return x - y, nil
		}
	case string:
		if y, ok := b.(string); ok && op == "+" {
			return x + y, nil
		}
	case []any:
		if y, ok := b.([]any); ok && op == "+" {
			return append(append([]any{}, x...), y...), nil
		}
	}
	return nil, errOverload
}

// folds are what becomes of the answers for all items of a list, or all keys of a mapping: how many are true and how
// many not, and the first error.
var folds = map[string]func(yes, no int, err error) (any, error){
	"all": func(_, no int, err error) (any, error) {
		if no > 0 {
			return false, nil
		}
		return true, err
	},
	"exists": func(yes, _ int, err error) (any, error) {
		if yes > 0 {
			return true, nil
		}
		return false, err
	},
	"exists_one": func(yes, _ int, err error) (any, error) { return yes == 1, err },
}

func fold(of *node, name string, test *node, outcome func(yes, no int, err error) (any, error)) *node {
	return &node{eval: func(s scope) (any, error) {
		v, err := of.eval(s)
		if err != nil {
			return nil, err
		}
		items, ok := v.([]any)
		if m, is := v.(map[string]any); is {
			for key := range m {
				items = append(items, key)
			}
		} else if !ok {
			return nil, errOverload
		}
		inner := maps.Clone(s)
		yes, no := 0, 0
		for _, item := range items {
			inner[name] = item
			b, e := truth(test, inner)
			switch {
			case e != nil:
				err = cmp.Or(err, e)
			case b:
				yes++
			default:
				no++
			}
		}
		return outcome(yes, no, err)
	}}
}
