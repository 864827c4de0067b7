package apply

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TuneD 2.20 lists /sys/block as soon as a profile has a section for disks, and
// applies nothing when it can't: that is told before it starts.
func TestANodeWithoutBlockDevicesIsToldBefore(t *testing.T) {
	const disks = "vm.swappiness=10\n[any]\ntype=disk\ndevices=sda\nreadahead=4096\n"
	for name, c := range map[string]struct {
		body string
		make string
		want bool
	}{
		"no directory":      {disks, "", false},
		"an empty one":      {disks, "sys/block", true},
		"no disks":          {"vm.swappiness=10\n", "", true},
		"a section for net": {"vm.swappiness=10\n[net]\nmtu=9000\n", "", true},
		"not enabled":       {disks + "enabled=false\n", "", true},
	} {
		dir := simulated(t)
		if c.make != "" {
			if err := os.MkdirAll(filepath.Join(dir, c.make), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		f := &fake{t: t}
		_, err := Apply(t.Context(), Options{Profile: "p", Root: dir,
			Sources: []string{profiles(t, map[string]string{"p": c.body})}, Once: true, Runner: f}, nil)
		if c.want != (err == nil) || c.want != (f.started > 0) {
			t.Errorf("%s: started %d times, %v", name, f.started, err)
			continue
		}
		if err == nil {
			continue
		}
		for _, want := range []string{dir, "sys/block is no directory", "profile p", "[any]",
			"sys/class/net, sys/bus and sys/devices/system/cpu"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v does not name %s", name, err, want)
			}
		}
	}
}

// What a small node lacks is one finding, not dozens; the values stay apart.
func TestMissingSettingsAreToldTogether(t *testing.T) {
	missing := func(section, option, note string) Value {
		return Value{Section: section, Plugin: section, Option: option, State: Missing, Note: note}
	}
	skipped := func(option, note string) Value {
		return Value{Section: "sysfs", Plugin: "sysfs", Option: option, State: Skipped, Note: note}
	}
	r := Result{Applied: true, Restored: true, Values: []Value{missing("sysctl", "vm.a", "no a"),
		skipped("/sys/x", "nothing there"), missing("sysctl", "vm.b", "no b"),
		missing("vm", "pages", ""), skipped("/sys/y", "another reason"), skipped("/sys/z", "nothing there")}}
	var got []string
	for _, f := range r.Findings() {
		got = append(got, string(f.Severity)+" "+f.ID+" "+f.Message)
	}
	want := []string{
		"error apply.valueMissing 3 settings are not on the node: sysctl vm.a, vm.b, vm pages",
		"warning apply.valueSkipped 2 settings are left alone (sysfs /sys/x, /sys/z): nothing there",
		"warning apply.valueSkipped sysfs /sys/y is left alone: another reason",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	var many []Value
	for range 50 {
		many = append(many, missing("sysctl", "vm.a", ""))
	}
	if got := (&Result{Applied: true, Restored: true, Values: many}).Findings()[0].Message; !strings.HasPrefix(got,
		"50 settings are not") || !strings.HasSuffix(got, "vm.a, and 10 more") {
		t.Error(got)
	}
}

// A profile for disks does not take the place of one that is held.
func TestReloadOfAProfileForDisks(t *testing.T) {
	dir, reload := simulated(t), make(chan string, 1)
	source := profiles(t, map[string]string{"p": "vm.swappiness=10\n", "q": "vm.swappiness=20\n[disk]\nreadahead=4096\n"})
	ctx, stop := context.WithCancel(t.Context())
	var refused []string
	f := &fake{t: t}
	r, err := Apply(ctx, Options{Profile: "p", Root: dir, Sources: []string{source}, Reload: reload, Runner: f},
		func(e Event) {
			switch {
			case e.Problem != nil:
				refused = append(refused, e.Problem.Error())
			case e.Result != nil && refused == nil:
				reload <- "q"
			case e.Result != nil:
				stop()
			}
		})
	if err != nil || !r.OK() || r.Profile != "p" || f.reloads != 0 || len(refused) != 1 ||
		!strings.Contains(refused[0], "profile q is not applied, p stays: ") || !strings.Contains(refused[0], "sys/block") {
		t.Errorf("%v, profile %s, %d reloads, %q", err, r.Profile, f.reloads, refused)
	}
}
