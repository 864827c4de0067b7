package scenario

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/strict"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/unit"
)

// Saved is a scenario that a plan carries, with its defaults and all that its files hold.
type Saved struct {
	// Files says that the scenario holds more than its own file did.
	Files bool
	// Unlisted are the fields that have their default and that the plan does not call assumed.
	Unlisted []string
	// Taken are the assumptions that only the files of the scenario can confirm.
	Taken []string

	s       *v1alpha1.Scenario
	tree    *yamlpos.Tree
	assumed []v1alpha1.Assumption
	filled  []strict.Default
	errs    []error
}

// ReadSaved checks the scenario of a plan as the reader of files does, and holds what the plan
// says was assumed against the values, the facts and the reasons that the defaults give. The
// scenario is wrong where invalid is not nil, and can't be planned; else assumptions may be.
func ReadSaved(s *v1alpha1.Scenario, assumed []v1alpha1.Assumption) (saved *Saved, invalid, wrong []error) {
	r := &Saved{s: &v1alpha1.Scenario{}, assumed: assumed, Files: fromFiles(s)}
	text, err := json.Marshal(s)
	if err != nil {
		return r, []error{err}, nil
	}
	// Not parsed as YAML, which bounds its size: what a snapshot holds has passed already.
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return r, []error{err}, nil
	}
	r.tree = &yamlpos.Tree{Name: "scenario", Root: nodeOf(value)}
	if invalid = r.validate(); len(invalid) > 0 {
		return r, invalid, nil
	}
	r.compare()
	return r, nil, r.errs
}

// fromFiles says whether a scenario holds more than its own file did.
func fromFiles(s *v1alpha1.Scenario) bool {
	w := s.Workload
	const today = "today's nodes" // the option of a snapshot that has nodes alone
	return w.Snapshot+w.FlavorFile+w.ServerFile+w.ImageFile != "" || len(w.Manifests) > 0 ||
		slices.ContainsFunc(s.Hardware.Options, func(o v1alpha1.HardwareOption) bool { return o.Name == today }) ||
		slices.ContainsFunc(w.PodTypes, func(t v1alpha1.PodType) bool { return t.Origin != "" })
}

// validate says what is wrong with the scenario; what several fields of things say that may
// come from other files was judged by the readers of these.
func (r *Saved) validate() []error {
	d := newDecoder()
	d.Platform, d.Output = platformOf(r.tree), true
	problems := foreign(r.tree)
	if len(problems) == 0 {
		problems = d.Decode(r.tree, r.s)
	}
	if len(problems) == 0 {
		r.filled = r.fill(d)
		for _, f := range r.filled {
			r.tree.Drop(f.Path)
		}
		problems = (&reader{allowOutside: true}).validate(r.tree, r.s, nil)
		problems = slices.DeleteFunc(problems, func(p yamlpos.Problem) bool {
			return r.Files && (strings.HasPrefix(p.Field, "workload.") || strings.HasPrefix(p.Field, "hardware."))
		})
	}
	var out []error
	for _, p := range problems {
		p.File = "scenario"
		out = append(out, errors.New(strings.Replace(p.Error(), ":0:0: ", ".", 1)))
	}
	return out
}

// asSnapshot is the reason of values that a snapshot gave.
var asSnapshot = regexp.MustCompile("^" + v1alpha1.AsSnapshot + "$")

// ofFiles are the reasons of values that are no defaults: files gave them, or the command, to
// scenarios that left the field open.
var ofFiles = map[string]*regexp.Regexp{
	"platform.release": regexp.MustCompile(`^(the newest that is known \(--release names another\)|` +
		`of the snapshot's oldest kubelet, Kubernetes \d\S*|of the snapshot's ClusterVersion, \d\S*)$`),
	"platform.type":            regexp.MustCompile("^" + regexp.QuoteMeta(v1alpha1.NotOpenShift) + "$"),
	"platform.provider":        asSnapshot,
	"policy.systemPodsPerNode": asSnapshot,
	"policy.controlPlaneNodes": asSnapshot,
	"policy.zones":             asSnapshot,
	"policy.maxUnavailable":    asSnapshot,
	"network.type":             asSnapshot,
	"network.clusterNetwork":   asSnapshot,
	"network.serviceNetwork":   asSnapshot,
	"policy.infraNodes": regexp.MustCompile(
		`^the snapshot's \d+ infrastructure nodes and the pods on them are counted with the workload$`),
	"hardware.nodeTypes":          regexp.MustCompile(`^cores x GiB \(--node names others\)$`),
	"workload.podTypes[*].cpu":    regexp.MustCompile(`^policy\.defaultRequests, for each container of \S`),
	"workload.podTypes[*].memory": regexp.MustCompile(`^policy\.defaultRequests, for each container of \S`),
	v1alpha1.Autoscaled:           regexp.MustCompile(`^\S+ \d+, (not|up to) \d+`),
	v1alpha1.Cordoned:             regexp.MustCompile(`^\S`),
	v1alpha1.MachineFiles:         regexp.MustCompile(`^\S.*: \S`),
}

