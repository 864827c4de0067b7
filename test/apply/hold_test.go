package apply

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"plimsoll.dev/engine/apply"
	"plimsoll.dev/internal/need"
)

// step is what to do to a node that is held, and what to look for after it.
type step struct {
	// do changes something and returns the profile to reload; nil ends.
	do func() string
	// want are values of the node before it is done.
	want map[string]string
}

// hold applies a profile and goes through the steps. The node is what it was then.
func hold(t *testing.T, n tree, opt apply.Options, steps []step) *apply.Result {
	t.Helper()
	before := listing(t, n.dir)
	r := holdUntil(t, n, opt, steps, nil)
	same(t, before, listing(t, n.dir))
	return r
}

// holdUntil does so, and ends with a cause.
func holdUntil(t *testing.T, n tree, opt apply.Options, steps []step, cause error) *apply.Result {
	t.Helper()
	need.Program(t, "/usr/sbin/tuned", "/usr/bin/tuned")
	ctx, stop := context.WithCancelCause(t.Context())
	defer time.AfterFunc(2*patience, func() { stop(nil) }).Stop()
	reload, at := make(chan string, 1), 0
	opt.Root, opt.Reload, opt.Timeout = n.dir, reload, patience
	r, err := apply.Apply(ctx, opt, func(e apply.Event) {
		if e.Result == nil || at == len(steps) {
			return
		}
		s := steps[at]
		at++
		for name, want := range s.want {
			if got := n.get(name); got != want {
				t.Errorf("step %d: %s is %s, not %s", at, name, got, want)
			}
		}
		if s.do == nil {
			stop(cause)
		} else {
			reload <- s.do()
		}
	})
	if err != nil || at < len(steps) {
		t.Fatalf("after %d of %d steps: %v", at, len(steps), err)
	}
	return r
}

// TestSection8_05_ParentOnlyChangeReloads: the operator of 4.4 missed it, because
// the text of the profile itself is the same. A reload reads all of them again.
func TestSection8_05_ParentOnlyChangeReloads(t *testing.T) {
	sources := set(t, map[string]string{"parent": "[sysctl]\nvm.swappiness=10\nkernel.panic=3\n",
		"child": "[main]\ninclude=parent\n[sysctl]\nvm.dirty_ratio=5\n"})
	change := func() string {
		if err := os.WriteFile(filepath.Join(sources, "parent", "tuned.conf"), []byte("[sysctl]\nvm.swappiness=20\n"),
			0o644); err != nil {
			t.Fatal(err)
		}
		return ""
	}
	r := hold(t, newNode(t, guest), apply.Options{Profile: "child", Sources: []string{sources}}, []step{
		{change, map[string]string{"proc/sys/vm/swappiness": "10", "proc/sys/vm/dirty_ratio": "5",
			"proc/sys/kernel/panic": "3"}},
		{nil, map[string]string{"proc/sys/vm/swappiness": "20", "proc/sys/vm/dirty_ratio": "5",
			"proc/sys/kernel/panic": "10"}},
	})
	if !r.OK() || *value(t, r, "vm.swappiness", "").Before != "60" {
		t.Errorf("%+v", r.Answer().Verdict)
	}
}

// TestASwitchTakesTheOldValuesBackFirst: from one profile to another and back,
// past one that doesn't exist.
func TestASwitchTakesTheOldValuesBackFirst(t *testing.T) {
	sources := set(t, map[string]string{"a": "[sysctl]\nvm.swappiness=10\n[vm]\ntransparent_hugepages=never\n",
		"b": "[sysctl]\nvm.dirty_ratio=5\nvm.swappiness=>100\n"})
	const swappiness, dirty, pages = "proc/sys/vm/swappiness", "proc/sys/vm/dirty_ratio",
		"sys/kernel/mm/transparent_hugepage/enabled"
	r := hold(t, newNode(t, guest), apply.Options{Profile: "a", Sources: []string{sources}}, []step{
		{func() string { return "b" }, map[string]string{swappiness: "10", dirty: "20", pages: "never"}},
		{func() string { return "nowhere" }, map[string]string{swappiness: "100", dirty: "5", pages: "always"}},
		{func() string { return "a" }, map[string]string{swappiness: "100", dirty: "5", pages: "always"}},
		{nil, map[string]string{swappiness: "10", dirty: "20", pages: "never"}},
	})
	if !r.OK() || r.Profile != "a" {
		t.Errorf("%+v", r.Answer().Verdict)
	}
}

