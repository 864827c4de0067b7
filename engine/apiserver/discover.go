package apiserver

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// Resource is how a kind is reached.
type Resource struct {
	APIVersion, Kind string
	// Name is the plural, such as "pods".
	Name       string
	Namespaced bool
	// deletable says that its objects can be listed and deleted.
	deletable bool
}

// Group of the resource's API; that of pods is empty.
func (r Resource) Group() string {
	group, _, grouped := strings.Cut(r.APIVersion, "/")
	if !grouped {
		return ""
	}
	return group
}

// Path of the resource's objects in a namespace, which counts only where they have one.
func (r Resource) Path(namespace string) string {
	path := "/apis/" + r.APIVersion
	if !strings.Contains(r.APIVersion, "/") {
		path = "/api/" + r.APIVersion
	}
	if r.Namespaced && namespace != "" {
		path += "/namespaces/" + url.PathEscape(namespace)
	}
	return path + "/" + r.Name
}

// Discovery knows which kinds a server has. It asks for each API group once.
type Discovery struct {
	client *Client
	mu     sync.Mutex
	groups map[string]map[string]Resource
}

// Discover begins to ask the server.
func (c *Client) Discover() *Discovery {
	return &Discovery{client: c, groups: map[string]map[string]Resource{}}
}

// Find is the resource of a kind; not found is no error.
func (d *Discovery) Find(ctx context.Context, apiVersion, kind string) (r Resource, found bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	known, asked := d.groups[apiVersion]
	if !asked {
		if known, err = d.ask(ctx, apiVersion); err != nil {
			return r, false, err
		}
		d.groups[apiVersion] = known
	}
	r, found = known[kind]
	return r, found, nil
}

// All are the resources of all groups, in the version that the server prefers, that can be listed and
// deleted.
func (d *Discovery) All(ctx context.Context) ([]Resource, error) {
	text, err := d.client.Do(ctx, Request{Method: http.MethodGet, Path: "/apis"})
	if err != nil {
		return nil, err
	}
	var list struct {
		Groups []struct{ PreferredVersion struct{ GroupVersion string } }
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, err
	}
	versions := []string{"v1"}
	for _, g := range list.Groups {
		versions = append(versions, g.PreferredVersion.GroupVersion)
	}
	var out []Resource
	for _, v := range versions {
		if _, _, err := d.Find(ctx, v, ""); err != nil {
			continue // a group whose server is away hides nothing of the others
		}
		for _, r := range d.groups[v] {
			if r.deletable {
				out = append(out, r)
			}
		}
	}
	return out, nil
}

func (d *Discovery) ask(ctx context.Context, apiVersion string) (map[string]Resource, error) {
	root := strings.TrimSuffix(Resource{APIVersion: apiVersion}.Path(""), "/")
	text, err := d.client.Do(ctx, Request{Method: http.MethodGet, Path: root})
	if Code(err) == http.StatusNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list struct {
		Resources []struct {
			Name, Kind string
			Namespaced bool
			Verbs      []string
		}
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, err
	}
	out := map[string]Resource{}
	for _, r := range list.Resources {
		if !strings.Contains(r.Name, "/") { // which are subresources
			out[r.Kind] = Resource{APIVersion: apiVersion, Kind: r.Kind, Name: r.Name, Namespaced: r.Namespaced,
				deletable: slices.Contains(r.Verbs, "list") && slices.Contains(r.Verbs, "delete")}
		}
	}
	return out, nil
}