// ofFile says whether only files can confirm an assumption.
func ofFile(a v1alpha1.Assumption) bool {
	reason := ofFiles[a.Field]
	return reason != nil && a.Fact == "" && reason.MatchString(a.Why)
}

// fill finds the fields that have their default. The defaults were filled in before files
// gave other values.
func (r *Saved) fill(d *strict.Decoder) []strict.Default {
	var open, not []string
	before := *r.s
	before.Hardware.NodeTypes = slices.Clone(r.s.Hardware.NodeTypes)
	for _, a := range r.assumed {
		switch {
		case generic(a.Field) == "hardware.nodeTypes[*].autoSizingReserved":
			before.Workload.Snapshot = "" // no default with one; --snapshot comes later
			open = append(open, unsized(before.Hardware.NodeTypes)...)
			continue
		case !ofFile(a):
			continue
		case a.Field == "platform.provider":
			before.Platform.Provider = ""
		case a.Field == "policy.controlPlaneNodes":
			before.Policy.ControlPlaneNodes = 0
		case a.Field == "policy.systemPodsPerNode":
			before.Policy.SystemPodsPerNode = 0
		case a.Field == "policy.zones":
			before.Policy.Zones = 0
		case a.Field == "policy.maxUnavailable":
			before.Policy.MaxUnavailable = ""
		}
		open, not = append(open, a.Field), append(not, a.Field)
	}
	filled := d.Filled(&before, rules(&before), open...)
	for i, t := range before.Hardware.NodeTypes {
		if !reflect.DeepEqual(t.SystemReserved, r.s.Hardware.NodeTypes[i].SystemReserved) {
			not = append(not, systemReserved(i))
		}
	}
	return slices.DeleteFunc(filled, func(f strict.Default) bool { return slices.Contains(not, f.Path) })
}

func systemReserved(i int) string { return fmt.Sprintf("hardware.nodeTypes[%d].systemReserved", i) }

// unsized takes what follows from autoSizingReserved, which is no default beside it, from node
// types, and returns these fields.
func unsized(types []v1alpha1.NodeType) (open []string) {
	for i := range types {
		if types[i].AutoSizingReserved {
			types[i].SystemReserved, open = nil, append(open, systemReserved(i))
		}
	}
	return open
}

func (r *Saved) bad(a v1alpha1.Assumption, format string, args ...any) {
	r.errs = append(r.errs, fmt.Errorf("assumption %s = %s: %s", a.Field, a.Value, fmt.Sprintf(format, args...)))
}

// compare holds each assumption against the defaults.
func (r *Saved) compare() {
	seen, left := map[[2]string]bool{}, map[string]int{}
	for _, a := range r.assumed {
		if ofFile(a) {
			r.taken(a)
		} else {
			r.assumption(a, left)
		}
		is := [2]string{a.Field, a.Value}
		if seen[is] {
			r.bad(a, "stands twice")
		}
		seen[is] = true
	}
	written := map[string]int{}
	for _, f := range r.filled {
		if left[key(f)]--; left[key(f)] < 0 && !unsaid(f) && !(r.Files && strings.Contains(f.Path, "[")) {
			written[f.Generic]++
		}
	}
	for _, f := range r.filled {
		if n := written[f.Generic]; n > 0 {
			r.Unlisted = append(r.Unlisted, f.Generic)
			if f.Of > 1 {
				r.Unlisted[len(r.Unlisted)-1] += fmt.Sprintf(" (%d of %d)", n, f.Of)
			}
			delete(written, f.Generic)
		}
	}
}

// key is what the fields have in common that one assumption stands for.
func key(f strict.Default) string {
	return strings.Join([]string{f.Generic, f.Value, f.Fact, f.Why}, "\x00")
}