// TestAReloadThatTuneDRefuses leaves the profile before it, whether TuneD finds fault when it reads the next one, or
// fails in the middle of it.
func TestAReloadThatTuneDRefuses(t *testing.T) {
	sources := set(t, map[string]string{"good": "[sysctl]\nvm.swappiness=10\nvm.dirty_ratio=5\n",
		"crash":  "[sysctl]\nvm.swappiness=20\nkernel.panic=3\n[net]\nmtu=9000\n",
		"assert": "[variables]\na=${f:assertion:there are two:${f:exec:/bin/echo:1}:2}\n[sysctl]\nvm.swappiness=30\n"})
	n := newNode(t, hardware{cpus: 1, nics: []string{"eno1"}})
	n.remove("sys/class/net/eno1/statistics/rx_bytes")
	good := map[string]string{"proc/sys/vm/swappiness": "10", "proc/sys/vm/dirty_ratio": "5",
		"proc/sys/kernel/panic": "10"}
	next := func(name string) func() string { return func() string { return name } }
	r := hold(t, n, apply.Options{Profile: "good", Sources: []string{sources}}, []step{
		{next("assert"), good}, {next("crash"), good}, {next("assert"), good}, {nil, good}})
	if !r.Applied || !r.Verified || !r.Restored || r.Profile != "good" {
		t.Errorf("%+v", r.Answer().Verdict)
	}
}

// TestAReloadAfterATakeOver comes to what it comes to without one: TuneD multiplies and compares what was before the
// run that is taken over, and a disk that is left out by now has that, too.
func TestAReloadAfterATakeOver(t *testing.T) {
	sources := set(t, map[string]string{
		"times": "[sysctl]\nvm.swappiness=10\n[disk]\nreadahead_multiply=4\n",
		"again": "[sysctl]\nvm.dirty_ratio=5\n[disk]\nreadahead_multiply=4\n",
		"all":   "[disk]\nreadahead=4096\n", "one": "[disk]\ndevices=sda\nreadahead=4096\n",
		"least": "[disk]\nreadahead=>1024\n"})
	values := func(swappiness, dirty, sda, sdb string) map[string]string {
		return map[string]string{"proc/sys/vm/swappiness": swappiness, "proc/sys/vm/dirty_ratio": dirty,
			"sys/block/sda/queue/read_ahead_kb": sda, "sys/block/sdb/queue/read_ahead_kb": sdb}
	}
	next := func(name string) func() string { return func() string { return name } }
	for _, takeOver := range []bool{false, true} {
		n := newNode(t, hardware{cpus: 1, disks: map[string]string{"sda": "scsi", "sdb": "scsi"}})
		opt := apply.Options{Profile: "times", Sources: []string{sources}, TakeOver: true}
		before, first := listing(t, n.dir), values("10", "20", "512", "512")
		if takeOver {
			holdUntil(t, n, opt, []step{{nil, first}}, apply.ErrKeep)
		}
		r := holdUntil(t, n, opt, []step{{next("again"), first}, {next("all"), values("60", "5", "512", "512")},
			{next("one"), values("60", "20", "4096", "4096")}, {nil, values("60", "20", "4096", "128")}}, apply.ErrKeep)
		if !r.Kept {
			t.Errorf("%+v", r.Answer().Verdict)
		}
		opt.Profile = "one"
		holdUntil(t, n, opt, []step{{next("least"), values("60", "20", "4096", "128")},
			{next("times"), values("60", "20", "1024", "1024")}, {nil, first}}, nil)
		same(t, before, listing(t, n.dir))
	}
}
