package doctest

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"plimsoll.dev/source/live/fake"
)

// liveClusters are the pages whose commands have a cluster that runs: that of examples/snapshot-small.json. In context
// prod all of it may be read, in context ticket neither routes nor the number of secrets.
var liveClusters = []string{"guide-live.md", "guide-audit.md"}

// kubeconfig is the one variable of the environment that commands see.
func kubeconfig(name string) string {
	if name == "KUBECONFIG" {
		return os.Getenv(name)
	}
	return ""
}

// cluster begins a server with the objects of an example, and has it named by KUBECONFIG.
func cluster(t *testing.T, dir string) {
	t.Helper()
	servers := map[string]string{}
	denials := map[string][]string{"prod": nil, "ticket": {"routes.route.openshift.io", "/metrics", "secrets"}}
	for name, denied := range denials {
		text, err := os.Open(filepath.Join(dir, "examples", "snapshot-small.json"))
		if err != nil {
			t.Fatal(err)
		}
		defer text.Close()
		s, err := fake.New(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, what := range denied {
			s.Denied[what] = true
		}
		server := httptest.NewServer(s)
		t.Cleanup(server.Close)
		servers[name] = server.URL
	}
	file := filepath.Join(t.TempDir(), "kubeconfig")
	if err := fake.Kubeconfig(file, servers); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", file)
}
