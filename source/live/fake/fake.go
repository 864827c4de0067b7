package fake

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"

	"plimsoll.dev/source/live"
)

// Collection is the objects of a resource.
type Collection interface {
	Len() int
	// Item is an object as JSON.
	Item(i int) json.RawMessage
}

// Objects are a collection.
type Objects []json.RawMessage

// Len and Item are those of Collection.
func (o Objects) Len() int                   { return len(o) }
func (o Objects) Item(i int) json.RawMessage { return o[i] }

// Server is the API server. Its fields are set before the first request.
type Server struct {
	// Has are the collections, by resource with group, such as deployments.apps.
	Has map[string]Collection
	// Denied are resources, or paths such as /metrics, that the account may not read.
	Denied map[string]bool
	// Forgets are resources of which every list is forgotten after its first page; where it is true, without a token to
	// go on with.
	Forgets map[string]bool
	// Busy is how many requests are turned away before others are answered.
	Busy atomic.Int64
}

// New is a server with the objects of a list as kubectl writes it, and no others.
func New(in io.Reader) (*Server, error) {
	var list struct{ Items []json.RawMessage }
	if err := json.NewDecoder(in).Decode(&list); err != nil {
		return nil, err
	}
	s := &Server{Has: map[string]Collection{}, Denied: map[string]bool{}, Forgets: map[string]bool{}}
	for _, k := range live.Kinds { // a server without OpenShift
		if !strings.HasSuffix(k.Group, "openshift.io") && k.Name == "" {
			s.Has[k.Resource()] = Objects{}
		}
	}
	for _, item := range list.Items {
		var of struct {
			APIVersion, Kind string
			Metadata         struct{ Name string }
		}
		if err := json.Unmarshal(item, &of); err != nil {
			return nil, err
		}
		for _, k := range live.Kinds {
			if k.Kind == of.Kind && k.Group == groupOf(of.APIVersion) && (k.Name == "" || k.Name == of.Metadata.Name) {
				have, _ := s.Has[k.Resource()].(Objects)
				s.Has[k.Resource()] = append(have, item)
			}
		}
	}
	return s, nil
}

func groupOf(apiVersion string) string {
	group, _, grouped := strings.Cut(apiVersion, "/")
	if !grouped {
		return ""
	}
	return group
}

// Kubeconfig writes a file with a context for each address of a server, of which that of prod is the current one.
func Kubeconfig(file string, servers map[string]string) error {
	var clusters, contexts []any
	for name, address := range servers {
		clusters = append(clusters, map[string]any{"name": name, "cluster": map[string]any{"server": address}})
		contexts = append(contexts, map[string]any{"name": name, "context": map[string]any{"cluster": name, "user": "me"}})
	}
	text, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "Config", "current-context": "prod",
		"clusters": clusters, "contexts": contexts, "users": []any{map[string]any{"name": "me", "user": map[string]any{}}}})
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o600)
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if s.Busy.Add(-1) >= 0 {
		w.Header().Set("Retry-After", "0")
		status(w, http.StatusTooManyRequests, "TooManyRequests", "busy", "")
		return
	}
	switch path := q.URL.Path; {
	case path == "/metrics" && s.Denied[path]:
		status(w, http.StatusForbidden, "Forbidden", `forbidden: User "me" cannot get path "/metrics"`, "")
	case path == "/metrics":
		s.metrics(w)
	case path == "/apis":
		s.groups(w)
	case strings.Count(path, "/") == 2 && strings.HasPrefix(path, "/api/"):
		s.resources(w, "")
	case strings.Count(path, "/") == 3 && strings.HasPrefix(path, "/apis/"):
		s.resources(w, strings.Split(path, "/")[2])
	default:
		if !s.one(w, path) {
			s.list(w, q)
		}
	}
}

func status(w http.ResponseWriter, code int, reason, message, token string) {
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(map[string]any{"kind": "Status", "code": code, "reason": reason, "message": message,
		"metadata": map[string]any{"continue": token}})
}

// metrics are the server's own count, as Kubernetes 1.36 writes it.
func (s *Server) metrics(w io.Writer) {
	for _, k := range live.Kinds {
		if c := s.Has[k.Resource()]; c != nil {
			fmt.Fprintf(w, "apiserver_resource_objects{group=%q,resource=%q} %d\n", k.Group, k.Plural, c.Len())
		}
	}
}

func (s *Server) groups(w io.Writer) {
	var out []any
	for group := range s.kinds() {
		if group != "" {
			v := map[string]any{"groupVersion": group + "/v1", "version": "v1"}
			out = append(out, map[string]any{"name": group, "preferredVersion": v, "versions": []any{v}})
		}
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"kind": "APIGroupList", "groups": out})
}

// kinds that there are, by group.
func (s *Server) kinds() map[string][]live.Kind {
	out := map[string][]live.Kind{}
	for _, k := range live.Kinds {
		if s.Has[k.Resource()] != nil {
			out[k.Group] = append(out[k.Group], k)
		}
	}
	return out
}

