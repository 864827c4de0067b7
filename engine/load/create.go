package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"time"

	"plimsoll.dev/engine/apiserver"
	"plimsoll.dev/loadmodel"
)

// attempts at one object, of answers that may be better the next time.
const attempts = 6

// create makes one object of a namespace. What the server refuses for good is counted and is no
// error; the error is the context's. It was due by the configuration's delay, or if that is
// zero is by the rate, or when it is sent.
func (r *run) create(ctx context.Context, namespace string, o loadmodel.Object, due time.Time,
	batch *counter) error {
	choice := r.choices[kindKey{o.APIVersion, o.Kind}]
	key := kindKey{o.APIVersion, o.Kind}
	if choice.how == skipped {
		r.count(key, nil, 0)
		return nil
	}
	switch choice.how {
	case converted:
		o = choice.into.Object(o)
	case standIn: // OpenShift's own types leave empty texts out, before they are validated
		o.Body = loadmodel.WithoutEmpty(o.Body)
	}
	if due.IsZero() {
		due = r.clock.due(time.Now())
	}
	if err := apiserver.Wait(ctx, due); err != nil {
		return err
	}
	body, err := json.Marshal(r.owned(o, namespace, choice.resource.Namespaced))
	if err != nil {
		return err
	}
	if o.Kind == "Pod" && o.Name != "" {
		r.pods.expect(namespace, o.Name, due, batch)
	}
	answer, err := r.post(ctx, choice.resource, namespace, o, body)
	ended := err != nil && ctx.Err() != nil
	if !ended {
		r.count(key, err, time.Since(due))
	}
	switch {
	case err != nil && o.Kind == "Pod":
		r.pods.forget(namespace, o.Name)
	case err == nil && o.Kind == "Pod" && o.Name == "":
		r.pods.named(answer, due, batch)
	case err == nil && r.rule(choice) != nil:
		r.planned.add(namespace, o)
		r.workloads.expect(answer, key, choice.resource, due)
	}
	if ended {
		return ctx.Err()
	}
	return nil
}

// owned is the body with its namespace and the label of the run.
func (r *run) owned(o loadmodel.Object, namespace string, namespaced bool) map[string]any {
	body := r.labelled(o.Body)
	if namespaced {
		body["metadata"].(map[string]any)["namespace"] = namespace
	}
	spec, _ := body["spec"].(map[string]any)
	if templates, ok := spec["volumeClaimTemplates"].([]any); ok && o.Kind == "StatefulSet" {
		list := make([]any, len(templates)) // the claims stay when the StatefulSet goes, and are found by the label
		for i, t := range templates {
			list[i] = t
			if t, ok := t.(map[string]any); ok {
				list[i] = r.labelled(t)
			}
		}
		spec = maps.Clone(spec)
		spec["volumeClaimTemplates"], body["spec"] = list, spec
	}
	return body
}

// labelled is an object with the label of the run; the one that is given is not changed.
func (r *run) labelled(o map[string]any) map[string]any {
	clone := func(v any) map[string]any {
		if m, ok := v.(map[string]any); ok && m != nil {
			return maps.Clone(m)
		}
		return map[string]any{}
	}
	body, meta := clone(o), clone(o["metadata"])
	labels := clone(meta["labels"])
	labels[RunLabel] = r.opt.RunID
	meta["labels"], body["metadata"] = labels, meta
	return body
}

// longestCall is how long an answer to a request is waited for.
const longestCall = time.Minute

// post sends an object until it is there, which is returned, or refused for good. Each call that succeeds
// is measured.
func (r *run) post(ctx context.Context, resource apiserver.Resource, namespace string, o loadmodel.Object,
	body []byte) ([]byte, error) {
	answer, err := Send(ctx, r.client, resource.Path(namespace), body,
		func(took time.Duration) { r.called("create/"+resource.Name, took) },
		func() []byte { return r.ours(ctx, resource, namespace, o.Name) })
	if err != nil && !errors.Is(err, ctx.Err()) {
		return nil, fmt.Errorf("%s %s/%s: %w", o.Kind, namespace, o.Name, err)
	}
	return answer, err
}

// Send posts an object to a path until it is there, which is returned, or refused for good. Took is told of the call
// that succeeds; ours is the object that is there, if an attempt that was cut off may have made it.
// A call that has begun is not cut off when the context ends: nobody would know then what the server made of
// it, and clean-up might come before it.
func Send(ctx context.Context, c *apiserver.Client, path string, body []byte, took func(time.Duration),
	ours func() []byte) ([]byte, error) {
	unknown := false // an attempt before this one may have made it
	for try := 0; ; try++ {
		sent := time.Now()
		call, stop := context.WithTimeout(context.WithoutCancel(ctx), longestCall)
		answer, err := c.Do(call, apiserver.Request{Method: http.MethodPost, Path: path, Body: body})
		stop()
		if err == nil {
			took(time.Since(sent))
			return answer, nil
		}
		code := apiserver.Code(err)
		if code == http.StatusConflict && unknown {
			if there := ours(); there != nil {
				return there, nil
			}
		}
		if apiserver.Final(code) && !apiserver.Outdated(err) || ctx.Err() != nil || try == attempts-1 {
			return nil, err
		}
		unknown = true
		if apiserver.Wait(ctx, time.Now().Add(apiserver.BackOff(err, try))) != nil {
			return nil, ctx.Err()
		}
	}
}

// ours is an object that is there, if it was made by this run, or nil.
func (r *run) ours(ctx context.Context, resource apiserver.Resource, namespace, name string) []byte {
	text, err := r.client.Do(ctx, apiserver.Request{Method: http.MethodGet, Path: resource.Path(namespace) + "/" + name})
	var o struct {
		Metadata struct{ Labels map[string]string }
	}
	if err == nil && json.Unmarshal(text, &o) == nil && o.Metadata.Labels[RunLabel] == r.opt.RunID {
		return text
	}
	return nil
}
