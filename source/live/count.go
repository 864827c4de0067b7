package live

import (
	"bytes"
	"context"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"plimsoll.dev/engine/apiserver"
)

// The server's own numbers of objects, up to a minute old, newest name first: since Kubernetes 1.34, 1.21, and before.
// A negative one, which does not match, is of objects that it could not count.
// Source: kubernetes, staging/src/k8s.io/apiserver/pkg/storage/etcd3/metrics/metrics.go.
var (
	objectLine = regexp.MustCompile(`^(apiserver_resource_objects|apiserver_storage_objects|etcd_object_counts)` +
		`\{(.*)\} ([0-9.e+]+)\s*$`)
	labelPair = regexp.MustCompile(`(\w+)="([^"]*)"`)
)

// count keeps how many objects of a kind there are: what the server counts for its metrics, which gives no right to
// read them; else what it says of a list with one object, of which the metadata comes.
func (r *reading) count(ctx context.Context, k Kind) error {
	if r.metrics == nil {
		text, err := r.Client.Read(ctx, apiserver.Request{Method: http.MethodGet, Path: "/metrics", Accept: "text/plain"})
		if err != nil && apiserver.Code(err) == 0 {
			return err
		}
		r.metrics = counted(text)
	}
	n, known := r.metrics[k.Resource()]
	if !known {
		resource, there, err := r.discovery.FindIn(ctx, k.Group, k.Kind)
		if err != nil || !there {
			return r.notSeen(k, 0, err)
		}
		if n, err = r.Client.Count(ctx, resource.Path("")); err != nil {
			return r.notSeen(k, 0, err)
		}
	}
	r.seen.Counts[k.Kind] = n
	return nil
}

// counted are the numbers of objects in metrics, by resource and group.
func counted(metrics []byte) map[string]int64 {
	out := map[string]int64{}
	for line := range bytes.Lines(metrics) {
		m := objectLine.FindSubmatch(line)
		if m == nil {
			continue
		}
		labels := map[string]string{}
		for _, l := range labelPair.FindAllSubmatch(m[2], -1) {
			labels[string(l[1])] = string(l[2])
		}
		n, err := strconv.ParseFloat(string(m[3]), 64)
		if err != nil {
			continue
		}
		resource := labels["resource"]
		if group := labels["group"]; group != "" && !strings.HasSuffix(resource, "."+group) {
			resource += "." + group
		}
		out[resource] = int64(n)
	}
	return out
}