// taken holds an assumption that files gave against the scenario.
func (r *Saved) taken(a v1alpha1.Assumption) {
	r.Taken = append(r.Taken, a.Field)
	has, requests := "", r.s.Policy.DefaultRequests
	switch a.Field {
	case "workload.podTypes[*].cpu":
		has = unit.Format(float64(requests.CPU), unit.Millicores)
	case "workload.podTypes[*].memory":
		has = unit.FormatBytes(requests.Memory)
	case v1alpha1.Autoscaled:
		if has = v1alpha1.AutoscaledValue; strings.Contains(a.Why, ", up to ") {
			has = v1alpha1.AutoscaledRunning
		}
	case "network.clusterNetwork":
		has = r.s.Network.Blocks()
	case "network.serviceNetwork":
		has = strings.Join(r.s.Network.ServiceNetwork, ", ")
	case v1alpha1.Cordoned:
		has = v1alpha1.CordonedValue
	case v1alpha1.MachineFiles:
		has = v1alpha1.MachineFilesValue
		if !r.notesMachines(a.Why) {
			r.bad(a, "the scenario has no topologyFile of %q", a.Why)
		}
	case "hardware.nodeTypes":
		has = r.at("hardware.nodeTypes[0].name")
	default:
		has = cmp.Or(r.at(a.Field), "0")
	}
	if has != a.Value {
		r.bad(a, "the scenario has %s", has)
	}
	if strings.Contains(a.Why, "snapshot") && !r.Files {
		r.bad(a, "the scenario has no snapshot")
	}
}

// notesMachines says whether a text is notes of what topologyFiles leave out, each after the name of
// its node type.
func (r *Saved) notesMachines(text string) bool {
	var names []string
	for _, t := range r.s.Hardware.NodeTypes {
		if t.TopologyFile != "" {
			names = append(names, regexp.QuoteMeta(t.Name))
		}
	}
	notes := `^((` + strings.Join(names, "|") + `): [^;]+(; |$))+$`
	return len(names) > 0 && regexp.MustCompile(notes).MatchString(text)
}

// at is the value of a field as it is written; empty where there is none.
func (r *Saved) at(path string) string {
	if n := r.tree.Node(path); n != nil {
		return n.Text
	}
	return ""
}

var anyIndex = regexp.MustCompile(`\[\d+\]`)

func generic(path string) string { return anyIndex.ReplaceAllString(path, "[*]") }

// assumption holds one that is a default against the defaults, and counts the fields it stands for.
func (r *Saved) assumption(a v1alpha1.Assumption, fields map[string]int) {
	reason, count, partly := strings.Cut(a.Why, leftOpen)
	var same []strict.Default
	want := ""
	for _, f := range r.filled {
		switch {
		case unsaid(f) || f.Value != a.Value || f.Path != a.Field && f.Generic != a.Field:
		case f.Fact == a.Fact && why(f) == reason:
			same = append(same, f)
		default:
			want = fmt.Sprintf("the default's reason is %q (%s)", why(f), cmp.Or(f.Fact, "no fact"))
		}
	}
	if len(same) == 0 {
		r.bad(a, "%s", cmp.Or(want, "the scenario has "+cmp.Or(r.at(a.Field), "no such value")+", or no such default"))
		return
	}
	n, of, most := len(same), same[0].Of, same[0].Of
	if !partly {
		of = n
	} else if _, err := fmt.Sscanf(count, "%d of %d", &n, &of); err != nil || count != fmt.Sprintf("%d of %d", n, of) {
		r.bad(a, "%q is not so many of so many", count)
		return
	}
	fields[key(same[0])] += n
	one := same[0].Path == a.Field
	switch {
	case one && !partly, r.Files && n > 1 && n <= len(same) && of <= most:
	case one, n < 2, n > len(same), of != most, partly && n == of:
		r.bad(a, "%d of %d such fields have the default", len(same), most)
	}
}

// nodeOf is a value of JSON as a tree.
func nodeOf(value any) *yamlpos.Node {
	switch v := value.(type) {
	case map[string]any:
		n := &yamlpos.Node{Kind: yamlpos.Map}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			n.Entries = append(n.Entries, yamlpos.Entry{Key: key, Value: nodeOf(v[key])})
		}
		return n
	case []any:
		n := &yamlpos.Node{Kind: yamlpos.List}
		for _, item := range v {
			n.Items = append(n.Items, nodeOf(item))
		}
		return n
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return &yamlpos.Node{Kind: yamlpos.Float, Text: v.String()}
		}
		return &yamlpos.Node{Kind: yamlpos.Int, Text: v.String()}
	case string:
		return &yamlpos.Node{Kind: yamlpos.Text, Text: v}
	case bool:
		return &yamlpos.Node{Kind: yamlpos.Bool, Text: fmt.Sprint(v)}
	}
	return &yamlpos.Node{Kind: yamlpos.Null}
}
