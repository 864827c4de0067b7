package health

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/selector"
)

// covering is a check whose selector asks for labels.
func covering(name, labels string) string {
	return fmt.Sprintf("---\napiVersion: machine.openshift.io/v1beta1\nkind: MachineHealthCheck\n"+
		"metadata: {name: %s, namespace: openshift-machine-api}\n"+
		"spec: {selector: {matchLabels: {%s}}, unhealthyConditions: [{type: Ready, status: "+
		"Unknown, timeout: 900s}], maxUnhealthy: 2}\n", name, labels)
}

func overlapsIn(t interface{ Fatal(...any) }, text string) []v1alpha1.Finding {
	objects, problems := object.Split("c.yaml", []byte(text))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return slices.DeleteFunc(Check(objects, release.Current), func(f v1alpha1.Finding) bool { return f.ID != overlap.ID })
}

// Many checks of one selector have a short finding each.
func TestManyChecksOfOneSelector(t *testing.T) {
	var text strings.Builder
	for i := range 50 {
		text.WriteString(covering(fmt.Sprintf("m%d-%s", i, "abcdefg"[i%7:i%7+1]), "a: b"))
	}
	list := overlapsIn(t, text.String())
	for _, f := range list {
		if len(f.Message) > 150 || !strings.Contains(f.Message, " covers a=b, which check") {
			t.Error(f.Message)
		}
	}
	if len(list) != 49 {
		t.Errorf("%d findings", len(list))
	}
}

// What a check asks for more generally than those before it is told with them.
func TestWiderCheckComesLater(t *testing.T) {
	list := overlapsIn(t, covering("b", "a: b")+covering("c", "a: c")+covering("all", ""))
	if len(list) != 1 || list[0].Message != "check all covers all that checks b, c cover, and more: "+
		"each counts and deletes without the others" {
		t.Error(list)
	}
}

// Checks share machines exactly if a machine is selected by both.
func TestOverlapsTwin(t *testing.T) {
	labels := rapid.SampledFrom([]string{"", "a: x", "a: z", "b: x", "a: x, b: x", "c: x"})
	rapid.Check(t, func(t *rapid.T) {
		checks, machines := rapid.SliceOfN(labels, 2, 5).Draw(t, "checks"), rapid.SliceOfN(labels, 1, 6).Draw(t, "machines")
		var text strings.Builder
		for i, l := range checks {
			text.WriteString(covering(string(rune('a'+i)), l))
		}
		for i, l := range machines {
			fmt.Fprintf(&text, "---\nkind: Machine\nmetadata: {name: m%dx, namespace: openshift-machine-api, labels: {%s}}\n",
				i, l)
		}
		var got, want []string
		for _, f := range overlapsIn(t, text.String()) {
			got = append(got, strings.TrimSuffix(strings.TrimSuffix(f.Message, ": each counts and deletes without the other"),
				": each counts and deletes without the others"))
		}
		for j := range checks {
			if pair := pairwise(checks, machines, j); pair != "" {
				want = append(want, pair)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q, want %q", got, want)
		}
	})
}

// A check is told with those before it that cover at least what it does, and with those
// that cover less.
func TestSelectorsTwin(t *testing.T) {
	labels := rapid.SampledFrom([]string{"", "a: x", "a: z", "b: x", "a: x, b: x"})
	rapid.Check(t, func(t *rapid.T) {
		checks := rapid.SliceOfN(labels, 2, 5).Draw(t, "checks")
		var text strings.Builder
		var want []string
		for j, b := range checks {
			text.WriteString(covering(string(rune('a'+j)), b))
			var wider, narrower []string
			for i, a := range checks[:j] {
				name := string(rune('a' + i))
				if within(labelMap(a), labelMap(b)) {
					wider = append(wider, name)
				} else if within(labelMap(b), labelMap(a)) {
					narrower = append(narrower, name)
				}
			}
			want = append(want, strings.Join(wider, " "), strings.Join(narrower, " "))
		}
		got := make([]string, 2*len(checks))
		for _, f := range overlapsIn(t, text.String()) {
			words := strings.Fields(strings.NewReplacer(",", "", ":", "").Replace(f.Message))
			from, side := slices.Index(words, "which"), 0
			if from < 0 {
				from, side = slices.Index(words, "that"), 1
			}
			names := slices.Sorted(slices.Values(
				words[from+2 : slices.IndexFunc(words[from:], func(w string) bool { return strings.HasPrefix(w, "cover") })+from]))
			got[2*int(words[1][0]-'a')+side] = strings.Join(names, " ")
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q, want %q", got, want)
		}
	})
}

// within says whether labels are among others.
func within(labels, others map[string]string) bool {
	for key, value := range labels {
		if v, ok := others[key]; !ok || v != value {
			return false
		}
	}
	return true
}

// pairwise compares a check with each one before it, machine by machine.
func pairwise(checks, machines []string, j int) string {
	selects := func(wanted, labels string) bool {
		return selector.Selects(&v1alpha1.LabelSelector{MatchLabels: labelMap(wanted)}, labelMap(labels))
	}
	var both, others []string
	for m, l := range machines {
		if selects(checks[j], l) && slices.ContainsFunc(checks[:j], func(c string) bool { return selects(c, l) }) {
			both = append(both, fmt.Sprintf("m%dx", m))
		}
	}
	for i, c := range checks[:j] {
		if slices.ContainsFunc(machines, func(l string) bool { return selects(c, l) && selects(checks[j], l) }) {
			others = append(others, string(rune('a'+i)))
		}
	}
	switch len(others) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("check %c covers %s, which check %s covers, too", 'a'+j, few(both), others[0])
	}
	return fmt.Sprintf("check %c covers %s, which checks %s cover, too", 'a'+j, few(both), strings.Join(others, ", "))
}

func labelMap(text string) map[string]string {
	out := map[string]string{}
	for _, pair := range strings.Split(text, ", ") {
		if key, value, ok := strings.Cut(pair, ": "); ok {
			out[key] = value
		}
	}
	return out
}

// BenchmarkCheckPools judges 200 checks, each of one of 200 machines.
func BenchmarkCheckPools(b *testing.B) {
	var text strings.Builder
	for i := range 200 {
		text.WriteString(covering(fmt.Sprintf("m%d", i), fmt.Sprintf("a: b%d", i)))
		fmt.Fprintf(&text, "---\nkind: Machine\nmetadata: {name: x%d, namespace: openshift-machine-api, labels: {a: b%d}}\n",
			i, i)
	}
	objects, _ := object.Split("c.yaml", []byte(text.String()))
	for b.Loop() {
		Check(objects, release.Current)
	}
}
