package load

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"plimsoll.dev/engine/apiserver"
)

// Troubles says what keeps pods that a selector takes from running, the most frequent first, and how many pods there
// are.
func Troubles(ctx context.Context, c *apiserver.Client, namespace, selector string) (found []Failure, pods int,
	err error) {
	resource := apiserver.Resource{APIVersion: "v1", Name: "pods", Namespaced: true}
	text, err := c.Do(ctx, apiserver.Request{Method: http.MethodGet, Path: resource.Path(namespace),
		Query: url.Values{"labelSelector": {selector}}})
	var list struct{ Items []seen }
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	if err != nil {
		return nil, 0, err
	}
	var all tally
	for i := range list.Items {
		k, s := &pod{}, &list.Items[i]
		if k.take(s, time.Now()); k.trouble != "" {
			all.add(k.trouble, s.Metadata.Name+": "+k.message)
		}
	}
	return all.list(), len(list.Items), nil
}
