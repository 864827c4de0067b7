package kubeletconfig

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"plimsoll.dev/unit"
)

// The values of a configuration: string, bool, int64, float64, time.Duration,
// resource.Quantity, flush, []any, map[string]any, and nil for what is absent. A
// struct is a map that holds all its fields.

// flush is a duration that is a number or text, as it was written.
type flush struct {
	d    time.Duration
	text bool
}

// zero is the value of a field that nobody set.
func zero(t *typ) any {
	switch t.kind {
	case "*", "[]", "map", "time":
		return nil
	case "struct":
		out := make(map[string]any, len(t.fields))
		for _, f := range t.fields {
			out[f.name] = zero(f.typ)
		}
		return out
	case "string":
		return ""
	case "bool":
		return false
	case "float64":
		return 0.0
	case "duration":
		return time.Duration(0)
	case "quantity":
		return resource.Quantity{}
	case "timeOrDuration":
		return flush{}
	}
	return int64(0)
}

// empty says whether a value counts as not set in a merge: zero, false, no
// letters, no elements.
func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	case string:
		return v == ""
	case bool:
		return !v
	case int64:
		return v == 0
	case float64:
		return v == 0
	case time.Duration:
		return v == 0
	}
	return false
}

// decoder reads values from JSON as the operator's types do, and notes what is
// wrong with them.
type decoder struct {
	note func(Problem)
	// texts says that numbers and truth values are taken for text where text is wanted.
	texts bool
}

// decode reads a value of a type over the one that is there. What doesn't fit is
// noted, and the old value stays.
func (d decoder) decode(t *typ, path string, raw, old any) any {
	switch t.kind {
	case "*":
		if raw == nil {
			return nil
		}
		if old == nil {
			old = zero(t.elem)
		}
		return d.decode(t.elem, path, raw, old)
	case "[]":
		return d.list(t, path, raw, old)
	case "map":
		return d.mapping(t, path, raw, old)
	case "struct":
		return d.structure(t, path, raw, old)
	}
	if d.texts && t.kind == "string" {
		raw = asText(raw)
	}
	v, wrong := scalar(t.kind, raw, old)
	if wrong != "" {
		d.note(Problem{Rule: wrongType, Path: path, What: fmt.Sprintf("%s is %s", path, wrong),
			Fix: "write " + wanted(t.kind)})
		return old
	}
	return v
}

func (d decoder) list(t *typ, path string, raw, old any) any {
	if raw == nil {
		return nil
	}
	items, ok := raw.([]any)
	if !ok {
		return d.mismatch(path, raw, "a list", old)
	}
	out := make([]any, len(items))
	for i, item := range items {
		out[i] = d.decode(t.elem, fmt.Sprintf("%s[%d]", path, i), item, zero(t.elem))
	}
	return out
}

func (d decoder) mapping(t *typ, path string, raw, old any) any {
	if raw == nil {
		return nil
	}
	items, ok := raw.(map[string]any)
	if !ok {
		return d.mismatch(path, raw, "a mapping", old)
	}
	out := map[string]any{}
	if had, ok := old.(map[string]any); ok {
		maps.Copy(out, had)
	}
	for _, key := range slices.Sorted(maps.Keys(items)) {
		out[key] = d.decode(t.elem, path+"."+key, items[key], zero(t.elem))
	}
	return out
}

// structure reads the fields by their names, in the order of the letters, as the
// API server sends them.
func (d decoder) structure(t *typ, path string, raw, old any) any {
	if raw == nil {
		return old
	}
	items, ok := raw.(map[string]any)
	if !ok {
		return d.mismatch(path, raw, "a mapping", old)
	}
	out := maps.Clone(old.(map[string]any))
	for _, key := range slices.Sorted(maps.Keys(items)) {
		at := join(path, key)
		f, exact := t.find(key)
		if f == nil {
			d.note(Problem{Rule: unknownField, Path: at, What: at + " is not a field of this release's kubelet: " +
				"the operator drops it silently", Fix: "remove it, or check how it is written"})
			continue
		}
		if !exact {
			d.note(Problem{Rule: wrongCase, Path: at,
				What: fmt.Sprintf("%s is written %s: the operator takes it all the same, other programs don't", f.name, key),
				Fix:  "write " + f.name})
		}
		out[f.name] = d.decode(f.typ, at, items[key], out[f.name])
	}
	return out
}

