//go:build linux

package ends

import (
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"plimsoll.dev/bench/measure"
	"plimsoll.dev/unit"
)

const echo = "plimsoll: an echo"

func init() {
	Role(echo, func(in io.Reader, out io.Writer) int {
		for orders := json.NewDecoder(in); ; {
			var order string
			if orders.Decode(&order) != nil {
				return 0
			}
			if order == "fail" {
				os.Stderr.WriteString("the last words")
				return 1
			}
			json.NewEncoder(out).Encode(order + " on " + Allowed().String())
		}
	})
}

// An end runs where it was told to, answers, and is gone when it is stopped; its last words are told.
func TestEnd(t *testing.T) {
	one := unit.CPUSetOf(slices.Collect(Allowed().All())[0])
	p, err := Begin(t.Context(), Spot{CPUs: one}, echo)
	if err != nil {
		t.Fatal(err)
	}
	var said string
	if err := p.Ask("hello", &said); err != nil || said != "hello on "+one.String() {
		t.Errorf("%q %v", said, err)
	}
	if _, ok := Of(p.PID); !ok {
		t.Error("it has no account")
	}
	if err := p.Ask("fail", &said); err == nil || !strings.Contains(err.Error(), "the last words") {
		t.Error(err)
	}
	p.Stop()
	if _, ok := Of(p.PID); ok {
		t.Error("it is still there")
	}
}

func TestAccounts(t *testing.T) {
	stat := "cpu  100 25 300 5000 7 25 50 75 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n"
	want := measure.CPU{User: 1.25, System: 3, SoftIRQ: 0.75, Steal: 0.75}
	if got := machineCPU([]byte(stat)); got != want {
		t.Errorf("%+v", got)
	}
	machineCPU(nil)
	machineCPU([]byte("cpu"))
	for began := time.Now(); time.Since(began) < 50*time.Millisecond; {
		Work()
	}
	if own, ok := Of(os.Getpid()); !ok || own.Busy() <= 0 || own.Busy() > Machine().Busy() {
		t.Errorf("%+v of %+v", own, Machine())
	}
}