func (s *Server) resources(w io.Writer, group string) {
	var out []any
	for _, k := range s.kinds()[group] {
		out = append(out, map[string]any{"name": k.Plural, "kind": k.Kind, "verbs": []string{"list"}})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"kind": "APIResourceList", "resources": out})
}

// one answers with the only object of a kind that is read by its name; false where the path is of none.
func (s *Server) one(w http.ResponseWriter, path string) bool {
	for _, k := range live.Kinds {
		if k.Name == "" || !strings.HasSuffix(path, "/namespaces/"+k.Namespace+"/"+k.Plural+"/"+k.Name) {
			continue
		}
		have, _ := s.Has[k.Resource()].(Objects)
		switch {
		case s.Denied[k.Resource()]:
			status(w, http.StatusForbidden, "Forbidden", fmt.Sprintf(
				`%s %q is forbidden: User "me" cannot get resource %q`, k.Plural, k.Name, k.Plural), "")
		case len(have) == 0:
			status(w, http.StatusNotFound, "NotFound", fmt.Sprintf("%s %q not found", k.Plural, k.Name), "")
		default:
			_, _ = w.Write(have[0])
		}
		return true
	}
	return false
}

// list answers with a page of a collection. An account without rights is not told that there is none.
func (s *Server) list(w http.ResponseWriter, q *http.Request) {
	parts := strings.Split(q.URL.Path, "/")
	group, plural := "", parts[len(parts)-1]
	if parts[1] == "apis" {
		group = parts[2]
	}
	k := live.Kind{Group: group, Plural: plural}
	c := s.Has[k.Resource()]
	token, limit := q.FormValue("continue"), q.FormValue("limit")
	from, _ := strconv.Atoi(strings.TrimPrefix(token, "later-"))
	switch {
	case s.Denied[k.Resource()] || c == nil && len(s.Denied) > 0:
		status(w, http.StatusForbidden, "Forbidden", fmt.Sprintf(
			`%s is forbidden: User "me" cannot list resource %q in API group %q at the cluster scope`, k.Resource(), plural,
			group), "")
		return
	case c == nil:
		status(w, http.StatusNotFound, "NotFound", "the server could not find the requested resource", "")
		return
	case from > 0 && !strings.HasPrefix(token, "later-"):
		if never, forgets := s.Forgets[k.Resource()]; forgets {
			next := "later-" + token
			if never {
				next = ""
			}
			status(w, http.StatusGone, "Expired", "the provided continue parameter is too old", next)
			return
		}
	}
	n, err := strconv.Atoi(limit)
	if err != nil {
		n = c.Len()
	}
	p := page{of: s.named(k), c: c, from: from, to: min(from+n, c.Len()), later: strings.HasPrefix(token, "later-"),
		partial: strings.Contains(q.Header.Get("Accept"), "PartialObjectMetadata")}
	p.write(w)
}

// named is the kind of a resource.
func (s *Server) named(of live.Kind) live.Kind {
	for _, k := range live.Kinds {
		if k.Resource() == of.Resource() {
			return k
		}
	}
	return of
}

// page is a part of a list.
type page struct {
	of             live.Kind
	c              Collection
	from, to       int
	later, partial bool
}

// write the page. Lists of a server's own kinds have their metadata first, and items that leave out their kind; those
// of custom resources the other way round.
func (p *page) write(w io.Writer) {
	meta := map[string]any{"resourceVersion": "1"}
	if p.to < p.c.Len() {
		token := strconv.Itoa(p.to)
		if p.later {
			token = "later-" + token
		}
		meta["continue"], meta["remainingItemCount"] = token, p.c.Len()-p.to
	}
	custom := strings.HasSuffix(p.of.Group, ".openshift.io")
	items := make([]json.RawMessage, 0, p.to-p.from)
	for i := p.from; i < p.to; i++ {
		items = append(items, p.item(p.c.Item(i), custom))
	}
	if custom {
		_ = json.NewEncoder(w).Encode(map[string]any{"kind": p.of.Kind + "List", "items": items, "metadata": meta})
		return
	}
	_ = json.NewEncoder(w).Encode(struct {
		Kind       string            `json:"kind"`
		APIVersion string            `json:"apiVersion"`
		Metadata   map[string]any    `json:"metadata"`
		Items      []json.RawMessage `json:"items"`
	}{p.of.Kind + "List", "v1", meta, items})
}

func (p *page) item(text json.RawMessage, custom bool) json.RawMessage {
	if custom && !p.partial {
		return text
	}
	o := map[string]json.RawMessage{}
	_ = json.Unmarshal(text, &o)
	if p.partial {
		o = map[string]json.RawMessage{"kind": json.RawMessage(`"PartialObjectMetadata"`), "metadata": o["metadata"]}
	} else {
		delete(o, "kind")
		delete(o, "apiVersion")
	}
	text, _ = json.Marshal(o)
	return text
}
