package cli_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll.dev/cli"
)

// Destroy says what was there to take away, and by its exit code that nothing was.
func TestDestroy(t *testing.T) {
	t.Parallel()
	there := map[string]bool{"shop": true, "data": true}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		var items []string
		for name := range there {
			items = append(items, fmt.Sprintf(`{"metadata": {"name": %q}}`, name))
		}
		switch {
		case q.Method == http.MethodDelete:
			delete(there, filepath.Base(q.URL.Path))
		case q.URL.Path == "/api/v1/namespaces":
			fmt.Fprintf(w, `{"items": [%s]}`, strings.Join(items, ", "))
		default:
			fmt.Fprint(w, "{}")
		}
	}))
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "kubeconfig")
	config := "apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: " + server.URL + "}}]\n" +
		"contexts: [{name: c, context: {cluster: c}}]\ncurrent-context: c\n"
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := run("load", "destroy", "r1", "--kubeconfig", file)
	if code != cli.ExitOK || out != "2 projects and 0 objects beside them of run r1 taken away\n" {
		t.Errorf("exit code %d, %q, %q", code, out, errs)
	}
	code, out, errs = run("load", "destroy", "r1", "--kubeconfig", file)
	if code != cli.ExitNegative || out != "" || !strings.Contains(errs, "nothing carries the label plimsoll.dev/run=r1") {
		t.Errorf("exit code %d, %q, %q", code, out, errs)
	}
}
