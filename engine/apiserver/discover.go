package apiserver

import (
	"cmp"
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
	all    map[string][]string // the versions of each group, once asked
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
	groups, err := d.client.groups(ctx)
	if err != nil {
		return nil, err
	}
	versions := []string{"v1"}
	for _, g := range groups {
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

// apiGroup is a group of the API, with the version that the server prefers among the others.
type apiGroup struct {
	Name             string
	Versions         []apiVersion
	PreferredVersion apiVersion
}

type apiVersion struct{ GroupVersion string }

func (c *Client) groups(ctx context.Context) ([]apiGroup, error) {
	text, err := c.answered(ctx, "/apis")
	if err != nil {
		return nil, err
	}
	var list struct{ Groups []apiGroup }
	return list.Groups, json.Unmarshal(text, &list)
}

// FindIn is the resource of a kind in whatever version of its group the server has, the preferred one first; not
// found is no error. Only this says that there is none: a list of a kind that does not exist is forbidden to an
// account without rights.
func (d *Discovery) FindIn(ctx context.Context, group, kind string) (r Resource, found bool, err error) {
	versions, err := d.versions(ctx, group)
	if err != nil {
		return r, false, err
	}
	for _, v := range versions {
		got, there, away := d.Find(ctx, v, kind)
		if there {
			return got, true, nil
		}
		err = cmp.Or(err, away, d.contradicted(v))
	}
	return r, false, err
}

// contradicted is an error where the server names a version of a group and then knows nothing of it, as others of its
// kind, or one behind it, may do for a while: nobody can say that its kinds are not there.
func (d *Discovery) contradicted(apiVersion string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if known, asked := d.groups[apiVersion]; !asked || known != nil {
		return nil
	}
	return &Error{Code: http.StatusNotFound,
		Message: apiVersion + " is named by the API server, which does not know its kinds"}
}

// versions of a group, the preferred one first; none where there is no such group.
func (d *Discovery) versions(ctx context.Context, group string) ([]string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if group == "" {
		return []string{"v1"}, nil
	}
	if d.all == nil {
		all, err := d.client.groups(ctx)
		if err != nil {
			return nil, err
		}
		d.all = map[string][]string{}
		for _, g := range all {
			d.all[g.Name] = []string{g.PreferredVersion.GroupVersion}
			for _, v := range g.Versions {
				if v != g.PreferredVersion {
					d.all[g.Name] = append(d.all[g.Name], v.GroupVersion)
				}
			}
		}
	}
	return d.all[group], nil
}

func (d *Discovery) ask(ctx context.Context, apiVersion string) (map[string]Resource, error) {
	root := strings.TrimSuffix(Resource{APIVersion: apiVersion}.Path(""), "/")
	text, err := d.client.answered(ctx, root)
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
	if list.Resources == nil {
		return nil, &Error{Code: http.StatusOK, Message: "what answers is no API server: no resources of " + apiVersion}
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