func (d decoder) mismatch(path string, raw any, want string, old any) any {
	d.note(Problem{Rule: wrongType, Path: path, What: fmt.Sprintf("%s is %s, not %s", path, show(raw), want),
		Fix: "write " + want})
	return old
}

// scalar reads a plain value; wrong says what raw is when it doesn't fit.
func scalar(kind string, raw, old any) (v any, wrong string) {
	switch kind {
	case "duration":
		return readDuration(raw)
	case "quantity":
		return readQuantity(raw)
	case "timeOrDuration":
		return readFlush(raw, old)
	}
	if raw == nil {
		return old, ""
	}
	switch kind {
	case "string", "time":
		if s, ok := raw.(string); ok {
			return s, ""
		}
	case "bool":
		if b, ok := raw.(bool); ok {
			return b, ""
		}
	case "float64":
		if n, ok := number(raw); ok {
			return n, ""
		}
	default:
		return readInt(kind, raw)
	}
	return nil, show(raw) + ", not " + wanted(kind)
}

// asText makes text of a number or a truth value.
func asText(raw any) any {
	switch v := raw.(type) {
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return raw
}

func readInt(kind string, raw any) (any, string) {
	n, ok := raw.(int64)
	if f, float := raw.(float64); float && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		n, ok = int64(f), true
	}
	low, high := int64(math.MinInt64), int64(math.MaxInt64)
	switch kind {
	case "int32":
		low, high = math.MinInt32, math.MaxInt32
	case "uint32":
		low, high = 0, math.MaxUint32
	}
	switch {
	case !ok:
		return nil, show(raw) + ", not a whole number"
	case n < low || n > high:
		return nil, fmt.Sprintf("%d, outside of %d to %d", n, low, high)
	}
	return n, ""
}

func readDuration(raw any) (any, string) {
	text, ok := raw.(string)
	if !ok {
		return nil, show(raw) + ", not a duration"
	}
	v, err := time.ParseDuration(text)
	if err != nil {
		return nil, fmt.Sprintf("%q, not a duration", text)
	}
	return v, ""
}

func readQuantity(raw any) (any, string) {
	text, ok := raw.(string)
	if n, is := number(raw); is {
		text, ok = strconv.FormatFloat(n, 'f', -1, 64), true
	}
	if raw == nil {
		return resource.Quantity{}, ""
	}
	q, err := unit.ParseQuantity(text)
	if !ok || err != nil {
		return nil, show(raw) + ", not a quantity"
	}
	return q, ""
}

func readFlush(raw, old any) (any, string) {
	if _, ok := raw.(string); ok {
		v, wrong := readDuration(raw)
		if wrong != "" {
			return nil, wrong
		}
		return flush{v.(time.Duration), true}, ""
	}
	if raw == nil {
		return flush{old.(flush).d, false}, ""
	}
	n, wrong := readInt("int64", raw)
	if wrong != "" {
		return nil, show(raw) + ", not a duration"
	}
	return flush{time.Duration(n.(int64)), false}, ""
}

// number is the value of a JSON number.
func number(raw any) (float64, bool) {
	switch v := raw.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// wanted says what a type takes.
func wanted(kind string) string {
	switch kind {
	case "string", "time":
		return "text"
	case "bool":
		return "true or false"
	case "float64":
		return "a number"
	case "duration", "timeOrDuration":
		return "a duration such as 5s or 1m30s, with its unit"
	case "quantity":
		return "a quantity such as 500m or 1Gi"
	}
	return "a whole number"
}

// show names a JSON value in a message.
func show(raw any) string {
	switch v := raw.(type) {
	case nil:
		return "null"
	case string:
		return strconv.Quote(v)
	case []any:
		return "a list"
	case map[string]any:
		return "a mapping"
	}
	return fmt.Sprint(raw)
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
