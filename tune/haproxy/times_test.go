package haproxy_test

import (
	"fmt"
	"math"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/release"
	"plimsoll.dev/tune/haproxy"
)

// nanoseconds are the units of times; days are HAProxy's alone, ns Go's.
var nanoseconds = map[string]int64{"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9, "h": 3600e9, "d": 86400e9}

// longest is the longest time that HAProxy counts, in nanoseconds.
var longest = big.NewInt(math.MaxInt32 * 1e6)

// timeText is a number with a unit: often near the longest time or Go's, else of any
// length.
func timeText(units ...string) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		name := rapid.SampledFrom(units).Draw(t, "unit")
		edge := rapid.SampledFrom([]int64{math.MaxInt32 * 1e6, math.MaxInt64 - 100}).Draw(t, "edge")
		number := strconv.FormatInt(edge/nanoseconds[name]+rapid.Int64Range(-2, 2).Draw(t, "beside"), 10)
		if rapid.Bool().Draw(t, "any") {
			number = rapid.StringMatching(`[1-9][0-9]{0,17}`).Draw(t, "number")
		}
		return number + name
	})
}

// exact is a time in nanoseconds, of a text that may be any length.
func exact(text string) *big.Int {
	number := strings.TrimRight(text, "numshd")
	n, _ := new(big.Int).SetString(number, 10)
	return n.Mul(n, big.NewInt(nanoseconds[text[len(number):]]))
}

// refused are the lines of a configuration that the real HAProxy does not take.
func refused(t *testing.T, program string, lines []string) map[int]bool {
	t.Helper()
	path := filepath.Join(t.TempDir(), "times.cfg")
	if err := os.WriteFile(path, []byte("defaults\n"+strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	said, _ := exec.Command(program, "-c", "-f", path).CombinedOutput()
	out := map[int]bool{}
	for _, m := range regexp.MustCompile(`times\.cfg:(\d+)\]`).FindAllSubmatch(said, -1) {
		line, _ := strconv.Atoi(string(m[1]))
		out[line-2] = true
	}
	if strings.Contains(string(said), "too many fatal errors") {
		t.Fatalf("%s", said)
	}
	return out
}

// TestHAProxyCountsAsWeDo: what Check says that HAProxy refuses is what the real one
// refuses, of times that the template hands on.
func TestHAProxyCountsAsWeDo(t *testing.T) {
	const each = 30 // HAProxy gives up at 50 faults
	binary, texts := program(t), timeText("us", "ms", "s", "m", "h", "d")
	both := map[bool]int{}
	for batch := range 10 {
		var lines, values []string
		for i := range each {
			values = append(values, texts.Example(batch*each+i))
			lines = append(lines, "  timeout client "+values[i])
		}
		real := refused(t, binary, lines)
		for i, v := range values {
			want := []string(nil)
			if real[i] {
				want = []string{"configurationRefused value"}
			}
			if got := ids(check(t, deployment("Deployment", "default", "ROUTER_DEFAULT_CLIENT_TIMEOUT="+v),
				release.Current)); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s: HAProxy refuses it: %v, but %v", v, real[i], got)
			}
			both[real[i]]++
		}
	}
	if both[true] < each || both[false] < each {
		t.Errorf("too few of a kind: %v", both)
	}
}

// TestHardStopIsExact compares with numbers of any length: the operator reads days
// as an int and other units as Go's duration, the template demands a number without
// sign or leading zero, and HAProxy counts to 2^31 milliseconds.
func TestHardStopIsExact(t *testing.T) {
	template := regexp.MustCompile(`^[1-9][0-9]*(us|ms|s|m|h|d)$`)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{"", "", "", "-", "+", "0"}).Draw(t, "before") +
			timeText("ns", "us", "ms", "s", "m", "h", "d").Draw(t, "time")
		operator := exact(text)
		if strings.HasSuffix(text, "d") {
			operator, _ = new(big.Int).SetString(strings.TrimSuffix(text, "d"), 10)
		}
		want := []string(nil)
		switch {
		case !operator.IsInt64(), !template.MatchString(text):
			want = []string{"hardStopIgnored annotations"}
		case exact(text).Cmp(longest) > 0:
			want = []string{"clamped annotations"}
		}
		if got := ids(check(t, ingress("", strconv.Quote(text)), release.Current)); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%s: %v, want %v", text, got, want)
		}
	})
}

// TestDurationsAreExact compares the fields of an IngressController with exact
// fractions: several parts, each with a unit.
func TestDurationsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sum, text := new(big.Rat), ""
		for range rapid.IntRange(1, 3).Draw(t, "parts") {
			name := rapid.SampledFrom([]string{"ns", "us", "ms", "s", "m", "h"}).Draw(t, "unit")
			part := rapid.StringMatching(`(0|[1-9][0-9]{0,8})(\.[0-9]{1,3})?`).Draw(t, "number")
			n, _ := new(big.Rat).SetString(part)
			sum.Add(sum, n.Mul(n, new(big.Rat).SetInt64(nanoseconds[name])))
			text += part + name
		}
		want := []string(nil)
		switch {
		case sum.Cmp(new(big.Rat).SetInt64(math.MaxInt64)) > 0:
			want = []string{"optionType connectTimeout"}
		case sum.Cmp(new(big.Rat).SetInt(new(big.Int).Add(longest, big.NewInt(3)))) > 0: // Go drops fractions of each part
			want = []string{"clamped connectTimeout"}
		case sum.Cmp(new(big.Rat).SetInt64(1000)) < 0:
			want = []string{"replacedByDefault connectTimeout"}
		}
		if got := ids(check(t, ingress("connectTimeout: "+text, ""), release.Current)); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%s: %v, want %v", text, got, want)
		}
	})
}

// TestBoundsOfTheInput: what HAProxy would refuse is refused before.
func TestBoundsOfTheInput(t *testing.T) {
	for field, set := range map[string]func(*haproxy.Input){
		"hardStop":       func(in *haproxy.Input) { in.HardStop = 2_147_484 },
		"largestHeader":  func(in *haproxy.Input) { in.LargestHeader = 268_435_456 },
		"changesPerHour": func(in *haproxy.Input) { in.ChangesPerHour = math.SmallestNonzeroFloat64 },
		"nic":            func(in *haproxy.Input) { in.NIC = 1 },
		"threads":        func(in *haproxy.Input) { in.Threads = 65 },
	} {
		in := mixed("4.17")
		set(&in)
		if problems := in.Problems(); len(problems) != 1 || !strings.HasPrefix(problems[0], field+": ") {
			t.Errorf("%s: %q", field, problems)
		}
	}
}
