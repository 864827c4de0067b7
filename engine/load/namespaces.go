package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"plimsoll.dev/engine/apiserver"
	"plimsoll.dev/loadmodel"
)

var namespaces = apiserver.Resource{APIVersion: "v1", Kind: "Namespace", Name: "namespaces"}

// existing says which namespaces are to be replaced. The error names those that stand in the way.
func (r *run) existing(ctx context.Context) (replaced map[string]bool, err error) {
	there, err := r.listNamespaces(ctx, r.client.Do, "")
	if err != nil {
		return nil, err
	}
	var taken, foreign []string
	made := 0
	replaced = map[string]bool{}
	for _, n := range r.work.Namespaces {
		old, exists := there[n.Name]
		if !exists || n.IfExists != "reuse" {
			made++
		}
		switch {
		case !exists || n.IfExists == "reuse":
		case n.IfExists == "":
			taken = append(taken, n.Name)
		case old.labels[RunLabel] == "" && !r.opt.Force:
			foreign = append(foreign, n.Name)
		default:
			replaced[n.Name] = true
		}
	}
	switch {
	case len(taken) > 0:
		return nil, fmt.Errorf("there is a namespace %s already (write ifexists: reuse or delete, or delete it)",
			strings.Join(taken, ", "))
	case len(foreign) > 0:
		return nil, fmt.Errorf("ifexists: delete would delete %s, which no run has made (--force deletes it)",
			strings.Join(foreign, ", "))
	case made == 0 && r.opt.Churn.Share > 0 && r.opt.Churn.Mode == ChurnNamespaces:
		return nil, errors.New("churn deletes namespaces that the run has made, but all of them are there already")
	}
	return replaced, nil
}

// there is a namespace that is there.
type there struct {
	labels map[string]string
	// going says that it is being deleted, remains what is told of the rest of it then.
	going   bool
	remains string
}

// listNamespaces are all namespaces, or those that a selector takes, by name.
func (r *run) listNamespaces(ctx context.Context, do func(context.Context, apiserver.Request) ([]byte, error),
	selector string) (map[string]there, error) {
	query := url.Values{}
	if selector != "" {
		query.Set("labelSelector", selector)
	}
	text, err := do(ctx, apiserver.Request{Method: http.MethodGet, Path: namespaces.Path(""), Query: query})
	if err != nil {
		return nil, err
	}
	var list struct {
		Items []struct {
			Metadata struct {
				Name              string
				Labels            map[string]string
				DeletionTimestamp *time.Time
			}
			Status struct{ Conditions []struct{ Message string } }
		}
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, err
	}
	out := map[string]there{}
	for _, i := range list.Items {
		n := there{labels: i.Metadata.Labels, going: i.Metadata.DeletionTimestamp != nil}
		for _, c := range i.Status.Conditions {
			n.remains += c.Message + "\n"
		}
		out[i.Metadata.Name] = n
	}
	return out, nil
}

// replace deletes namespaces and waits until they are gone.
func (r *run) replace(ctx context.Context, names map[string]bool) error {
	if len(names) == 0 {
		return nil
	}
	from := time.Now()
	_, err := r.takeAway(ctx, taking{names: names, bound: true})
	r.phase("replacing", from, 0)
	return err
}

// delete sends a delete; what is not there, or is going already, is no error. In the foreground the object
// stays until what controllers have made of it is gone: who waits for one waits for all.
func (r *run) delete(ctx context.Context, path string) error {
	return Delete(ctx, r.client, path, "Foreground")
}

// Delete sends a delete with a propagation policy, such as Foreground, as often as Again does; what is not there, or is
// going already, is no error.
func Delete(ctx context.Context, c *apiserver.Client, path, policy string) error {
	_, err := Again(ctx, c, apiserver.Request{Method: http.MethodDelete, Path: path,
		Query: url.Values{"propagationPolicy": {policy}}})
	if code := apiserver.Code(err); code == http.StatusNotFound || code == http.StatusConflict {
		return nil
	}
	return err
}

// makeNamespace makes a namespace, or takes the one that is there, and waits for the service account
// without which pods are refused.
func (r *run) makeNamespace(ctx context.Context, n *loadmodel.Namespace) error {
	r.pods.in(n.Name)
	labels := map[string]any{}
	for name, value := range n.Labels {
		labels[name] = value
	}
	labels[RunLabel] = r.opt.RunID // whatever the configuration says: clean-up goes by it
	meta := map[string]any{"name": n.Name, "labels": labels}
	if len(n.Annotations) > 0 {
		meta["annotations"] = maps.Clone(n.Annotations)
	}
	body, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": meta})
	if err != nil {
		return err
	}
	_, err = r.post(ctx, namespaces, "", loadmodel.Object{Kind: "Namespace", Name: n.Name}, body)
	if apiserver.Code(err) == http.StatusConflict && n.IfExists == "reuse" {
		r.mu.Lock()
		r.reused = append(r.reused, n.Name)
		r.mu.Unlock()
		err = nil
	}
	if err != nil {
		return err
	}
	return r.serviceAccount(ctx, n.Name)
}

// longestAccount is how long the service account of a new namespace is waited for.
const longestAccount = 10 * time.Second

func (r *run) serviceAccount(ctx context.Context, namespace string) error {
	path := apiserver.Resource{APIVersion: "v1", Name: "serviceaccounts", Namespaced: true}.Path(namespace) + "/default"
	var err error
	for began, try := time.Now(), 0; time.Since(began) < longestAccount; {
		_, err = r.client.Do(ctx, apiserver.Request{Method: http.MethodGet, Path: path})
		pause := 10 * time.Millisecond
		switch code := apiserver.Code(err); {
		case code == http.StatusNotFound:
			err = nil // pods will say so, if it never comes
		case err == nil || apiserver.Final(code):
			return err
		default:
			pause = apiserver.BackOff(err, min(try, attempts-1))
			try++
		}
		if err := apiserver.Wait(ctx, time.Now().Add(pause)); err != nil {
			return err
		}
	}
	return err
}
