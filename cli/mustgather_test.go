package cli_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"plimsoll.dev/cli"
	"plimsoll.dev/source/kube/kubetest"
)

// BenchmarkMustGather audits a must-gather of 200 MB, as a directory and as an archive.
func BenchmarkMustGather(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "must-gather.local")
	size := gather(b, dir, 1)
	packed := dir + ".tar.gz"
	pack(b, dir, packed)
	for name, path := range map[string]string{"directory": dir, "tar.gz": packed} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				if code, _, says := run("audit", "--snapshot", path, "--release", "4.17", "-o", "json"); code != cli.ExitNegative {
					b.Fatalf("exit code %d: %s", code, says)
				}
			}
		})
	}
}

// TestMustGather: a directory and its archive give one answer; a pod that stands in a list and in a file of its own
// counts once, and that secrets are not read is told.
func TestMustGather(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "must-gather.local")
	gather(t, dir, 40)
	pack(t, dir, dir+".tar.gz")
	var answers []string
	for _, path := range []string{dir, dir + ".tar.gz"} {
		code, out, says := run("audit", "--snapshot", path, "--release", "4.17", "-o", "json")
		if code != cli.ExitNegative || strings.Contains(says, "can't be read") {
			t.Fatalf("exit code %d: %s", code, says)
		}
		out = regexp.MustCompile(`"time": "[^"]*"`).ReplaceAllString(out, "") // of the two runs
		answers = append(answers, strings.ReplaceAll(out, path, "here"))
	}
	if answers[0] != answers[1] {
		t.Error("a directory and its archive give two answers")
	}
	code, out, says := run("plan", "--snapshot", dir, "--release", "4.17", "-o", "json")
	if !strings.Contains(out, `"their files are never opened: how many there are is not known"`) {
		t.Errorf("exit code %d: secrets are passed over in silence: %s", code, says)
	}
}

// gather writes what a must-gather of 200 MB holds, or a part of that: logs that are two thirds of it, events, secrets,
// lists of a namespace and its pods once more by themselves, nodes, MachineConfigs and definitions of kinds.
func gather(t testing.TB, dir string, part int) (size int64) {
	t.Helper()
	write := func(name string, text []byte) {
		name = filepath.Join(dir, "quay-io-openshift-sha256-0123", name)
		err := os.MkdirAll(filepath.Dir(name), 0o700)
		if err == nil {
			err = os.WriteFile(name, text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		size += int64(len(text))
	}
	var text bytes.Buffer
	if err := kubetest.Snapshot(&text, 60/part, 1200/part); err != nil {
		t.Fatal(err)
	}
	var list struct{ Items []map[string]any }
	if err := json.Unmarshal(text.Bytes(), &list); err != nil {
		t.Fatal(err)
	}
	spaces := map[string][]any{}
	log := []byte(strings.Repeat("2026-01-15T12:00:00.123456789Z I0115 12:00:00 controller.go:123] synced 12 objects\n",
		1400))
	for _, o := range list.Items {
		meta := o["metadata"].(map[string]any)
		name := fmt.Sprint(meta["name"])
		switch o["kind"] {
		case "Node":
			write("cluster-scoped-resources/core/nodes/"+name+".yaml", machineWritten(t, o))
		case "Pod":
			space := "openshift-" + fmt.Sprint(meta["namespace"])
			meta["namespace"] = space
			at := "namespaces/" + space + "/pods/" + name + "/"
			write(at+name+".yaml", machineWritten(t, o))
			write(at+"main/main/logs/current.log", log)
			spaces[space] = append(spaces[space], o)
		}
	}
	for space, pods := range spaces {
		at := "namespaces/" + space + "/core/"
		write(at+"pods.yaml", machineWritten(t, listed("Pod", pods)))
		write(at+"events.yaml", machineWritten(t, listed("Event", many(space, "Event", 120))))
		write(at+"secrets.yaml", machineWritten(t, listed("Secret", many(space, "Secret", 20))))
		write(at+"configmaps.yaml", machineWritten(t, listed("ConfigMap", many(space, "ConfigMap", 20))))
	}
	long := strings.Repeat("data:text/plain;charset=utf-8;base64,QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo=\n", 2700)
	for i := range 60 / part {
		name := fmt.Sprintf("rendered-worker-%d", i)
		write("cluster-scoped-resources/machineconfiguration.openshift.io/machineconfigs/"+name+".yaml",
			machineWritten(t, map[string]any{"apiVersion": "machineconfiguration.openshift.io/v1", "kind": "MachineConfig",
				"metadata": map[string]any{"name": name}, "spec": map[string]any{"config": map[string]any{"all": long}}}))
		name = fmt.Sprintf("things%d.example.com", i)
		write("cluster-scoped-resources/apiextensions.k8s.io/customresourcedefinitions/"+name+".yaml",
			machineWritten(t, map[string]any{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
				"metadata": map[string]any{"name": name}, "spec": map[string]any{"schema": schema(4)}}))
	}
	return size
}

// many are objects of a kind, all alike but for their names.
func many(space, kind string, n int) (out []any) {
	for i := range n {
		out = append(out, map[string]any{"apiVersion": "v1", "kind": kind,
			"metadata": map[string]any{"name": fmt.Sprint(strings.ToLower(kind), "-", i), "namespace": space,
				"creationTimestamp": "2026-01-15T12:00:00Z", "uid": fmt.Sprintf("01234567-89ab-cdef-0123-%012d", i)},
			"data":    map[string]any{"ca.crt": strings.Repeat("MIIDQDCCAiigAwIBAgIIRBn4LqsRSBswDQYJKoZIhvcN\n", 25)},
			"message": "Back-off restarting failed container: see the log", "count": i})
	}
	return out
}

func listed(kind string, items []any) map[string]any {
	return map[string]any{"apiVersion": "v1", "kind": kind + "List", "items": items, "metadata": map[string]any{
		"resourceVersion": "123456"}}
}

// schema is as definitions of kinds hold them, so many levels deep.
func schema(depth int) map[string]any {
	out := map[string]any{"type": "object", "description": "What this is, in some words: those who read it want to know."}
	if depth == 0 {
		return out
	}
	fields := map[string]any{}
	for i := range 6 {
		fields[fmt.Sprint("field", i)] = schema(depth - 1)
	}
	out["properties"] = fields
	return out
}

// machineWritten is an object as oc writes it.
func machineWritten(t testing.TB, o any) []byte {
	text, err := yaml.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	return append([]byte("---\n"), text...)
}

// pack writes a directory as a tar that gzip packs.
func pack(t testing.TB, dir, name string) {
	t.Helper()
	out, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	z, _ := gzip.NewWriterLevel(out, gzip.BestSpeed)
	w := tar.NewWriter(z)
	if err := w.AddFS(os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
}
