package lab

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const whole = `seed: 7
start: lognormal(2s, 0.5)
provision: 1s
pods:
- match: {namespace: load, labels: {app: web}}
  share: 10
  start: uniform(1s,3s)
  outcome: crashLoop
  after: 1500ms
- outcome: complete
nodes:
- match: {labels: {zone: a}}
  share: 5
  notReadyAfter: 1m
`

// What the laboratory reads is a contract between two modules: lab/folder_test.go reads the
// same text.
func TestBehaviourAsTheLaboratoryReadsIt(t *testing.T) {
	b, problems := ReadBehaviour("behaviour.yaml", []byte(whole))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	got, err := json.Marshal(Config{Profile: Fast, Platform: "openshift", Behaviour: b})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"profile":"fast","platform":"openshift","behaviour":{"seed":7,"start":"lognormal(2s,0.5)",` +
		`"provision":"1s","pods":[` +
		`{"match":{"namespace":"load","labels":{"app":"web"}},"share":10,"start":"uniform(1s,3s)","outcome":"crashLoop",` +
		`"after":"1.5s"},{"outcome":"complete"}],"nodes":[{"match":{"labels":{"zone":"a"}},"share":5,` +
		`"notReadyAfter":"1m0s"}]}}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}

// All problems are told at once, each where it is.
func TestBadBehaviour(t *testing.T) {
	const text = `start: soon
pods:
- {outcome: explode, share: 200}
- {start: "uniform(3s,1s)", afer: 1s}
nodes:
- {}
`
	_, problems := ReadBehaviour("b.yaml", []byte(text))
	got := problems.Error()
	for _, want := range []string{"b.yaml:1:8: ", "lognormal(2s,0.5)", "b.yaml:3:13: ", "crashLoop", "b.yaml:3:29: ",
		"b.yaml:4:11: ", `unknown field "afer" (did you mean after?)`, "notReadyAfter"} {
		if !strings.Contains(got, want) {
			t.Errorf("not told: %s\nin:\n%s", want, got)
		}
	}
}

func TestDelays(t *testing.T) {
	for text, want := range map[string]Delay{"0s": "0s", "1500ms": "1.5s", "constant(2s)": "2s",
		"uniform(1s, 3s)": "uniform(1s,3s)", "lognormal(2s,0.50)": "lognormal(2s,0.5)"} {
		if got, err := ParseDelay(text); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "5", "-1s", "uniform(1s)", "uniform(1s,3s", "lognormal(2s,-1)", "lognormal(2s,NaN)",
		"constant(1s,2s)", "gauss(1s,2s)"} {
		if got, err := ParseDelay(text); err == nil {
			t.Errorf("%s is taken for %s", text, got)
		}
	}
}
