package apply

import (
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// TestAnotherTuneDIsSeen in whatever container it runs.
func TestAnotherTuneDIsSeen(t *testing.T) {
	for command, want := range map[string]bool{
		"/usr/sbin/tuned --no-dbus": true, "/usr/bin/python3 -Es /usr/sbin/tuned -l -P": true,
		"/usr/libexec/platform-python -Es /usr/sbin/tuned": true, "openshift-tuned -v=0": true,
		"/usr/bin/cluster-node-tuning-operator ocp-tuned --in-cluster": true,
		"cluster-node-tuning-operator -v=0":                            false, "": false,
		"python3 /usr/sbin/tuned-adm active": false, "cat /usr/sbin/tuned": false, "python3": false,
	} {
		if got := isTuned(strings.Split(command, " ")); got != want {
			t.Errorf("%s: %t", command, got)
		}
	}
	cmd := exec.Command("/bin/sleep", "60")
	cmd.Args[0] = "/usr/sbin/tuned"
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	if pid := otherTuned("/proc"); pid != strconv.Itoa(cmd.Process.Pid) {
		t.Errorf("process %d is not seen, but %q", cmd.Process.Pid, pid)
	}
}
