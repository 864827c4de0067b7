package openstack

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/unit"
)

func open(t *testing.T, name string) *bytes.Reader {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.NewReader(text)
}

var wantFlavors = []v1alpha1.Flavor{
	{Name: "vnf.dpdk", VCPUs: 4, RAM: 8 * unit.GiB, Disk: 20 * unit.GiB, Properties: map[string]string{
		"hw:cpu_policy": "dedicated", "hw:cpu_thread_policy": "require", "hw:mem_page_size": "1GB", "hw:numa_nodes": "1",
		"pci_passthrough:alias": "qat:2,gpu:1"}},
	{Name: "m1.small", VCPUs: 1, RAM: 2 * unit.GiB, Disk: 20 * unit.GiB, Ephemeral: 10 * unit.GiB, Swap: 512 * unit.MiB},
}

// TestFlavors: the same two flavors as clients of all ages and the service write them.
func TestFlavors(t *testing.T) {
	for _, name := range []string{"flavors-new.json", "flavors-old.json", "flavors-show.json", "flavors-api.json",
		"flavors.yaml"} {
		got, skipped, err := ReadFlavors(open(t, name), name, nova.Nova)
		if diff := cmp.Diff(wantFlavors, got); diff != "" || err != nil || skipped != nil {
			t.Errorf("%s: %v, %v (-want +got)\n%s", name, skipped, err, diff)
		}
	}
}

func TestColumns(t *testing.T) {
	for _, c := range []string{"RXTX Factor", "rxtx_factor", "rxtxFactor", "RXTX:FACTOR"} {
		if !is(c, "rxtxfactor") {
			t.Errorf("%s is not found", c)
		}
	}
	for _, c := range []string{"", "RXTX", "RXTX Factors", "XRXTX Factor", "R\u00e9TX"} {
		if is(c, "rxtxfactor") {
			t.Errorf("%s is taken for another", c)
		}
	}
}

