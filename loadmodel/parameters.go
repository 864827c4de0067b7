package loadmodel

import "fmt"

// parameters are texts by name, written as a mapping or as a list of mappings. One without a value is
// taken from the environment, or left out.
func (e *expansion) parameters(v any, at string) (map[string]string, bool) {
	read, wrong := flat(v)
	if wrong != "" {
		e.bad(at, wrong, "write NAME: VALUE, or a list of them")
		return nil, false
	}
	out := map[string]string{}
	for name, value := range read {
		if value != nil {
			out[name] = *value
		} else if got, ok := e.env(name); ok {
			out[name] = got
		}
	}
	return out, true
}

func (e *expansion) env(name string) (string, bool) {
	if e.opt.Env == nil {
		return "", false
	}
	return e.opt.Env(name)
}

// flat are scalars by name, nil where there is no value.
func flat(v any) (map[string]*string, string) {
	out := map[string]*string{}
	list, ok := v.([]any)
	if !ok && v != nil {
		list = []any{v}
	}
	for _, m := range list {
		entries, ok := m.(map[string]any)
		if !ok {
			return nil, "is neither a mapping nor a list of mappings"
		}
		for name, value := range entries {
			text, wrong := scalar(value)
			if wrong {
				return nil, name + " is not a text"
			}
			if _, twice := out[name]; twice {
				return nil, name + " stands twice"
			}
			out[name] = text
		}
	}
	return out, ""
}

func scalar(v any) (text *string, wrong bool) {
	var s string
	switch v := v.(type) {
	case nil:
		return nil, false
	case string:
		s = v
	case int64, bool, float64:
		s = fmt.Sprint(v)
	default:
		return nil, true
	}
	return &s, false
}
