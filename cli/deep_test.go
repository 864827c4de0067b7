package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"plimsoll.dev/cli"
)

// deep are texts of many levels, in every form of text that is read.
func deep(levels int) map[string]string {
	open := func(head, in, out string) string {
		return head + strings.Repeat(in, levels) + "1" + strings.Repeat(out, levels)
	}
	return map[string]string{
		"flow.yaml":     open("apiVersion: v1\nkind: ConfigMap\ndata: ", "[", "]"),
		"mappings.yaml": open("apiVersion: v1\nkind: ConfigMap\ndata: ", "{a: ", "}"),
		"dashes.yaml":   "kind: Node\na:\n " + strings.Repeat("- ", levels) + "1\n",
		"keys.yaml":     "kind: Node\na:\n " + strings.Repeat("? ", levels) + "1\n",
		"items.yaml":    open("kind: List\napiVersion: v1\nitems:\n- ", "{kind: List, apiVersion: v1, items: [", "]}"),
		"lists.json":    open(`{"kind": "NodeList", "apiVersion": "v1", "a": `, "[", "]") + "}",
		"objects.json":  open(`{"kind": "NodeList", "apiVersion": "v1", "items": `, `{"items": `, "}") + "}",
		"items.json":    open("", `{"kind": "List", "apiVersion": "v1", "items": [`, "]}"),
		"nested.yaml":   profiles("p: |-", "[variables]\na="+open("", "${f:s2kb:", "}")),
		"chain.yaml":    chain(levels / 10),
	}
}

// profiles is a Tuned with profiles of names and data, that of the first recommended.
func profiles(text ...string) string {
	out := "apiVersion: tuned.openshift.io/v1\nkind: Tuned\nmetadata: {name: t}\n" +
		"spec:\n  recommend: [{priority: 10, profile: p}]\n  profile:\n"
	for i := 0; i < len(text); i += 2 {
		name, form, _ := strings.Cut(text[i], ":")
		out += "  - name: " + name + "\n    data:" + form + "\n      " +
			strings.ReplaceAll(text[i+1], "\n", "\n      ") + "\n"
	}
	return out
}

// chain are profiles of which each includes the next.
func chain(levels int) string {
	all := []string{"p: |-", "[main]\ninclude=p0"}
	for i := range levels {
		all = append(all, fmt.Sprintf("p%d: |-", i), fmt.Sprintf("[main]\ninclude=p%d", i+1))
	}
	return profiles(all...)
}

// What nests as deeply as nobody means it is refused, by each command that reads files,
// far from the end of the stack.
func TestDeepNesting(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(64 << 20))
	for _, levels := range []int{300, 5_000} {
		for name, text := range deep(levels) {
			dir := t.TempDir()
			file := filepath.Join(dir, name)
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, command := range readers(file, dir) {
				code, _, errs := run(command...)
				if code == cli.ExitFailed && strings.Contains(errs, "fault of the program") || code < 0 || code > 3 {
					t.Errorf("%d levels, %s: exit code %d, %.300s", levels, strings.Join(command[:2], " ")+" "+name, code, errs)
				}
			}
		}
	}
}

// readers are the commands that read a file, or the directory that it stands in.
func readers(file, dir string) [][]string {
	const base, tuned = examplesDir + "/ocp-9.4.yaml", examplesDir + "/tune"
	return [][]string{
		{"plan", file}, {"verify", file}, {"certify", file}, {"validate", file}, {"plan", base, "--manifests", dir},
		{"plan", "--release", "4.14", "--snapshot", file}, {"tune", "check", dir},
		{"tune", "explain", "--nodes", dir, "--tuned", dir},
		{"tune", "explain", "--nodes", tuned + "/nodes.json", "--tuned", dir}, {"tune", "kubelet", dir},
		{"tune", "render", dir}, {"tune", "health", "simulate", file}, {"tune", "router", file},
		{"tune", "flatten", "--tuned", dir, "p"},
	}
}