func TestOneFlavor(t *testing.T) {
	got, _, err := ReadFlavors(strings.NewReader(`{"name": "x", "vcpus": "2", "ram": 1024.0, "disk": `+
		`null, "properties": {"a:b": 1, "c": true}}`), "f", nova.Nova)
	want := []v1alpha1.Flavor{{Name: "x", VCPUs: 2, RAM: unit.GiB, Properties: map[string]string{"a:b": "1", "c": "true"}}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

func TestOldProperties(t *testing.T) {
	for text, want := range map[string][]string{
		"a='1'":                       {"a", "1"},
		"a='1', b='2'":                {"a", "1", "b", "2"},
		"a='x, y', b=''":              {"a", "x, y", "b", ""},
		"a='it's', b='2'":             {"a", "it's", "b", "2"},
		"a='x', y', b='2'":            {"a", "x', y", "b", "2"},
		"trait:A='required', a.b='1'": {"trait:A", "required", "a.b", "1"},
		"a='<in> ', '', c='1'":        {"a", "<in> ', '", "c", "1"},
	} {
		tb := &table{file: "f"}
		var got []string
		for _, p := range tb.quoted(&yamlpos.Node{Kind: yamlpos.Text, Text: text, Line: 1, Col: 1}) {
			got = append(got, p.key, p.value)
		}
		if diff := cmp.Diff(want, got); diff != "" || len(tb.bad) > 0 {
			t.Errorf("%s: %v\n%s", text, tb.bad, diff)
		}
	}
	for _, text := range []string{"a", "a=1", "a='1", "='1'", "a='1',b='2", "{'a': '1'}", "a='1', "} {
		tb := &table{file: "f"}
		if got := tb.quoted(&yamlpos.Node{Kind: yamlpos.Text, Text: text, Line: 1, Col: 1}); len(tb.bad) != 1 {
			t.Errorf("%s is read as %v, %v", text, got, tb.bad)
		}
	}
}

// TestFlavorProblems: every one, at its place.
func TestFlavorProblems(t *testing.T) {
	text := `[
  {"Name": "a", "RAM": 0, "VCPUs": "x", "Properties": {"k": ["v"]}},
  {"Name": "a", "RAM": 1, "VCPUs": 1, "Disk": -1, "Properties": 7},
  {"RAM": 1, "VCPUs": 2000},
  "row",
  {"Name": "b", "Properties": "k=v"}
]`
	_, _, err := ReadFlavors(strings.NewReader(text), "f.json", nova.Nova)
	want := []string{
		`f.json:2:24: RAM "0" is out of range (a whole number from 1 to 2147483647)`,
		`f.json:2:36: VCPUs "x" is out of range (a whole number from 1 to 1024)`,
		`f.json:2:56: property "k" is a list (text)`,
		`f.json:3:12: a second flavor is called "a" (names are unique in a cloud)`,
		`f.json:3:47: Disk "-1" is out of range (a whole number from 0 to 2147483647)`,
		`f.json:3:65: properties are a whole number (a mapping, or text such as a='1', b='2')`,
		`f.json:4:3: the flavor has no name (a column Name)`,
		`f.json:4:23: VCPUs "2000" is out of range (a whole number from 1 to 1024)`,
		`f.json:5:3: a row is text, not a mapping of column and value (write it with -f json)`,
		`f.json:6:3: the row has no column VCPUs (list with --long)`,
		`f.json:6:3: the row has no column RAM (list with --long)`,
		`f.json:6:32: properties can't be read from "k=v" (text such as a='1', b='2')`,
	}
	var problems yamlpos.Problems
	if !errors.As(err, &problems) || cmp.Diff(want, strings.Split(err.Error(), "\n")) != "" {
		t.Errorf("%s", cmp.Diff(want, strings.Split(fmt.Sprint(err), "\n")))
	}
	for _, p := range problems {
		if !strings.Contains(p.Excerpt, "^") {
			t.Errorf("%v has no excerpt", p)
		}
	}
}

// TestBadSpecs: an extra spec that Nova refuses does not count, and is told where
// it stands, in both forms; the flavor stays.
func TestBadSpecs(t *testing.T) {
	text := "[{\"Name\": \"a\", \"RAM\": 512, \"VCPUs\": 1, \"Properties\": {\"hw:cpu_policy\": \"dedicated\",\n" +
		"   \"hw:cpu_polcy\": \"x\"}},\n" +
		" {\"Name\": \"b\", \"RAM\": 512, \"VCPUs\": 1, \"Properties\": \"hw:cpu_policy='dedicated', hw:numa_nodes='2'\"}]"
	got, skipped, err := ReadFlavors(strings.NewReader(text), "f", nova.Nova)
	if err != nil || len(got) != 2 || len(skipped) != 2 {
		t.Fatalf("%v, %v, %v", got, skipped, err)
	}
	for i, want := range []struct{ place, what, why string }{
		{"f:2", "flavor a: hw:cpu_polcy=x", "no extra spec has this name (did you mean hw:cpu_policy?); it does not count"},
		{"f:3", "flavor b: hw:numa_nodes=2", "1 vCPUs can't be shared out evenly over 2 virtual nodes (give hw:numa_cpus.N " +
			"and hw:numa_mem.N for each); it does not count"},
	} {
		if s := skipped[i]; s.Place != want.place || s.What != want.what || s.Why != want.why {
			t.Errorf("%+v, want %+v", s, want)
		}
		if diff := cmp.Diff(map[string]string{"hw:cpu_policy": "dedicated"}, got[i].Properties); diff != "" {
			t.Error(diff)
		}
	}
}

func TestWithoutProperties(t *testing.T) {
	_, skipped, err := ReadFlavors(strings.NewReader(`[{"Name":"a","RAM":1,"VCPUs":1},{"Name":"b","RAM":1,"VCPUs":1}]`),
		"f", nova.Nova)
	if err != nil || len(skipped) != 1 || skipped[0].Why != "there is no column Properties (list with --long)" {
		t.Errorf("%v, %v", skipped, err)
	}
}

func TestNoTable(t *testing.T) {
	for text, want := range map[string]string{
		"":                     "f:1:1: the file is empty (write it with -f json)",
		"+----+\n| ID |\n":     "f:1:1: a table for people can't be read (write it with -f json)",
		"[{\"Name\": \"a\",}]": "f:1:14: the JSON can't be read: ",
		"[{\"Name\": \"a\", \"RAM\": 1, \"VCPUs\": 1}": "f:1:37: the JSON can't be read: ",
		"[]\n[]":                           "f:2:1: the JSON can't be read: text follows the list",
		"[{\"a\":\n 1, \"a\": 2}]":         "f:2:5: the JSON can't be read: ",
		strings.Repeat("[", 100):           "f:1:",
		"hello":                            "f:1:1: is no list (write it with -f json)",
		"[1]":                              "f:1:2: a row is a whole number, not a mapping",
		"\xef\xbb\xbf[\n {\"Name\": 1 2}]": "f:2:13: the JSON can't be read: ",
	} {
		_, _, err := ReadFlavors(strings.NewReader(text), "f", nova.Nova)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.40q: %v, want %s", text, err, want)
		}
	}
	broken := errors.New("broken")
	if _, _, err := ReadServers(failing{broken}, "f"); !errors.Is(err, broken) {
		t.Errorf("%v, want the reader's error", err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
