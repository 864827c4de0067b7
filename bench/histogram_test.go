package bench

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Every time lies in its bucket, whose end is at most 1/64 above it, and buckets follow each other.
func TestBuckets(t *testing.T) {
	for i := range bucketOf(Unbounded) {
		if bucketOf(most(i)) != i || bucketOf(most(i)+1) != i+1 {
			t.Fatalf("bucket %d ends at %d", i, most(i))
		}
	}
	if most(bucketOf(Unbounded)) != Unbounded {
		t.Error("the last bucket ends too soon")
	}
	rapid.Check(t, func(t *rapid.T) {
		v := time.Duration(rapid.Int64Range(0, 1<<50).Draw(t, "v"))
		if end := most(bucketOf(v)); end < v || float64(end-v) > float64(v)/64 {
			t.Fatalf("%d is in the bucket to %d", v, end)
		}
	})
}

// Histograms of parts, merged, written and read again, are that of the whole, whose quantiles are the
// values' own to 1/64.
func TestHistogramTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		one := rapid.Map(rapid.Int64Range(0, 1<<40), func(i int64) time.Duration { return time.Duration(i) })
		values := rapid.SliceOfN(one, 1, 300).Draw(t, "values")
		cut := rapid.IntRange(0, len(values)).Draw(t, "cut")
		var a, b Histogram
		for i, v := range values {
			if i < cut {
				a.Add(v)
			} else {
				b.Add(v)
			}
		}
		text, err := json.Marshal(&b)
		if err != nil {
			t.Fatal(err)
		}
		var back Histogram
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if !reflect.DeepEqual(back.Summary(), b.Summary()) {
			t.Fatalf("%s", text)
		}
		a.Merge(&back)
		got, want := a.Summary(), Summarize(slices.Clone(values), 0)
		if got.N != want.N || got.Min != want.Min || got.Max != want.Max || (got.Mean-want.Mean).Abs() > 1 {
			t.Fatalf("%+v, want %+v", got, want)
		}
		for _, q := range [][2]Quantile{{got.P50, want.P50}, {got.P90, want.P90}, {got.P99, want.P99}} {
			if q[0].Known != q[1].Known || q[0].Value < q[1].Value ||
				float64(q[0].Value-q[1].Value) > float64(q[1].Value)/64 {
				t.Fatalf("%+v of %+v", q[0], q[1])
			}
		}
	})
}

func TestHistogramRefuses(t *testing.T) {
	for _, text := range []string{`{"counts":[[-1,1]]}`, `{"counts":[[99999,1]]}`, `{"counts":[[3,0]]}`,
		`{"min":3,"max":900,"counts":[[3,1]]}`} {
		if json.Unmarshal([]byte(text), new(Histogram)) == nil {
			t.Errorf("%s is read", text)
		}
	}
}
