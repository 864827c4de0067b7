// Package apiserver talks to a Kubernetes API server: create, get, list, delete and watch, for any
// kind that the server knows, as JSON.
//
// It knows no kinds and holds no cache; engine/load says what to create. Access is what a kubeconfig
// says, with client-go reading it; there is no limit of requests but the caller's.
//
//	c, err := apiserver.Connect("", "")
//	body, err := c.Do(ctx, apiserver.Request{Method: "GET", Path: "/api/v1/namespaces/default"})
package apiserver
