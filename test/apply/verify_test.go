package apply

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"plimsoll.dev/engine/apply"
	"plimsoll.dev/internal/need"
)

// busConfig is a system bus of its own, for a TuneD and its tuned-adm alone.
const busConfig = `<busconfig><type>system</type><listen>unix:path=/run/dbus/system_bus_socket</listen><auth>EXTERNAL</auth>
<policy context="default"><allow user="*"/><allow own="*"/><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/></policy></busconfig>
`

// verification lets TuneD verify by itself, which it does for D-Bus alone: in
// namespaces of its own, over the same node, with a bus of its own.
const verification = `
mount --bind "$NODE/proc" /proc
mount --bind "$NODE/sys" /sys
mount --bind "$DIR/etc" /etc/tuned
mount -t tmpfs none /run
mkdir -p /run/tuned /run/dbus
await() { i=0; until "$@" || [ $i = 1800 ]; do sleep 0.1; i=$((i + 1)); done; }
dbus-daemon --config-file="$DIR/bus.conf" --nofork & bus=$!
await test -S /run/dbus/system_bus_socket
/usr/sbin/tuned --profile p 2>"$DIR/log" & tuned=$!
await grep -q "static tuning from profile" "$DIR/log"
verdict=0
tuned-adm verify || verdict=$?
echo "verdict $verdict"
kill $tuned
wait $tuned || true
kill $bus
`

// texts that profiles and kernels have as values, and some that neither has.
var valueTexts = []string{"0", "00", "1", "01", "10", "0x10", "a", "0a", "ff", "00ff", "1 2", "1\t2", "1  2", "5", "-1",
	"4294967296", "1,2", "0,1", "00,01", "0-3",
	"yes", "no", "None", "none", "x|y", "1|2", "a | b", "b", "2", "18446744073709551616", "1.5", "+3", "3", "1_0",
	"0000000,00000001", "y", "|"}

// limits are values with an operator, and what looks like one.
var limits = []string{">5", "<5", ">0", "<0", ">a", "<1 2", ">", "<", ">-3", "=5", ">>5", "> 5", "<0x10"}

// TestVerdictsAreThoseOfTuneDsOwnVerification: hundreds of random values, each
// compared by this project and by "tuned-adm verify".
func TestVerdictsAreThoseOfTuneDsOwnVerification(t *testing.T) {
	for _, p := range []string{"dbus-daemon", "tuned-adm", "unshare"} {
		need.Program(t, p, "/usr/sbin/"+p)
	}
	random := rand.New(rand.NewPCG(13, 20))
	var profile, script strings.Builder
	script.WriteString("#!/bin/sh\n[ \"$1\" = start ] || exit 0\n")
	n, twin := newNode(t, metal), newNode(t, metal)
	for _, plugin := range []string{"sysctl", "sysfs"} {
		fmt.Fprintf(&profile, "[%s]\n", plugin)
		for i := range 300 {
			key, path := fmt.Sprintf("random.v%d", i), fmt.Sprintf("proc/sys/random/v%d", i)
			if plugin == "sysfs" {
				key = fmt.Sprintf("/sys/random/v%d", i)
				path = key[1:]
			}
			want, now := pick(random, valueTexts), pick(random, valueTexts)
			if plugin == "sysctl" && random.IntN(4) == 0 {
				want = pick(random, limits)
			}
			if random.IntN(8) == 0 {
				want = `"` + want + `"`
			}
			if random.IntN(3) == 0 {
				now = strings.Trim(want, `"<>`)
			}
			fmt.Fprintf(&profile, "%s=%s\n", key, want)
			if plugin == "sysfs" || random.IntN(20) > 0 { // some sysctls don't exist
				for _, node := range []tree{n, twin} {
					node.file(path, "7\n")
				}
				fmt.Fprintf(&script, "printf '%%s\\n' '%s' >/%s\n", now, path)
			}
		}
	}
	// The last section disturbs what the others have set, and is applied last.
	profile.WriteString("[script]\npriority=9\nscript=${i:PROFILE_DIR}/disturb.sh\n")
	sources := set(t, map[string]string{"p": profile.String()})
	if err := os.WriteFile(filepath.Join(sources, "p", "disturb.sh"), []byte(script.String()), 0o755); err != nil {
		t.Fatal(err)
	}
	want, r := ask(t, twin, sources), applied(t, n, apply.Options{Profile: "p", Sources: []string{sources}})
	compared := 0
	for _, v := range r.Values {
		verdict, told := want[v.Option]
		if !told { // TuneD says nothing of limits that hold
			verdict = true
		}
		if v.Plugin == "script" || v.State == apply.Missing && strings.Trim(v.Want, `"<>`) == "None" {
			continue // TuneD takes a setting that is not there for the text None
		}
		compared++
		if ok := v.State == apply.Changed || v.State == apply.Kept; ok != verdict {
			t.Errorf("%s: wants %q, has %v: TuneD says %t, this %s", v.Option, v.Want, shown(v.After), verdict, v.State)
		}
	}
	if compared < 590 || len(want) < 500 {
		t.Errorf("%d values were compared, of which TuneD tells %d", compared, len(want))
	}
}

func pick(random *rand.Rand, list []string) string { return list[random.IntN(len(list))] }

func shown(v *string) string {
	if v == nil {
		return "no file"
	}
	return fmt.Sprintf("%q", *v)
}

var verdictLine = regexp.MustCompile(`verify: (passed|failed): '([^']+)' =`)

// ask returns what TuneD's own verification says of each option.
func ask(t *testing.T, n tree, sources string) map[string]bool {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "etc"), os.DirFS(sources)); err != nil {
		t.Fatal(err)
	}
	os.Chmod(filepath.Join(dir, "etc/p/disturb.sh"), 0o755)
	for name, text := range map[string]string{"etc/tuned-main.conf": "daemon=1\ndynamic_tuning=0\nsleep_interval=1\n",
		"bus.conf": busConfig, "log": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork", "--net", "--kill-child",
		"sh", "-ec", verification)
	cmd.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8", "SYSTEMD_DEVICE_VERIFY_SYSFS=0",
		"NODE=" + n.dir, "DIR=" + dir}
	out, err := cmd.CombinedOutput()
	log, _ := os.ReadFile(filepath.Join(dir, "log"))
	if err != nil || !bytes.Contains(out, []byte("verdict 1")) {
		t.Fatalf("%v: %s\n%s", err, out, log)
	}
	verdicts := map[string]bool{}
	for _, m := range verdictLine.FindAllSubmatch(log, -1) {
		verdicts[string(m[2])] = string(m[1]) == "passed"
	}
	return verdicts
}
