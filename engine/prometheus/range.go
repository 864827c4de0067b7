package prometheus

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Series are the values that an expression has in the course of a time.
type Series struct {
	Labels map[string]string
	Points []Point
}

// Point is a value at a moment.
type Point struct {
	At    time.Time
	Value float64
}

// Range is the value of an expression at each step from a moment to another, in the order of the labels. Values that
// are no numbers are left out: they are not seen.
func (c *Client) Range(ctx context.Context, expression string, from, to time.Time, step time.Duration) (
	[]Series, error) {
	code, text, err := c.post(ctx, "query_range", url.Values{"query": {expression}, "start": {moment(from)},
		"end": {moment(to)}, "step": {strconv.FormatFloat(step.Seconds(), 'f', 3, 64)}})
	if err != nil {
		return nil, err
	}
	a, err := read(code, text)
	if err != nil {
		return nil, err
	}
	var list []struct {
		Metric map[string]string
		Values []pair
	}
	if a.Data.ResultType != "matrix" {
		return nil, fmt.Errorf("Prometheus answers a %s, where a matrix was asked for", a.Data.ResultType)
	}
	if err := json.Unmarshal(a.Data.Result, &list); err != nil {
		return nil, fmt.Errorf("Prometheus: %w", err)
	}
	var out []Series
	for _, s := range list {
		one := Series{Labels: s.Metric}
		for _, p := range s.Values {
			if v := p.Value; !math.IsNaN(v) && !math.IsInf(v, 0) {
				one.Points = append(one.Points, Point(p))
			}
		}
		if len(one.Points) > 0 {
			out = append(out, one)
		}
	}
	Sort(out)
	return out, nil
}

// Sort puts series into the order of their labels.
func Sort(list []Series) {
	slices.SortFunc(list, func(a, b Series) int { return strings.Compare(fmt.Sprint(a.Labels), fmt.Sprint(b.Labels)) })
}

// pair is a point as it is sent: seconds, and a number that is text so that it may be NaN.
type pair Point

func (p *pair) UnmarshalJSON(text []byte) error {
	var at float64
	var number string
	if err := json.Unmarshal(text, &[]any{&at, &number}); err != nil {
		return err
	}
	f, err := strconv.ParseFloat(number, 64)
	p.At, p.Value = time.UnixMilli(int64(math.Round(at*1000))), f
	return err
}
