package load

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"plimsoll.dev/engine/apiserver"
	"plimsoll.dev/loadmodel"
)

// What is large takes longer to go than a server that has stopped is waited for: as long as it goes, it is waited for.
func TestLongCleanUp(t *testing.T) {
	for _, c := range []struct {
		goes   bool
		failed string
		took   time.Duration
	}{
		{true, "", time.Hour},
		{false, "1 object is still there, such as /api/v1/namespaces/a0: nothing has gone for 10m0s", 10 * time.Minute},
	} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			client := apiserver.New(&http.Client{Transport: transport(func(*http.Request) (*http.Response, error) {
				remaining, body := 3600-int(time.Since(began).Seconds()), `{"items": []}`
				if remaining > 0 {
					if !c.goes {
						remaining = 1
					}
					body = fmt.Sprintf(`{"items": [{"metadata": {"name": "a0", "deletionTimestamp": "2026-11-28T10:00:00Z"},
						"status": {"conditions": [{"message": "pods. has %d resource instances"}]}}]}`, remaining)
				}
				return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(body))}, nil
			})}, "http://server")
			r := newRun(client, &loadmodel.Work{Cleanup: true}, Options{RunID: "test"})
			result := &Result{}
			r.cleanUp(context.Background(), nil, result)
			if off := result.CleanTook - c.took; strings.Join(result.Left, "") != c.failed || off < 0 || off > 5*time.Second {
				t.Errorf("%q after %s", result.Left, result.CleanTook)
			}
		})
	}
}

// What is going already is waited for, and not deleted at each look; of lists the metadata is enough.
func TestGoingIsNotDeletedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lists := 0
		client := apiserver.New(&http.Client{Transport: transport(func(q *http.Request) (*http.Response, error) {
			body := `{"items": []}`
			switch {
			case q.Method == http.MethodDelete:
				t.Errorf("%s is deleted again", q.URL.Path)
			case strings.HasSuffix(q.URL.Path, "/configmaps"):
				if lists++; lists < 3 {
					body = `{"items": [{"metadata": {"name": "x", "namespace": "a0", "deletionTimestamp": "2026-11-28T10:00:00Z"}}]}`
				}
				if !strings.HasPrefix(q.Header.Get("Accept"), "application/json;as=PartialObjectMetadataList") {
					t.Errorf("asks for %s", q.Header.Get("Accept"))
				}
			}
			return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(body))}, nil
		})}, "http://server")
		r := newRun(client, &loadmodel.Work{}, Options{RunID: "test"})
		gone, err := r.takeAway(context.Background(), taking{selector: r.ofRun(),
			of: []apiserver.Resource{{APIVersion: "v1", Name: "configmaps", Namespaced: true}}})
		if err != nil || gone.Objects != 1 || lists != 3 {
			t.Errorf("%+v after %d lists, %v", gone, lists, err)
		}
	})
}
