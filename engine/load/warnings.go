package load

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"time"

	"plimsoll.dev/engine/apiserver"
)

// warningsWait is how long a server is asked for its events.
const warningsWait = 10 * time.Second

// withWarnings adds to a wait that ended in vain what controllers could not create, where nothing else
// gives a reason: pods that are not there have no conditions that would say why, and only some kinds of
// workloads do.
func (r *run) withWarnings(ctx context.Context, err error) error {
	var h *held
	if !errors.As(err, &h) || len(h.by) > 0 && h.by[0].Reason != notReady {
		return err
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), warningsWait)
	defer stop()
	events := apiserver.Resource{APIVersion: "v1", Name: "events"}
	text, failed := r.client.Do(ctx, apiserver.Request{Method: http.MethodGet, Path: events.Path(""),
		Query: url.Values{"fieldSelector": {"reason=FailedCreate"}, "limit": {"500"}}})
	var list struct {
		Items []struct {
			Message        string
			InvolvedObject struct{ Kind, Namespace, Name string }
		}
	}
	if failed != nil || json.Unmarshal(text, &list) != nil {
		return err
	}
	var found tally
	for _, e := range list.Items {
		if o := e.InvolvedObject; r.pods.of(o.Namespace) {
			found.add("FailedCreate", o.Kind+" "+o.Namespace+"/"+o.Name+": "+e.Message)
		}
	}
	told := found.list()
	h.by = append(told, h.by...)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range told {
		r.failures.merge(f)
	}
	return h
}

// of says whether a namespace is one of the run's.
func (p *pods) of(namespace string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.namespaces[namespace]
}
