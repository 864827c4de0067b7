package load

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/loadmodel"
)

// alone are options that change no time: who the run was, how long it waits in vain, what it leaves, what it draws.
var alone = []string{"runID", "configuration", "timeout", "patience", "force", "cleanup", "syncHost", "seed"}

// unlike says in what two runs differ, other than in their times.
func unlike(old, new *Result) []string {
	var out []string
	for _, r := range []*Result{old, new} {
		if r.Failed != "" {
			out = append(out, fmt.Sprintf("run %s did not come to its end: %s", r.RunID, r.Failed))
		}
		if r.Options.Concurrency == 0 {
			return append(out, fmt.Sprintf("run %s does not say with which options it ran", r.RunID))
		}
	}
	a, b := old.Options.Configuration, new.Options.Configuration
	if a.SHA256 != b.SHA256 || !slices.EqualFunc(a.Files, b.Files, func(a, b loadmodel.Digest) bool {
		return a.SHA256 == b.SHA256
	}) {
		out = append(out, fmt.Sprintf("the configurations differ: %s, and then %s, or a file that they name", a.Name, b.Name))
	}
	before, after := old.given(), new.given()
	names := maps.Clone(before)
	maps.Copy(names, after)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if was, is := before[name], after[name]; string(was) != string(is) {
			out = append(out, fmt.Sprintf("%s differs: %s, and then %s", name, said(was), said(is)))
		}
	}
	return out
}

// given are the options by name, as JSON, but for those that change no time.
func (r *Result) given() map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	if text, err := json.Marshal(r.Options); err == nil {
		_ = json.Unmarshal(text, &out) // what was just written
	}
	maps.DeleteFunc(out, func(name string, _ json.RawMessage) bool { return slices.Contains(alone, name) })
	if r.Workers > 0 {
		out["workers"] = fmt.Append(nil, r.Workers)
	}
	return out
}

func said(value json.RawMessage) string {
	if value == nil {
		return "none"
	}
	return strings.ReplaceAll(string(value), `"`, "")
}
