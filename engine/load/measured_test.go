package load

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"plimsoll.dev/facts"
	"plimsoll.dev/loadmodel"
)

// A climb's figure says what held, what broke at the next level, on which cluster, and when.
func TestMeasured(t *testing.T) {
	refuses := func(_, name string) int {
		if strings.TrimPrefix(name, "pod-") == "150" {
			return http.StatusForbidden
		}
		return 0
	}
	out := climbed(t, &fake{Start: time.Millisecond, Answer: refuses}, "pods-per-namespace", 400, 0)
	m, err := out.Measured("ocp.max.podsPerNamespace/4.17")
	if err != nil || m.Value != 100 || !m.Simulated || m.Fact != "ocp.max.podsPerNamespace/4.17" {
		t.Errorf("%+v, %v", m, err)
	}
	date := time.Now().UTC().Format("2006-01-02")
	for _, want := range []string{"load run test on Kubernetes v1.36.3, 2 nodes, 1 of them simulated, " + date,
		": 100 pods held; at 200 pods: ", "exceeded quota"} {
		if !strings.Contains(m.Source, want) {
			t.Errorf("%q lacks %q", m.Source, want)
		}
	}
	out.Fact = m.Fact
	parts := out.Answer("test").Parts
	text := parts[len(parts)-1].Texts
	if len(text) != 1 || !strings.HasPrefix(text[0].Body, "measurements:\n- fact: ocp.max.pods") {
		t.Errorf("%+v", text)
	}
	if _, err := out.Measured(""); err == nil {
		t.Error("a measurement of nothing")
	}
	out.Held = 0
	if _, err := out.Measured("ocp.max.podsPerNamespace/4.17"); err == nil {
		t.Error("nothing held, and is a measurement")
	}
}

// The figure that is measured anew is that of the cluster's release, else of the newest.
func TestLimit(t *testing.T) {
	m, _ := loadmodel.FindMaximum("pods-per-namespace")
	for want, on := range map[string]Cluster{"ocp.max.podsPerNamespace/4.10": {OpenShift: "4.11.3"},
		"ocp.max.podsPerNamespace/4.17": {Kubernetes: "v1.36.3"}} {
		if f, ok := Limit(facts.Load(), m, true, on); !ok || f.ID != want {
			t.Errorf("%s, want %s", f.ID, want)
		}
	}
	if f, ok := Limit(facts.Load(), m, false, Cluster{}); !ok || !strings.HasPrefix(f.ID, "k8s.max.podsPerNamespace") {
		t.Errorf("%s", f.ID)
	}
}
