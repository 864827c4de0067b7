package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/source/scenario"
)

// TestExample makes the example anew of the trace beside it.
func TestExample(t *testing.T) {
	dir := t.TempDir()
	var notes bytes.Buffer
	if err := run([]string{"-nodes", "../../examples/openb/nodes.csv", "-pods", "../../examples/openb/pods.csv", "-o",
		dir}, &notes); err != nil {
		t.Fatal(err)
	}
	got := readFile(t, filepath.Join(dir, fileName))
	if diff := cmp.Diff(readFile(t, "../../examples/"+fileName), got); diff != "" {
		t.Errorf("run the command in the package's doc comment (-committed +made):\n%s", diff)
	}
	if notes.Len() > 0 {
		t.Errorf("left out: %s", notes.String())
	}
}

// TestCompleteTrace counts what is in the tables. The figures are those that the
// trace's publishers and users give: 1,523 nodes, 8,152 pods.
func TestCompleteTrace(t *testing.T) {
	tr, err := read("../../examples/openb/nodes.csv", "../../examples/openb/pods.csv", 0)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := scenario.Read(fileName, tr.scenario())
	if err != nil {
		t.Fatal(err)
	}
	nodes, pods, gpus := 0, 0, int64(0)
	for _, n := range doc.Scenario.Hardware.NodeTypes {
		nodes += *n.Count
		gpus += int64(*n.Count) * n.Devices[gpuResource]
	}
	for _, p := range doc.Scenario.Workload.PodTypes {
		pods += p.Replicas
	}
	if nodes != 1523 || pods != 8152 || gpus != 6212*1000 || len(doc.Scenario.Workload.PodTypes) != 151 ||
		len(doc.Scenario.Hardware.NodeTypes) != 27 {
		t.Errorf("%d nodes of %d types with %d thousandths of GPUs, %d pods of %d types",
			nodes, len(doc.Scenario.Hardware.NodeTypes), gpus, pods, len(doc.Scenario.Workload.PodTypes))
	}
}

func TestTables(t *testing.T) {
	const nodes = "sn,cpu_milli,memory_mib,gpu,model\na,32000,262144,0,\nb,96000,393216,8,G2\nc,32000,262144,0,\n"
	const pods = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos\np,6000,12288,1,460,,LS\n" +
		"q,6000,12288,1,460,,BE\nr,12500,1024,2,1000,G2,LS\ns,1000,1024,1,500,G2|G3,LS\nt,1000,2048,0,0,,Guaranteed\n"
	var tr trace
	if err := tr.readNodes(strings.NewReader(nodes), 0); err != nil {
		t.Fatal(err)
	}
	if err := tr.readPods(strings.NewReader(pods)); err != nil {
		t.Fatal(err)
	}
	text := string(tr.scenario())
	for _, want := range []string{
		"- {name: 32cpu-256Gi, cpus: 32, memory: 256Gi, count: 2, systemReserved: {cpu: 0, memory: 0}, evictionHard: 0}",
		"- {name: 96cpu-384Gi-8xG2, cpus: 96, memory: 384Gi, count: 1, systemReserved: {cpu: 0, memory: 0}, evictionHard: " +
			"0, devices: {nvidia.com/gpu-milli: 8000}, labels: {gpu-model: G2}}",
		"- {name: 6cpu-12Gi-1x460gpu, replicas: 2, cpu: 6, memory: 12Gi, devices: {nvidia.com/gpu-milli: 460}} # 1 BE, 1 LS",
		"- {name: 12500mcpu-1Gi-2x1000gpu-G2, replicas: 1, cpu: 12500m, memory: 1Gi, devices: {nvidia.com/gpu-milli: " +
			"2000}, nodeSelector: {gpu-model: G2}} # 1 LS",
		"- {name: 1cpu-1Gi-1x500gpu, replicas: 1, cpu: 1, memory: 1Gi, devices: {nvidia.com/gpu-milli: 500}} # 1 LS",
		"- {name: 1cpu-2Gi, replicas: 1, cpu: 1, memory: 2Gi, cpuLimit: 1, memoryLimit: 2Gi} # 1 Guaranteed",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s\nis not in\n%s", want, text)
		}
	}
	if len(tr.leftOut) != 1 || !strings.Contains(tr.leftOut[0], "any of the GPU models G2|G3: 1;") {
		t.Errorf("left out %q", tr.leftOut)
	}
	if _, err := scenario.Read(fileName, tr.scenario()); err != nil {
		t.Error(err)
	}
}

func TestBadTables(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", "EOF"},
		{"sn,cpu_milli\n", "there is no column memory_mib"},
		{"sn,cpu_milli,memory_mib,gpu,model\na,1000,1,0,\nb,x,1,0,\n", `line 3: cpu_milli: "x" is not a number from 0`},
		{"sn,cpu_milli,memory_mib,gpu,model\na,1500,1,0,\n", "line 2: 1500 millicores are not whole cores"},
		{"sn,cpu_milli,memory_mib,gpu,model\na,1\n", "line 2: wrong number of fields"},
		{"sn,cpu_milli,memory_mib,gpu,model\n\"a,1\n", "line 2: extraneous or missing \" in quoted-field"},
	} {
		var tr trace
		if err := tr.readNodes(strings.NewReader(test.text), 0); err == nil || err.Error() != test.want {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
	if err := run([]string{"-nodes", filepath.Join(t.TempDir(), "none.csv")}, io.Discard); !os.IsNotExist(err) {
		t.Errorf("no file: %v", err)
	}
}

func TestNodesLimit(t *testing.T) {
	var tr trace
	if err := tr.readNodes(strings.NewReader("sn,cpu_milli,memory_mib,gpu,model\na,1000,1,0,\nb,1000,1,0,\nc,1000,1,0,\n"),
		2); err != nil {
		t.Fatal(err)
	}
	if len(tr.nodes) != 1 || tr.nodes[0].count != 2 {
		t.Errorf("%+v", tr.nodes)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
