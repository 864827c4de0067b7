package apply

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plimsoll.dev/engine/apply"
	"plimsoll.dev/internal/need"
)

// hangTime is how long a script that hangs is waited for, and applying before it.
const hangTime = 8 * time.Second

// hanging is a profile of the name whose script never ends when it is started, or
// stopped; running finds its TuneD and its script.
func hanging(t *testing.T, name, word string) (sources string, running func() []string) {
	t.Helper()
	sources = set(t, map[string]string{
		name: "[sysctl]\nvm.swappiness=10\n[script]\npriority=9\nscript=${i:PROFILE_DIR}/hang.sh\n",
	})
	seconds := fmt.Sprintf("9%09d", time.Now().UnixNano()%1e9)
	text := "#!/bin/sh\n[ $1 = " + word + " ] || exit 0\nexec sleep " + seconds + "\n"
	if err := os.WriteFile(filepath.Join(sources, name, "hang.sh"), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return sources, func() []string { return append(runningWith(t, name), runningWith(t, "sleep\x00"+seconds)...) }
}

// hung begins the line of TuneD's log before a script is started.
const hung = "calling script"

// TestAScriptThatHangs is ended, the values are put back, and nothing runs on.
func TestAScriptThatHangs(t *testing.T) {
	need.Program(t, "/usr/sbin/tuned", "/usr/bin/tuned")
	for _, word := range []string{"start", "stop"} {
		t.Run(word, func(t *testing.T) {
			t.Parallel()
			name := own("hangs-at-" + word)
			sources, running := hanging(t, name, word)
			n := newNode(t, guest)
			before := listing(t, n.dir)
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			r, err := apply.Apply(ctx, apply.Options{Profile: name, Root: n.dir, Sources: []string{sources}, Timeout: hangTime},
				func(e apply.Event) {
					if e.Line != nil && word == "start" && strings.HasPrefix(e.Line.Text, hung) || e.Result != nil {
						stop() // as somebody does who doesn't wait
					}
				})
			if r == nil {
				t.Fatal(err)
			}
			if (err != nil) != (word == "start") || r.Applied != (word == "stop") || !r.Killed || r.RolledBack || !r.Restored {
				t.Errorf("%v, %+v", err, r)
			}
			if found := ids(r); found[len(found)-1] != "apply.notRolledBack" || found[len(found)-2] != "apply.notEnded" {
				t.Errorf("%v", found)
			}
			same(t, before, listing(t, n.dir))
			if left := running(); len(left) > 0 {
				t.Errorf("these run on: %q", left)
			}
		})
	}
}

// TestTheCallerIsKilledWhileAScriptHangs: nobody is there to put the values back, but
// neither TuneD nor its script runs on.
func TestTheCallerIsKilledWhileAScriptHangs(t *testing.T) {
	need.Program(t, "/usr/sbin/tuned", "/usr/bin/tuned")
	t.Parallel()
	name := own("abandoned")
	sources, running := hanging(t, name, "start")
	n := newNode(t, guest)
	cmd := program(t, errand{Profile: name, Root: n.dir, Sources: []string{sources}, Timeout: hangTime, Until: hung}, nil)
	cmd.Env = append(cmd.Env, "TMPDIR="+t.TempDir()) // its files stay
	held(t, cmd)
	if len(running()) == 0 {
		t.Error("nothing runs")
	}
	cmd.Process.Kill()
	eventually(t, "the end of TuneD and of its script", func() bool { return len(running()) == 0 })
}

// TestFilesOfARunMayHaveARelativePath: TuneD is started in another directory.
func TestFilesOfARunMayHaveARelativePath(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("TMPDIR", ".")
	r := applied(t, newNode(t, guest),
		apply.Options{Profile: "p", Sources: []string{set(t, map[string]string{"p": "[sysctl]\nvm.swappiness=10\n"})}})
	if !r.OK() {
		t.Errorf("%+v", r)
	}
}
