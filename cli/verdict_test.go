package cli

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
)

// An answer that is good but for what is not known ends with 3, and says what that is.
func TestOpenVerdict(t *testing.T) {
	var told bytes.Buffer
	c := &tuning{app: &app{Streams: Streams{Err: &told}}}
	made := &v1alpha1.Answer{Verdict: v1alpha1.AnswerVerdict{OK: true, Open: []string{"the p99 of five"}}}
	var exit *exitError
	if err := c.verdict(made); !errors.As(err, &exit) || exit.code != ExitNegative ||
		!strings.Contains(told.String(), "exit code 3: not known: the p99 of five") {
		t.Errorf("%v, %q", err, told.String())
	}
	if made.Verdict.Open = nil; c.verdict(made) != nil {
		t.Errorf("%+v", made)
	}
}
