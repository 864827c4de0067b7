package kubeletconfig

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/release"
)

func TestNames(t *testing.T) {
	for _, c := range []struct {
		n      Naming
		number int
		want   string
	}{
		{ByUID, 3, "99-worker-7ed5616d-6b72-kubelet"}, {ByPool, 3, "99-worker-generated-kubelet"},
		{Numbered, 0, "99-worker-generated-kubelet"}, {Numbered, 3, "99-worker-generated-kubelet-3"},
	} {
		if got := c.n.Name("worker", "7ed5616d-6b72", c.number); got != c.want {
			t.Errorf("%v: %s, want %s", c.n, got, c.want)
		}
	}
}

// Up to 4.5 the names decide, with the pools' random ids in them: what begins with
// worker- wins only if the letter after it is greater than any of an id.
func TestCustomWins(t *testing.T) {
	for _, c := range []struct {
		n      Naming
		custom string
		first  bool
		want   bool
	}{
		{ByUID, "infra", false, false}, {ByUID, "zone", false, true}, {ByUID, "worker-rt", false, true},
		{ByUID, "worker-cnf", false, false}, {ByUID, "worker-a", false, false},
		{ByPool, "infra", false, false}, {ByPool, "worker-rt", false, true}, {ByPool, "worker-cnf", false, false},
		{Numbered, "infra", true, true}, {Numbered, "worker-a", true, true},
	} {
		if got := c.n.CustomWins(c.custom, c.first); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// crOf is a KubeletConfig of label k=v with maxPods, created at a second.
func crOf(name string, second int) openshift.KubeletConfig {
	cr := Generate(name, map[string]string{"k": "v"}, Settings{MaxPods: 100 + second})
	cr.Metadata.CreationTimestamp = fmt.Sprintf("2021-02-01T00:00:%02dZ", second)
	return cr
}

func poolsOf(names ...string) (out []openshift.MachineConfigPool) {
	for i, n := range names {
		p := openshift.MachineConfigPool{
			Metadata: openshift.ObjectMeta{Name: n, UID: fmt.Sprint(i), Labels: map[string]string{"k": "v"}},
		}
		out = append(out, p)
	}
	return out
}

func none(int) bool { return false }

// The newest wins in every release, whatever the order in the files.
func TestNewestWins(t *testing.T) {
	crs := []openshift.KubeletConfig{crOf("new", 3), crOf("old", 1), crOf("middle", 2)}
	pools := poolsOf("worker")
	for _, r := range release.Documented() {
		list := Contenders(&pools[0], pools, crs, r, none)
		var names, made []string
		for _, c := range list {
			names, made = append(names, crs[c.Index].Metadata.Name), append(made, c.MachineConfig)
		}
		want := []string{"99-worker-0-kubelet", "99-worker-0-kubelet", "99-worker-0-kubelet"}
		if r == release.Current {
			want = []string{"99-worker-generated-kubelet", "99-worker-generated-kubelet-1", "99-worker-generated-kubelet-2"}
		}
		if !slices.Equal(names, []string{"old", "middle", "new"}) || !slices.Equal(made, want) {
			t.Errorf("%v: %v %v", r, names, made)
		}
	}
}

// The number that a KubeletConfig once got stays, also when others are deleted.
func TestSuffixStays(t *testing.T) {
	crs := []openshift.KubeletConfig{crOf("a", 1), crOf("b", 2), crOf("new", 3)}
	crs[0].Metadata.Annotations = map[string]string{suffixAnnotation: ""}
	crs[1].Metadata.Annotations = map[string]string{suffixAnnotation: "4"}
	pools := poolsOf("worker")
	list := Contenders(&pools[0], pools, crs, release.Current, none)
	if got := list[2].MachineConfig; got != "99-worker-generated-kubelet-5" ||
		list[0].MachineConfig != "99-worker-generated-kubelet" {
		t.Errorf("%+v", list)
	}
}

// An annotation is the end of the name as it stands. The next number is one above the
// greatest, there is none above 9, and none when one of them is no number.
func TestSuffixes(t *testing.T) {
	for _, c := range []struct {
		suffix, old, made string
		stopped           Stopped
	}{
		{"", "", "-1", 0}, {"0", "-0", "-1", 0}, {"-5", "--5", "-1", 0}, {"8", "-8", "-9", 0}, {"9", "-9", "", TooMany},
		{"12", "-12", "", TooMany},
		{"9223372036854775807", "-9223372036854775807", "", TooMany}, {"x", "-x", "", BadSuffix},
		{"92233720368547758070", "-92233720368547758070", "", BadSuffix},
	} {
		crs := []openshift.KubeletConfig{crOf("old", 1), crOf("new", 2)}
		crs[0].Metadata.Annotations = map[string]string{suffixAnnotation: c.suffix}
		pools := poolsOf("worker")
		list := Contenders(&pools[0], pools, crs, release.Current, none)
		slices.SortFunc(list, func(a, b Contender) int { return a.Index - b.Index })
		const first = "99-worker-generated-kubelet"
		made := first + c.made
		if c.stopped != 0 {
			made = ""
		}
		if list[0].MachineConfig != first+c.old || list[1].MachineConfig != made || list[1].Stopped != c.stopped {
			t.Errorf("%q: %+v", c.suffix, list)
		}
	}
}

// A KubeletConfig that gets no number because of another's annotation is told.
func TestBadSuffix(t *testing.T) {
	old := strings.Replace(cr("old", "k: v", "kubeletConfig: {maxPods: 300}"), "{name: old",
		"{name: old, annotations: {"+suffixAnnotation+": x}", 1)
	found := Check(objectsOf(t, old+cr("new", "k: v", "kubeletConfig: {maxPods: 200}")+onPool("worker", "k: v")),
		release.Current)
	if got := ids(found); !slices.Equal(got, []string{"badSuffix"}) ||
		!strings.HasPrefix(found[0].Message, "KubeletConfig/new gets no MachineConfig") {
		t.Error(found)
	}
}

// Ten fit; the eleventh makes nothing, and up to 4.5 there is no such limit.
func TestEleventhIsRefused(t *testing.T) {
	var text strings.Builder
	for i := range 11 {
		text.WriteString(cr(fmt.Sprintf("c%02d", i), "k: v", fmt.Sprintf("kubeletConfig: {maxPods: %d}", 100+i)))
	}
	text.WriteString(onPool("worker", "k: v"))
	for _, of := range release.Documented() {
		a := Explain(objectsOf(t, text.String()), Options{Release: of})
		r := a.Result.(Result).Pools[0]
		f, ok := find(a.Findings, "tooMany")
		if of.Minor() <= release.V45 {
			if ok || r.Wins != "c10" {
				t.Errorf("%v: %v, %s wins", of, ok, r.Wins)
			}
		} else if !ok || !strings.Contains(f.Message, "KubeletConfig/c10") || r.Wins != "c09" || !r.Lose[0].Refused ||
			r.MachineConfig != "99-worker-generated-kubelet-9" {
			t.Errorf("%v: %v %v", of, f, r)
		}
	}
}

// A custom pool's nodes get worker's MachineConfigs too: by name up to 4.5, always
// behind today.
func TestCustomPoolAndWorker(t *testing.T) {
	worker, infra := crOf("of-worker", 1), crOf("of-infra", 2)
	infra.Spec.MachineConfigPoolSelector.MatchLabels = map[string]string{"k": "infra"}
	pools := poolsOf("worker", "infra")
	pools[1].Metadata.Labels = map[string]string{"k": "infra"}
	crs := []openshift.KubeletConfig{worker, infra}
	for _, r := range release.Documented() {
		list := Contenders(&pools[1], pools, crs, r, none)
		want := 0 // 99-infra-... stands before 99-worker-...
		if r == release.Current {
			want = 1
		}
		if len(list) != 2 || list[1].Index != want {
			t.Errorf("%v: %+v", r, list)
		}
		if list := Contenders(&pools[0], pools, crs, r, none); len(list) != 1 {
			t.Errorf("%v: pool worker: %+v", r, list)
		}
	}
	// A pool that selects only its own role gets none of worker's.
	pools[1].Spec.MachineConfigSelector = &openshift.LabelSelector{
		MatchLabels: map[string]string{openshift.LabelRole: "infra"},
	}
	if list := Contenders(&pools[1], pools, crs, release.V44, none); len(list) != 1 || list[0].Index != 1 {
		t.Errorf("%+v", list)
	}
}

// A KubeletConfig that is refused takes no number and never wins.
func TestRefusedTakesNoNumber(t *testing.T) {
	crs := []openshift.KubeletConfig{crOf("a", 1), crOf("refused", 2), crOf("b", 3), crOf("c", 4)}
	pools := poolsOf("worker")
	list := Contenders(&pools[0], pools, crs, release.Current, func(i int) bool { return i == 1 })
	if list[0].Index != 1 || list[0].MachineConfig != "" || list[3].Index != 3 ||
		list[3].MachineConfig != "99-worker-generated-kubelet-2" {
		t.Errorf("%+v", list)
	}
}
