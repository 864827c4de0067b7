// Package prometheus asks a Prometheus, or what answers as one (Thanos), for the value of an expression
// at a moment, or in the course of a time.
//
// It knows no expressions and judges no values; who asks does. It scrapes nothing: what an API server
// tells of itself is read from its /metrics without a Prometheus.
//
//	c, err := prometheus.New(http.DefaultClient, "http://127.0.0.1:9090", "")
//	samples, err := c.Query(ctx, "etcd_mvcc_db_total_size_in_bytes", time.Now())
package prometheus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Client asks one server. It is safe for concurrent use.
type Client struct {
	http  *http.Client
	base  string
	token string
}

// New is a client of the server at base, such as "https://thanos.example", over h. A token is sent as
// the bearer of each request; it never goes over plain HTTP to another machine, nor to where a server redirects to.
func New(h *http.Client, base, token string) (*Client, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is no address of a Prometheus (write it like http://127.0.0.1:9090)", base)
	}
	if token != "" && u.Scheme == "http" && !slices.Contains([]string{"127.0.0.1", "::1", "localhost"}, u.Hostname()) {
		return nil, errors.New("a token is not sent over plain HTTP: give an https address")
	}
	direct := *h
	direct.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{http: &direct, base: strings.TrimSuffix(base, "/"), token: token}, nil
}

// Sample is a value and the labels that it is of.
type Sample struct {
	Labels map[string]string
	Value  float64
}

// maxAnswer bounds what is read of one answer: some ten thousand samples.
const maxAnswer = 16 << 20

// Query is the instant vector, or the scalar, that an expression of PromQL has at a moment, in the order of
// the labels. Values that are no numbers (a quantile of nothing) are left out: they are not seen.
func (c *Client) Query(ctx context.Context, expression string, at time.Time) ([]Sample, error) {
	code, text, err := c.post(ctx, "query", url.Values{"query": {expression}, "time": {moment(at)}})
	if err != nil {
		return nil, err
	}
	return decode(code, text)
}

// moment is a time as Prometheus takes it.
func moment(at time.Time) string {
	return strconv.FormatFloat(float64(at.UnixMilli())/1000, 'f', 3, 64)
}

// post asks for something, by a form: it has no bound on its length, as an address has.
func (c *Client) post(ctx context.Context, what string, form url.Values) (code int, text []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/api/v1/"+what, strings.NewReader(form.Encode()))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	text, err = io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err == nil && len(text) > maxAnswer {
		err = errors.New("the answer of Prometheus is too long")
	}
	return resp.StatusCode, text, err
}

// answer of the query API. Source: prometheus.io/docs/prometheus/latest/querying/api.
type answer struct {
	Status string
	Error  string
	Data   struct {
		ResultType string
		Result     json.RawMessage
	}
}

// read what answers, if it is a Prometheus and did what was asked.
func read(code int, text []byte) (answer, error) {
	var a answer
	if err := json.Unmarshal(text, &a); err != nil || a.Status == "" {
		return a, fmt.Errorf("what answers %d %s is no Prometheus", code, http.StatusText(code))
	}
	if a.Status != "success" {
		return a, errors.New("Prometheus: " + a.Error)
	}
	return a, nil
}

func decode(code int, text []byte) ([]Sample, error) {
	a, err := read(code, text)
	if err != nil {
		return nil, err
	}
	var list []struct {
		Metric map[string]string
		Value  value
	}
	switch a.Data.ResultType {
	case "vector":
		if err := json.Unmarshal(a.Data.Result, &list); err != nil {
			return nil, fmt.Errorf("Prometheus: %w", err)
		}
	case "scalar":
		list = make([]struct {
			Metric map[string]string
			Value  value
		}, 1)
		if err := json.Unmarshal(a.Data.Result, &list[0].Value); err != nil {
			return nil, fmt.Errorf("Prometheus: %w", err)
		}
	default:
		return nil, fmt.Errorf("Prometheus answers a %s, where a vector was asked for", a.Data.ResultType)
	}
	var out []Sample
	for _, s := range list {
		if v := float64(s.Value); !math.IsNaN(v) && !math.IsInf(v, 0) {
			out = append(out, Sample{s.Metric, v})
		}
	}
	slices.SortFunc(out, func(a, b Sample) int { return strings.Compare(fmt.Sprint(a.Labels), fmt.Sprint(b.Labels)) })
	return out, nil
}

// value is a pair of a time and a number, which is text so that it may be NaN.
type value float64

func (v *value) UnmarshalJSON(text []byte) error {
	var at float64
	var number string
	if err := json.Unmarshal(text, &[]any{&at, &number}); err != nil {
		return err
	}
	f, err := strconv.ParseFloat(number, 64)
	*v = value(f)
	return err
}
