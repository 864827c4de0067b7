package apply

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"plimsoll.dev/cli"
	"plimsoll.dev/engine/apply"
)

// helperVariable makes the test binary apply a profile, as a program would: its
// value is an errand as JSON.
const helperVariable = "PLIMSOLL_APPLY"

// errand is what the program is told.
type errand struct {
	Profile, Root     string
	Sources           []string
	Once, ThisMachine bool
	Timeout           time.Duration
	State             string
	// Until is the beginning of a line of TuneD's log at which "held" is written, where
	// it is not to be when the values are held.
	Until string
	// Again reloads the profile when it is held, and ends when it is again, or could not be.
	Again bool
}

func (e errand) options() apply.Options {
	return apply.Options{Profile: e.Profile, Root: e.Root, Sources: e.Sources, Once: e.Once, ThisMachine: e.ThisMachine,
		Timeout: e.Timeout, State: e.State}
}

// commandVariable makes the test binary the program itself, with its arguments.
const commandVariable = "PLIMSOLL_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(commandVariable) != "" {
		os.Exit(cli.Run(context.Background(), cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, os.Args, os.Getenv))
	}
	if text := os.Getenv(helperVariable); text != "" {
		os.Exit(help(text))
	}
	os.Exit(m.Run())
}

// help applies a profile until it is interrupted, and writes the result as JSON.
func help(text string) int {
	var told errand
	if err := json.Unmarshal([]byte(text), &told); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	opt, reload := told.options(), make(chan string, 1)
	opt.Reload = reload
	holds := 0
	r, err := apply.Apply(ctx, opt, func(e apply.Event) {
		if e.Problem != nil {
			fmt.Fprintln(os.Stderr, e.Problem)
		}
		if told.Again && e.Result != nil {
			if holds++; holds > 1 {
				stop()
			} else {
				reload <- ""
			}
			return
		}
		if told.Until == "" && e.Phase == apply.Holding && e.Result != nil || told.Until != "" &&
			e.Line != nil && strings.HasPrefix(e.Line.Text, told.Until) {
			fmt.Println("held")
		}
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	json.NewEncoder(os.Stdout).Encode(r)
	return 0
}

// program is the test binary as a program that applies a profile.
func program(t *testing.T, e errand, attr *syscall.SysProcAttr) *exec.Cmd {
	t.Helper()
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), helperVariable+"="+string(text))
	cmd.SysProcAttr = attr
	return cmd
}

// command is "plimsoll tune apply" with arguments, whose temporary files are in a
// directory of its own.
func command(t *testing.T, scratch string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, append([]string{"tune", "apply"}, args...)...)
	cmd.Args[0] = "plimsoll"
	cmd.Env = append(os.Environ(), commandVariable+"=1", "TMPDIR="+scratch)
	return cmd
}

// result runs a program to its end.
func result(t *testing.T, cmd *exec.Cmd) *apply.Result {
	t.Helper()
	r, fault := tryResult(t, cmd)
	if fault != "" {
		t.Fatal(fault)
	}
	return r
}

// tryResult does so, and says why a program failed.
func tryResult(t *testing.T, cmd *exec.Cmd) (r *apply.Result, fault string) {
	t.Helper()
	var faults strings.Builder
	cmd.Stderr = &faults
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Sprintf("%v: %s", err, faults.String())
	}
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	return r, ""
}

// held starts a program and waits until it holds the profile.
func held(t *testing.T, cmd *exec.Cmd) io.Reader {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	lines := bufio.NewReader(out)
	if line, err := lines.ReadString('\n'); line != "held\n" {
		t.Fatalf("the program says %q, %v", line, err)
	}
	return lines
}

// runningWith are the processes whose command line has a word.
func runningWith(t *testing.T, word string) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range files {
		if line, err := os.ReadFile(f); err == nil && strings.Contains(string(line), word) {
			out = append(out, strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return out
}

// eventually waits for something that happens elsewhere.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if done() {
			return
		}
	}
	t.Fatalf("%s does not happen within %v", what, patience)
}

// mounts are those of this process that name one of the directories: others may come
// and go meanwhile.
func mounts(t *testing.T, dirs ...string) string {
	t.Helper()
	text, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		t.Fatal(err)
	}
	out := ""
	for line := range strings.Lines(string(text)) {
		for _, dir := range dirs {
			if strings.Contains(line, dir) {
				out += line
			}
		}
	}
	return out
}

// own is a name that no other run of the tests on this machine has.
func own(name string) string { return fmt.Sprintf("%s-%d", name, os.Getpid()) }
