package apiserver

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Event is a change of an object, or its state when the watch began.
type Event struct {
	// Type is ADDED, MODIFIED or DELETED.
	Type string
	// Object as JSON, and when it was read, by the caller's clock. Of what was gone when all had to be listed anew
	// it is no more than its name, namespace, UID and owners.
	Object json.RawMessage
	Seen   time.Time
}

// watching is one watch that is kept up.
type watching struct {
	client  *Client
	path    string
	query   url.Values
	version string
	each    func(Event)
	listed  func()
	// there are the objects that are, by UID.
	there map[string]identity
}

// identity is what an object is known by, and the version of what is told of it.
type identity struct {
	Name            string          `json:"name"`
	Namespace       string          `json:"namespace,omitempty"`
	UID             string          `json:"uid"`
	OwnerReferences json.RawMessage `json:"ownerReferences,omitempty"`
	ResourceVersion string          `json:"resourceVersion,omitempty"`
}

// identified is an object of which no more than that is known.
type identified struct {
	Metadata identity `json:"metadata"`
}

// Watch calls each for every object under a path, then listed, and then each for all that changes, until
// the context ends. A watch that breaks off is taken up where it was; where the server has forgotten
// that, all objects are told anew as ADDED, those that are gone as DELETED, and listed is called again. It returns
// an error only where the first list fails, or the caller may not watch.
func (c *Client) Watch(ctx context.Context, path string, query url.Values, listed func(), each func(Event)) error {
	w := &watching{client: c, path: path, query: query, each: each, listed: listed, there: map[string]identity{}}
	if err := w.list(ctx); err != nil {
		return err
	}
	for ctx.Err() == nil {
		err := w.follow(ctx)
		code := Code(err)
		switch {
		case err == nil:
			continue
		case code == http.StatusForbidden || code == http.StatusUnauthorized:
			return err
		case Wait(ctx, time.Now().Add(100*time.Millisecond)) != nil:
			return nil
		case code == 0 && !errors.Is(err, errExpired): // it broke off, or nobody answers
			continue
		}
		if w.list(ctx) != nil {
			_ = Wait(ctx, time.Now().Add(time.Second)) // the context ends the loop
		}
	}
	return nil
}

// list tells all objects, in pages, and where to watch on from.
func (w *watching) list(ctx context.Context) error {
	query, before := url.Values{"limit": {strconv.Itoa(PageSize)}}, maps.Clone(w.there)
	for name, values := range w.query {
		query[name] = values
	}
	for {
		text, err := w.client.Do(ctx, Request{Method: http.MethodGet, Path: w.path, Query: query})
		if err != nil {
			return err
		}
		var page struct {
			Metadata struct{ ResourceVersion, Continue string }
			Items    []json.RawMessage
		}
		if err := json.Unmarshal(text, &page); err != nil {
			return err
		}
		now := time.Now()
		for _, item := range page.Items {
			var o identified
			if err := json.Unmarshal(item, &o); err != nil {
				return err
			}
			delete(before, o.Metadata.UID)
			w.tell(Event{Type: "ADDED", Object: item, Seen: now}, o.Metadata)
		}
		w.version = page.Metadata.ResourceVersion
		if page.Metadata.Continue == "" {
			if err := w.gone(before, now); err != nil {
				return err
			}
			if w.listed != nil {
				w.listed()
			}
			return nil
		}
		query.Set("continue", page.Metadata.Continue)
	}
}

// gone tells that objects are no longer there.
func (w *watching) gone(objects map[string]identity, seen time.Time) error {
	for _, o := range objects {
		text, err := json.Marshal(identified{o})
		if err != nil {
			return err
		}
		w.tell(Event{Type: "DELETED", Object: text, Seen: seen}, o)
	}
	return nil
}

// tell an event, and keep what is there.
func (w *watching) tell(e Event, o identity) {
	if e.Type == "DELETED" {
		delete(w.there, o.UID)
	} else {
		w.there[o.UID] = o
	}
	w.each(e)
}

// errExpired says that a watch can't go on from where it was: the server has forgotten that version.
var errExpired = errors.New("the watch has expired")

// maxLine is more than an object may take.
const maxLine = 16 << 20

// follow reads one watch to its end, which is an error where all must be listed again.
func (w *watching) follow(ctx context.Context) error {
	query := url.Values{"watch": {"1"}, "resourceVersion": {w.version}, "allowWatchBookmarks": {"true"}}
	for name, values := range w.query {
		query[name] = values
	}
	answer, err := w.client.send(ctx, Request{Method: http.MethodGet, Path: w.path, Query: query})
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	return w.lines(answer.Body)
}

func (w *watching) lines(in io.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 64<<10), maxLine)
	for lines.Scan() {
		seen := time.Now()
		var e struct {
			Type   string
			Object json.RawMessage
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return err
		}
		if e.Type == "ERROR" {
			return errExpired
		}
		var o identified
		if err := json.Unmarshal(e.Object, &o); err != nil {
			return err
		}
		w.version = o.Metadata.ResourceVersion
		if e.Type != "BOOKMARK" {
			w.tell(Event{Type: e.Type, Object: e.Object, Seen: seen}, o.Metadata)
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return errExpired // a list has no lines
	}
	return lines.Err()
}
