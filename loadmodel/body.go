package loadmodel

import (
	"maps"
	"slices"
	"strings"
)

// named is a body under a name; what lies deeper is shared.
func named(body map[string]any, name, origin string) Object {
	out := maps.Clone(body)
	meta, _ := out["metadata"].(map[string]any)
	meta = maps.Clone(meta)
	if meta == nil {
		meta = map[string]any{}
	}
	delete(meta, "namespace")
	meta["name"] = name
	out["metadata"] = meta
	version, _ := out["apiVersion"].(string)
	kind, _ := out["kind"].(string)
	return Object{APIVersion: version, Kind: kind, Name: name, Body: out, Origin: origin}
}

// object is the mapping under key, made when there is none.
func object(of map[string]any, key string) map[string]any {
	m, ok := of[key].(map[string]any)
	if !ok {
		m = map[string]any{}
		of[key] = m
	}
	return m
}

// setImage sets the image of all containers.
func setImage(pod map[string]any, image string) {
	for _, c := range containers(pod) {
		c["image"] = image
	}
}

func containers(pod map[string]any) []map[string]any { return containersIn(pod, "containers") }

// containersIn are those of a list of a pod, which is containers or initContainers.
func containersIn(pod map[string]any, key string) []map[string]any {
	list, _ := pod[key].([]any)
	var out []map[string]any
	for _, c := range list {
		if c, ok := c.(map[string]any); ok {
			out = append(out, c)
		}
	}
	return out
}

// setEnv sets environment variables of the first container, in place of those of the same name, whose
// first letter may be of either case.
func setEnv(pod map[string]any, values map[string]string) {
	all := containers(pod)
	if len(all) == 0 || len(values) == 0 {
		return
	}
	env, _ := all[0]["env"].([]any)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		at := slices.IndexFunc(env, func(v any) bool { return isVariable(v, name) })
		if at < 0 {
			env = append(env, map[string]any{"name": name, "value": values[name]})
			continue
		}
		old := env[at].(map[string]any)
		env[at] = map[string]any{"name": old["name"], "value": values[name]}
	}
	all[0]["env"] = env
}

func isVariable(v any, name string) bool {
	m, _ := v.(map[string]any)
	has, _ := m["name"].(string)
	return has != "" && name != "" && has[1:] == name[1:] && strings.EqualFold(has[:1], name[:1])
}

// WithoutEmpty is a body without the fields that are empty texts.
func WithoutEmpty(body map[string]any) map[string]any {
	out := map[string]any{}
	for key, value := range body {
		switch v := value.(type) {
		case string:
			if v == "" {
				continue
			}
		case map[string]any:
			value = WithoutEmpty(v)
		}
		out[key] = value
	}
	return out
}
