package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/engine/apiserver"
)

// Reader reads one cluster, once.
type Reader struct {
	Client *apiserver.Client
	// Progress is told how many objects of a resource were read, and how many there are, which is 0 where the server
	// does not say; nil is none.
	Progress func(resource string, done, total int64)
	// Only says which kinds are read; nil is all.
	Only func(Kind) bool
	// Rights prints those with which all that is asked for may be read; "" is by Only.
	Rights string
	// Nameless tells of what could not be seen by the code of the answer alone: its words hold accounts, roles, addresses.
	Nameless bool
	// Take, where it is set, gets each object instead of w, as encoding/json makes it, and last v1alpha1.Seen.
	Take func(o map[string]any) error
}

// Write writes the lists of all kinds one behind the other, and v1alpha1.Seen as the last object. An answer of the
// server that keeps a kind back is no error but told there; the error is that of the network, of w, or of an account
// that the server does not know.
func (r Reader) Write(ctx context.Context, w io.Writer) error {
	read := &reading{Reader: r, discovery: r.Client.Discover(), out: w,
		seen: v1alpha1.Seen{APIVersion: v1alpha1.APIVersion, Kind: v1alpha1.KindSeen, Counts: map[string]int64{},
			Taken: time.Now().UTC().Format(time.RFC3339)}}
	for _, k := range Kinds {
		var err error
		switch {
		case r.Only != nil && !r.Only(k):
		case k.How == Counted:
			err = read.count(ctx, k)
		case k.Name != "":
			err = read.one(ctx, k)
		default:
			err = read.list(ctx, k)
		}
		if err != nil {
			return err
		}
	}
	text, err := json.Marshal(read.seen)
	if err != nil {
		return err
	}
	return read.hand(text, apiserver.Resource{})
}

// reading is one run of a Reader.
type reading struct {
	Reader
	discovery *apiserver.Discovery
	out       io.Writer
	seen      v1alpha1.Seen
	metrics   map[string]int64 // objects of each resource by the server's own account, once asked
}

// list writes the objects of a kind.
func (r *reading) list(ctx context.Context, k Kind) error {
	resource, there, err := r.discovery.FindIn(ctx, k.Group, k.Kind)
	if err != nil || !there {
		return r.seenOf(k, there, 0, err)
	}
	var done, total int64
	request := apiserver.Request{Path: resource.Path("")}
	if k.How == Metadata {
		request.Accept = apiserver.AsMetadata
	}
	later, err := r.Client.Pages(ctx, request, func(p apiserver.Page) error {
		if total == 0 && p.Left > 0 {
			total = apiserver.PageSize + p.Left
		}
		if done += apiserver.PageSize; total > 0 {
			done = total - p.Left
		}
		if r.Progress != nil {
			r.Progress(k.Resource(), done, total)
		}
		return r.write(resource, k, p.Text)
	})
	if later {
		r.seen.Later = append(r.seen.Later, k.Resource())
	}
	return r.seenOf(k, true, done, err)
}

// one writes the only object of a kind that is read, which is OpenShift's: elsewhere nobody is asked for it. Where
// there is none, that is seen.
func (r *reading) one(ctx context.Context, k Kind) error {
	if _, there, err := r.discovery.FindIn(ctx, "config.openshift.io", "ClusterVersion"); err != nil || !there {
		return r.seenOf(k, there, 0, err)
	}
	resource, there, err := r.discovery.FindIn(ctx, k.Group, k.Kind)
	if err != nil || !there {
		return r.seenOf(k, there, 0, err)
	}
	text, err := r.Client.Read(ctx,
		apiserver.Request{Method: http.MethodGet, Path: resource.Path(k.Namespace) + "/" + k.Name})
	if err == nil {
		err = r.hand(text, resource)
	} else if apiserver.Code(err) == http.StatusNotFound {
		err = nil
	}
	return r.seenOf(k, true, 0, err)
}

// seenOf keeps what became of a kind.
func (r *reading) seenOf(k Kind, there bool, done int64, err error) error {
	switch {
	case err != nil:
		return r.notSeen(k, done, err)
	case there:
		r.seen.Read = append(r.seen.Read, k.Resource())
	default:
		r.seen.Absent = append(r.seen.Absent, k.Resource())
	}
	return nil
}

// rights are those with which all that is asked for may be read: without a choice of kinds that is what an audit reads.
func (r *reading) rights() string {
	switch {
	case r.Rights != "":
		return r.Rights
	case r.Only == nil:
		return "plimsoll rbac audit"
	}
	return "plimsoll rbac plan"
}

// write a page: as it came, or no more than the metadata of its objects.
func (r *reading) write(of apiserver.Resource, k Kind, page []byte) error {
	if k.How == Whole {
		return r.hand(page, of)
	}
	var list struct{ Items []thing }
	if err := json.Unmarshal(page, &list); err != nil {
		return err
	}
	for i := range list.Items {
		list.Items[i].APIVersion, list.Items[i].Kind = of.APIVersion, of.Kind
	}
	text, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": list.Items})
	if err != nil {
		return err
	}
	return r.hand(text, of)
}

// hand on an object or a list: as text, or object by object.
func (r *reading) hand(text []byte, of apiserver.Resource) error {
	if r.Take == nil {
		_, err := r.out.Write(append(text, '\n'))
		return err
	}
	var o map[string]any
	if err := json.Unmarshal(text, &o); err != nil {
		return err
	}
	items, list := o["items"].([]any)
	if !list {
		return r.Take(o)
	}
	for _, item := range items {
		if item, ok := item.(map[string]any); ok {
			item["apiVersion"], item["kind"] = of.APIVersion, of.Kind
			if err := r.Take(item); err != nil {
				return err
			}
		}
	}
	return nil
}

// thing is an object of which only the metadata is kept, and of that no more than counts.
type thing struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name            string          `json:"name"`
		Namespace       string          `json:"namespace,omitempty"`
		OwnerReferences json.RawMessage `json:"ownerReferences,omitempty"`
	} `json:"metadata"`
}

// notSeen keeps what the server answers in place of a list, after so many objects of it. What is no answer of its own
// to this question stays an error.
func (r *reading) notSeen(k Kind, after int64, err error) error {
	var said *apiserver.Error
	if !errors.As(err, &said) || said.Code == http.StatusUnauthorized {
		return err
	}
	if r.Nameless && said.Code != http.StatusOK {
		said = &apiserver.Error{Code: said.Code}
	}
	why := "not seen: " + said.Error()
	if after > 0 {
		why = fmt.Sprintf("only the first %d seen: %s", after, said)
	}
	if said.Code == http.StatusForbidden {
		why += fmt.Sprintf(" (%q prints the rights that suffice)", r.rights())
	}
	r.seen.NotSeen = append(r.seen.NotSeen, v1alpha1.NotSeen{What: k.Resource(), Why: why, Audit: k.Audit})
	return nil
}
