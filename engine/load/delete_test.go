package load

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"plimsoll.dev/engine/apiserver"
)

// What controllers have made carries no label of the run: the server is asked to keep each object until
// that is gone, too. (In the background, tens of pods were left in a reused project when the run had ended.)
func TestDeletedWithWhatControllersMade(t *testing.T) {
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		asked = append(asked, q.Method+" "+q.URL.String())
	}))
	defer server.Close()
	r := &run{client: apiserver.New(server.Client(), server.URL)}
	if err := r.delete(t.Context(), "/apis/apps/v1/namespaces/mine/deployments/web"); err != nil {
		t.Fatal(err)
	}
	const want = "DELETE /apis/apps/v1/namespaces/mine/deployments/web?propagationPolicy=Foreground"
	if len(asked) != 1 || asked[0] != want {
		t.Errorf("asked for %q, want %s", asked, want)
	}
}
