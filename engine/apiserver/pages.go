package apiserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// PageSize is how many objects a page of a list has: the server takes as much for 500 as for more of them, and what
// else it has to do waits least. Limit 500 is kubectl's, too.
const PageSize = 500

// Page is a part of a list.
type Page struct {
	// Text is the list as the server wrote it.
	Text []byte
	// Left is how many objects come behind it, as the server counts them; 0 where it doesn't say.
	Left int64
}

// Pages hands the objects of a path to each, page by page; no page is asked for before the one before it was taken.
// Where a list takes longer than the server remembers it (410 Gone), the rest is of a later moment, which forgotten
// says: no object comes twice, and what was made or deleted meanwhile may be there or not. The error is that of the
// answer, or what each returns.
// Source: Kubernetes, API concepts, "Retrieving large results sets in chunks".
func (c *Client) Pages(ctx context.Context, r Request, each func(Page) error) (forgotten bool, err error) {
	query := url.Values{"limit": {strconv.Itoa(PageSize)}}
	maps.Copy(query, r.Query)
	for again := false; ; { // after the same page
		r.Method, r.Query = http.MethodGet, query
		text, err := c.Read(ctx, r)
		var gone *Error
		if errors.As(err, &gone) && gone.Code == http.StatusGone && gone.Continue != "" && !again {
			forgotten, again = true, true
			query.Set("continue", gone.Continue)
			continue
		}
		if err != nil {
			return forgotten, err
		}
		meta, err := metaOf(text)
		if err != nil {
			return forgotten, err
		}
		if err := each(Page{Text: text, Left: meta.RemainingItemCount}); err != nil || meta.Continue == "" {
			return forgotten, err
		}
		query.Set("continue", meta.Continue)
		again = false
	}
}

// listMeta is what a list says of itself.
type listMeta struct {
	Continue           string
	RemainingItemCount int64
}

// metaOf is the metadata of a list, which is read no further: it stands before the items of kinds that the server
// has itself, and behind those of custom resources.
func metaOf(list []byte) (out listMeta, err error) {
	d := jsontext.NewDecoder(bytes.NewBuffer(list))
	if d.PeekKind() != '{' {
		return out, errors.New("the API server answers with something that is no list")
	}
	if _, err := d.ReadToken(); err != nil {
		return out, err
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return out, err
		}
		if name.String() != "metadata" {
			if err := d.SkipValue(); err != nil {
				return out, err
			}
			continue
		}
		text, err := d.ReadValue()
		if err != nil {
			return out, err
		}
		return out, json.Unmarshal(text, &out)
	}
	return out, nil
}

// Count says how many objects of a path there are, without reading more than the metadata of one. A server that does
// not say how many are left, as before Kubernetes 1.15, gives an error.
func (c *Client) Count(ctx context.Context, path string) (int64, error) {
	text, err := c.Read(ctx, Request{Method: http.MethodGet, Path: path, Query: url.Values{"limit": {"1"}},
		Accept: AsMetadata})
	if err != nil {
		return 0, err
	}
	var list struct {
		Metadata listMeta
		Items    []struct{}
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return 0, err
	}
	if list.Metadata.Continue != "" && list.Metadata.RemainingItemCount == 0 {
		return 0, &Error{Code: http.StatusOK, Message: "the API server does not say how many there are"}
	}
	return list.Metadata.RemainingItemCount + int64(len(list.Items)), nil
}
