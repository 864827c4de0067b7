package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// speed is what a client reached.
type speed struct {
	rate           float64       // objects a second
	server, client time.Duration // CPU time for each
}

// request is one kind of request that is measured.
type request struct {
	what, quiet string
	n, flight   int
	one         func(i int) error
}

// api measures the API server alone: pods are of no scheduler.
func (b *bench) api(ctx context.Context, client kubernetes.Interface, s *status) error {
	bare, err := newBare(s.Kubeconfig)
	if err != nil {
		return err
	}
	if err := b.namespace(ctx, client, "api"); err != nil {
		return err
	}
	for _, r := range b.requests(ctx, client, bare) {
		if _, err := b.measure(s, r); err != nil {
			return fmt.Errorf("%s: %w", r.what, err)
		}
	}
	return nil
}

func (b *bench) requests(ctx context.Context, client kubernetes.Interface, bare *bareClient) []request {
	const pods, maps = "/api/v1/namespaces/api/pods", "/api/v1/namespaces/api/configmaps"
	configMap := func(i int) error {
		_, err := client.CoreV1().ConfigMaps("api").Create(ctx, &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("cm-%d", i)}, Data: map[string]string{"key": "value"}},
			metav1.CreateOptions{})
		return err
	}
	post := func(path, accept, name, body string) func(int) error {
		return func(i int) error {
			return bare.do(ctx, http.MethodPost, path, accept, fmt.Appendf(nil, body, name, i), http.StatusCreated)
		}
	}
	const podBody = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"%s-%d"},"spec":{"schedulerName":"none",` +
		`"containers":[{"name":"c","image":"none"}]}}`
	const mapBody = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"%s-%d"},"data":{"key":"value"}}`
	get := func(path, accept string, want int) func(int) error {
		return func(int) error { return bare.do(ctx, http.MethodGet, path, accept, nil, want) }
	}
	all, some := b.cms, max(1, b.cms/5)
	return []request{
		{"ConfigMaps, client-go", "2676/s; 9.9, 33 ms; 563 + 127 us", all, b.flight, configMap},
		{"ConfigMaps, bare HTTP/2", "2581/s; 9.7, 42 ms; 610 + 100 us", all, b.flight, post(maps, "", "bare", mapBody)},
		{"GET of a ConfigMap", "2990/s; 8.1, 47 ms; 292 + 53 us", all, b.flight, get(maps+"/cm-0", "", http.StatusOK)},
		{"refused at the door (406)", "7900/s; 3.5, 11 ms; 93 + 40 us", all, b.flight,
			get(maps+"/cm-0", "text/none", http.StatusNotAcceptable)},
		{"pods, bare HTTP/2, 1 in flight", "588/s; 1.2, 9.8 ms; 1406 + 306 us", some, 1, post(pods, "", "one", podBody)},
		{"pods, 8 in flight", "965/s; 5.9 ms; 1020 us", some, 8, post(pods, "", "eight", podBody)},
		{fmt.Sprintf("pods, %d in flight", b.flight), "1050/s; 21.9, 112 ms; 948 + 100 us", all, b.flight,
			post(pods, "", "pod", podBody)},
		{"pods, 100 in flight", "1087/s; 64 ms; 928 us", some, 100, post(pods, "", "hundred", podBody)},
		{"pods, answers of metadata only", "1216/s; 20.7, 89 ms; 876 + 84 us", some, b.flight,
			post(pods, "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1", "meta", podBody)},
		{fmt.Sprintf("LIST of %d pods", all+4*some), "5/s for 5000; 200, 238 ms; 127000 us", 10, 1,
			get(pods+"?resourceVersion=0", "", http.StatusOK)},
	}
}

// measure one kind of request: rate; the time that half and 99 of 100 take; CPU of server and client.
func (b *bench) measure(s *status, r request) (speed, error) {
	began, server, client := time.Now(), cpu(s.PID), own()
	took, err := create(r.n, r.flight, r.one)
	each := time.Duration(r.n)
	got := speed{float64(r.n) / time.Since(began).Seconds(), (cpu(s.PID) - server) / each, (own() - client) / each}
	if err == nil && r.what != "" {
		b.row(r.what, r.quiet, "%.0f/s; %.1f, %.0f ms; %d + %d us", got.rate, milliseconds(took[r.n/2]),
			milliseconds(took[r.n*99/100]), got.server.Microseconds(), got.client.Microseconds())
	}
	return got, err
}
