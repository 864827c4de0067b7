package sim

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func behaviour(t *testing.T, text string) *Behaviour {
	t.Helper()
	b := &Behaviour{}
	if err := json.Unmarshal([]byte(text), b); err != nil {
		t.Fatal(err)
	}
	return b
}

func named(i int, labels map[string]string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "load", Name: fmt.Sprintf("pod-%d", i), Labels: labels}}
}

// The median of a lognormal distribution is its first parameter, and 68.27 % of its values
// lie within a factor of exp(sigma) of it; a uniform one has its mean in the middle.
func TestDelaysAreDistributedAsAsked(t *testing.T) {
	const n = 4000
	draw := func(start string) []float64 {
		b := behaviour(t, `{"seed": 7, "start": "`+start+`"}`)
		out := make([]float64, n)
		for i := range out {
			out[i] = b.Of(named(i, nil)).Delay.Seconds()
		}
		slices.Sort(out)
		return out
	}
	logs := draw("lognormal(2s,0.5)")
	within := 0
	for _, v := range logs {
		if math.Abs(math.Log(v/2)) < 0.5 {
			within++
		}
	}
	if median := logs[n/2]; math.Abs(median-2) > 0.1 || math.Abs(float64(within)/n-0.6827) > 0.03 {
		t.Errorf("lognormal: median %.3f, and %d of %d within one sigma", median, within, n)
	}
	even := draw("uniform(1s,3s)")
	if even[0] < 1 || even[n-1] > 3 || math.Abs(even[n/2]-2) > 0.1 {
		t.Errorf("uniform: from %.3f over %.3f to %.3f", even[0], even[n/2], even[n-1])
	}
	for _, same := range []string{"250ms", "constant(250ms)"} {
		if all := draw(same); all[0] != 0.25 || all[n-1] != 0.25 {
			t.Errorf("%s: from %v to %v", same, all[0], all[n-1])
		}
	}
}

func TestDrawsRepeat(t *testing.T) {
	const text = `{"start": "uniform(0s,1h)", "seed": %d}`
	one, same := behaviour(t, fmt.Sprintf(text, 1)), behaviour(t, fmt.Sprintf(text, 1))
	other := behaviour(t, fmt.Sprintf(text, 2))
	if one.Of(named(3, nil)) != same.Of(named(3, nil)) {
		t.Error("the same seed and name give different draws")
	}
	if one.Of(named(3, nil)) == other.Of(named(3, nil)) || one.Of(named(3, nil)) == one.Of(named(4, nil)) {
		t.Error("another seed, or another name, gives the same draw")
	}
}

func TestTheFirstRuleThatTakesAPodDecides(t *testing.T) {
	b := behaviour(t, `{"start": "1s", "pods": [
		{"match": {"labels": {"app": "web"}}, "share": 25, "outcome": "crashLoop", "after": "2s"},
		{"match": {"namespace": "other"}, "outcome": "never"},
		{"match": {"labels": {"app": "web"}}, "start": "3s"}]}`)
	web, crashing := map[string]string{"app": "web"}, 0
	for i := range 2000 {
		switch got := b.Of(named(i, web)); got {
		case Plan{Delay: time.Second, Outcome: CrashLoop, After: 2 * time.Second}:
			crashing++
		case Plan{Delay: 3 * time.Second, Outcome: Run}:
		default:
			t.Fatalf("%+v", got)
		}
	}
	if math.Abs(float64(crashing)/2000-0.25) > 0.03 {
		t.Errorf("%d of 2000 crash, which should be a quarter", crashing)
	}
	if got := b.Of(named(1, nil)); got != (Plan{Delay: time.Second, Outcome: Run}) {
		t.Errorf("a pod that no rule names: %+v", got)
	}
	is := true
	job := named(1, nil)
	job.OwnerReferences = []metav1.OwnerReference{{Kind: "Job", Controller: &is}}
	if got := b.Of(job); got.Outcome != Complete || got.After != 0 {
		t.Errorf("a Job's pod: %+v", got)
	}
}

func TestBadBehaviour(t *testing.T) {
	for _, text := range []string{`{"start": "soon"}`, `{"start": "gauss(1s,2s)"}`, `{"start": "uniform(1s,x)"}`,
		`{"pods": [{"outcome": "explode"}]}`, `{"pods": [{"after": "1"}]}`} {
		if err := json.Unmarshal([]byte(text), &Behaviour{}); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
}
