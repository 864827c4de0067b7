package schema_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"sigs.k8s.io/yaml"

	"plimsoll.dev/examples"
	"plimsoll.dev/schema"
	"plimsoll.dev/source/scenario"
)

func compiled(t *testing.T, text []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("scenario.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("scenario.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// instance makes of a YAML or JSON text what the validator takes. Keys without
// values are dropped: the reader takes an empty section, editors need not.
func instance(t *testing.T, text []byte) any {
	t.Helper()
	if !json.Valid(text) {
		var v any
		if err := yaml.Unmarshal(bytes.TrimPrefix(text, []byte("\ufeff")), &v); err != nil {
			t.Fatal(err)
		}
		var err error
		if text, err = json.Marshal(prune(v)); err != nil {
			t.Fatal(err)
		}
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func prune(v any) any {
	if m, ok := v.(map[string]any); ok {
		for k, x := range m {
			if x == nil {
				delete(m, k)
				continue
			}
			m[k] = prune(x)
		}
	}
	return v
}

const testdata = "../source/scenario/testdata/"

func TestSchemaAcceptsGoodFiles(t *testing.T) {
	s := compiled(t, schema.Scenario())
	var files []string
	good, err := filepath.Glob(testdata + "good/*")
	if err != nil || len(good) == 0 {
		t.Fatalf("%v, %d files", err, len(good))
	}
	files = append(good, examples.Scenarios("../examples")...)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(instance(t, text)); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	for _, kind := range scenario.Templates() {
		if err := s.Validate(instance(t, scenario.Template(kind))); err != nil {
			t.Errorf("template %s: %v", kind, err)
		}
	}
}

// The schema of health scenarios takes those that the simulator plays, and none with
// words that it doesn't know.
func TestHealthSchema(t *testing.T) {
	s := compiled(t, schema.HealthScenario())
	var files []string
	for _, pattern := range []string{"../tune/health/testdata/*.yaml", "../examples/tune/health/*.yaml"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v, %d files", pattern, err, len(found))
		}
		files = append(files, found...)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(text, []byte("kind: HealthScenario")) {
			continue // a manifest
		}
		if err := s.Validate(instance(t, text)); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		for _, old := range []string{"do: powerOff", "event: MachineDeleted", "until: "} {
			if bad := bytes.Replace(text, []byte(old), []byte(old+"x"), 1); !bytes.Equal(bad, text) &&
				s.Validate(instance(t, bad)) == nil {
				t.Errorf("%s is accepted with %sx", file, old)
			}
		}
	}
}

// What a schema can say, it says as the reader does.
func TestSchemaRejectsBadFiles(t *testing.T) {
	s := compiled(t, schema.Scenario())
	for _, name := range []string{
		"api-version", "kind-in-small-letters", "kind-deployment", "missing-everything", "missing-kind", "missing-fields",
		"empty-texts",
		"unknown-field", "unknown-field-in-small-letters", "unknown-field-not-near", "unknown-field-of-another-section",
		"field-filled-in-by-the-program", "enumerations", "storage-enumerations", "too-small", "too-large",
		"negative-amounts",
		"bytes-with-wrong-suffix", "cpu-with-wrong-suffix", "bit-rates", "durations", "factors", "quantity-is-no-scalar",
		"release-without-quotes", "release-form", "release-in-words", "number-where-text-is-expected",
		"text-where-a-number-is-expected",
		"fractions", "yes-and-no", "value-where-a-list-is-expected", "mapping-where-a-list-is-expected",
		"list-where-a-value-is-expected",
		"max-unavailable", "max-unavailable-in-words", "metadata-name", "networks", "page-sizes", "json", "one-of-everything",
		"kubelet-policies", "spread", "spread-min-domains", "scheduling", "scheduling-release-of-openshift", "host-ports",
		"node-affinity",
		"node-affinity-without-terms", "pod-affinity", "priorities", "reserved-memory-limits", "reserved-memory-nodes",
		"device-numa-nodes", "huge-pages-per-numa-node", "container-specs", "reserved-cpus-form", "topology-form",
	} {
		text, err := os.ReadFile(testdata + "bad/" + name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		if s.Validate(instance(t, text)) == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// Each kind of rule alone.
func TestSchemaRules(t *testing.T) {
	s := compiled(t, schema.Scenario())
	const head = `{"apiVersion": "plimsoll.dev/v1alpha1", "kind": "Scenario", "platform": {"release": "4.4"}, `
	for _, c := range []struct {
		text string
		ok   bool
	}{
		{`"policy": {"zones": 3}`, true},
		{`"policy": {"zones": 0}`, false},
		{`"policy": {"zones": 101}`, false},
		{`"policy": {"zones": "3"}`, false},
		{`"policy": {"zones": 1.5}`, false},
		{`"policy": {"growth": "30%"}`, true},
		{`"policy": {"growth": 0.3}`, true},
		{`"policy": {"growth": "much"}`, false},
		{`"policy": {"maxUnavailable": 5}`, true},
		{`"policy": {"maxUnavailable": "10%"}`, true},
		{`"policy": {"maxUnavailable": "ten"}`, false},
		{`"policy": {"overcommit": {"cpu": 0.5}}`, false},
		{`"monitoring": {"retention": "1h30m"}`, true},
		{`"monitoring": {"retention": 15}`, false},
		{`"router": {"memory": "1e9"}`, true},
		{`"router": {"cpu": ".5"}`, true},
		{`"workload": {"podTypes": [{"name": "a", "devices": {"x/y": -1}}]}`, false},
		{`"workload": {"podTypes": [{"name": "a", "hugePages": {"2MB": "2Mi"}}]}`, false},
		{`"workload": {"podTypes": [{"replicas": 1}]}`, false},
		{`"network": {"machineNetwork": ["ten"]}`, false},
		{`"hardware": {"options": [{"name": "a", "nodes": []}]}`, false},
	} {
		err := s.Validate(instance(t, []byte(head+c.text+"}")))
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", c.text, err)
		}
	}
}
