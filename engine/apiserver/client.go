package apiserver

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"plimsoll.dev/internal/words"
)

// Client sends requests to one API server. It is safe for concurrent use.
type Client struct {
	http *http.Client
	base string
}

// ErrNone says that nothing names a cluster.
var ErrNone = errors.New("no kubeconfig names a cluster")

// contextsNamed is how many contexts are named where there is none of the name that was given.
const contextsNamed = 10

// Connect reads the kubeconfig file, or where it is empty what KUBECONFIG and the home directory
// have, and takes the context named, or the current one. The error is ErrNone where there is no kubeconfig.
func Connect(file, contextName string) (*Client, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = file
	loaded := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules,
		&clientcmd.ConfigOverrides{CurrentContext: contextName})
	config, err := loaded.ClientConfig()
	switch {
	case clientcmd.IsEmptyConfig(err):
		return nil, ErrNone
	case err != nil:
		if raw, bad := loaded.RawConfig(); bad == nil && contextName != "" && raw.Contexts[contextName] == nil {
			have := words.Some(slices.Sorted(maps.Keys(raw.Contexts)), contextsNamed)
			return nil, fmt.Errorf("%w (the kubeconfig has %s)", err, cmp.Or(have, "none"))
		}
		return nil, err
	}
	config.QPS, config.UserAgent = -1, "plimsoll"
	h, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	return New(h, config.Host), nil
}

// Contexts are the names of contexts that Connect may be given, of the same kubeconfig file. No server is asked.
func Contexts(file string) ([]string, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath, rules.WarnIfAllMissing = file, false
	config, err := rules.Load()
	if err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(config.Contexts)), nil
}

// New is a client of the server at base, such as "https://127.0.0.1:6443", over h.
func New(h *http.Client, base string) *Client {
	return &Client{http: h, base: strings.TrimSuffix(base, "/")}
}

// Server is the address of the server, to be shown: without the account that it may hold.
func (c *Client) Server() string {
	at, err := url.Parse(c.base)
	if err != nil || at.User == nil {
		return c.base
	}
	at.User = nil
	return at.String()
}

// AsMetadata is a type to accept: of a list the metadata alone, where the server can do that.
const AsMetadata = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"

// Request is one request.
type Request struct {
	Method, Path string
	Query        url.Values
	Body         []byte
	// Accept is the type of the answer; empty is JSON.
	Accept string
}

// Error is an answer that is no success.
type Error struct {
	// Code of HTTP; Reason and Message of the Status that the server sent, if it sent one.
	Code            int
	Reason, Message string
	// RetryAfter is how long the server wants to be left alone.
	RetryAfter time.Duration
	// Continue is, with code 410, the token that the rest of a list is read with.
	Continue string
}

func (e *Error) Error() string {
	if e.Message == "" {
		return fmt.Sprintf("the API server answers %d %s", e.Code, http.StatusText(e.Code))
	}
	return e.Message
}

// Code is the code of an answer that is no success, or 0.
func Code(err error) int {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return 0
}

// Outdated says that the server has met a newer version of something than it counted with, as of a quota that
// others change at the same time; the same request may succeed later. What exists already is not meant. Source:
// kubernetes, staging/src/k8s.io/apiserver/pkg/admission/plugin/resourcequota.
func Outdated(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == http.StatusConflict && e.Reason == "Conflict"
}

// maxAnswer bounds what is read of one answer.
const maxAnswer = 1 << 30

// Do sends a request and returns the body of the answer. The error is an Error where the server
// answered.
func (c *Client) Do(ctx context.Context, r Request) ([]byte, error) {
	answer, err := c.send(ctx, r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	return io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
}

// send returns the answer of a request, whose body is to be closed; no success is an error.
func (c *Client) send(ctx context.Context, r Request) (*http.Response, error) {
	address := c.base + r.Path
	if len(r.Query) > 0 {
		address += "?" + r.Query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, address, bytes.NewReader(r.Body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", cmp.Or(r.Accept, "application/json"))
	if len(r.Body) > 0 {
		req.Header.Set("Content-Type", "application/json")
	}
	answer, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode/100 == 2 {
		return answer, nil
	}
	defer answer.Body.Close()
	return nil, errorOf(answer)
}

func errorOf(answer *http.Response) error {
	e := &Error{Code: answer.StatusCode}
	var status struct {
		Reason, Message string
		Metadata        struct{ Continue string }
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	if err == nil && json.Unmarshal(text, &status) == nil {
		e.Reason, e.Message, e.Continue = status.Reason, status.Message, status.Metadata.Continue
	}
	if s, err := strconv.Atoi(answer.Header.Get("Retry-After")); err == nil {
		e.RetryAfter = time.Duration(s) * time.Second
	}
	return e
}

// Kubeconfig is the context of a kubeconfig that Connect would take, whole: without other contexts and without
// references to files. A program that gives credentials would not be there elsewhere, so that it is an error.
func Kubeconfig(file, contextName string) ([]byte, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = file
	config, err := rules.Load()
	if err != nil {
		return nil, err
	}
	config.CurrentContext = cmp.Or(contextName, config.CurrentContext)
	if err := errors.Join(clientcmdapi.MinifyConfig(config), clientcmdapi.FlattenConfig(config)); err != nil {
		return nil, err
	}
	for name, user := range config.AuthInfos {
		if user.Exec != nil || user.AuthProvider != nil {
			return nil, fmt.Errorf("user %s gets credentials from a program, which others don't have: give a kubeconfig "+
				"with a token or a certificate", name)
		}
	}
	return clientcmd.Write(*config)
}
