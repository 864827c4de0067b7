//go:build unix

package lab

import (
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The test binary is the laboratory where this is set: what it does wrong.
const fake = "PLIMSOLL_FAKE_LAB"

func TestMain(m *testing.M) {
	if how, is := os.LookupEnv(fake); is {
		laboratory(how)
	}
	os.Exit(m.Run())
}

// laboratory holds the lock and says that it is ready, as the real one does.
func laboratory(how string) {
	dir := os.Args[len(os.Args)-1]
	if how == "dies" {
		fmt.Fprintln(os.Stderr, "no port is free")
		os.Exit(1)
	}
	lock, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err == nil {
		err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX)
	}
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGTERM, os.Interrupt)
	r := Running{PID: os.Getpid(), Started: startOf(os.Getpid())}
	if err == nil {
		err = json.NewEncoder(lock).Encode(r)
	}
	r.Port, r.Since = 1, time.Now()
	if text, _ := json.Marshal(r); err == nil && how != "hangs" {
		err = os.WriteFile(filepath.Join(dir, readyFile), text, 0o600)
	}
	if err != nil {
		panic(err)
	}
	if os.Args[1] == "-attached" {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}
	for range ended {
		if how != "stubborn" {
			os.Remove(filepath.Join(dir, readyFile))
			os.Exit(0)
		}
	}
}

// up starts a laboratory that does wrong what how says.
func up(t *testing.T, f Folder, how string) (Running, error) {
	t.Helper()
	t.Setenv(fake, how)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r, _, err := f.Up(t.Context(), Start{Program: self, Config: &Config{Profile: Fast, Platform: "kubernetes"},
		Nodes: Plain(3, NodeType{CPUs: 1, Memory: 1 << 30, Pods: 10}), Wait: 2 * time.Second})
	t.Cleanup(func() {
		if err := f.Down(t.Context(), false); err != nil && !errors.Is(err, t.Context().Err()) {
			t.Error(err)
		}
	})
	return r, err
}

func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

func TestUpAndDown(t *testing.T) {
	f := Folder{Dir: filepath.Join(t.TempDir(), "lab")}
	r, err := up(t, f, "")
	if err != nil {
		t.Fatal(err)
	}
	if now, running := f.Running(); !running || now.PID != r.PID || !alive(r.PID) {
		t.Errorf("%+v does not run: %+v", r, now)
	}
	if info, err := os.Stat(f.Dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("others may look into the folder: %v, %v", info.Mode(), err)
	}
	if _, err := up(t, f, ""); !errors.Is(err, ErrRunning) {
		t.Errorf("a second start: %v", err)
	}
	if err := f.Down(t.Context(), true); err != nil || !f.Kept() {
		t.Errorf("down with keep: %v", err)
	}
	if s, err := f.Status(t.Context(), time.Now()); err != nil || s.State != Stopped {
		t.Errorf("a kept one is %+v, %v", s, err)
	}
	if _, _, err := f.Up(t.Context(), Start{Program: os.Args[0], Wait: 2 * time.Second}); err != nil {
		t.Errorf("a kept one does not start: %v", err)
	}
	if err := f.Down(t.Context(), false); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(f.Dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is left: %v", err)
	}
	if err := f.Down(t.Context(), false); err != nil {
		t.Errorf("down where there is none: %v", err)
	}
}

// What does not get ready is ended, says why, and leaves nothing.
func TestStartThatFails(t *testing.T) {
	for how, want := range map[string]string{"dies": "no port is free", "hangs": "was not ready within 2s"} {
		f := Folder{Dir: filepath.Join(t.TempDir(), "lab")}
		if _, err := up(t, f, how); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", how, err)
		}
		if _, err := os.Stat(f.Dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: the folder is left: %v", how, err)
		}
	}
}

// A process that has the pid of the laboratory, and is another one, is left alone; so is a
// folder of somebody else.
func TestOthersAreLeftAlone(t *testing.T) {
	dir := t.TempDir()
	f := Folder{Dir: dir}
	if err := os.WriteFile(f.Path("mine"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := up(t, f, ""); err == nil {
		t.Error("a folder with other files is taken")
	}
	if err := f.Down(t.Context(), false); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(f.Path("mine")); err != nil {
		t.Errorf("a file of others is gone: %v", err)
	}
	lab := Folder{Dir: filepath.Join(dir, "lab")}
	r, err := up(t, lab, "")
	if err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(lab.Path(lockFile))
	if err != nil {
		t.Fatal(err)
	}
	wrong := strings.Replace(string(written), `"started":"`, `"started":"1`, 1)
	if wrong == string(written) {
		t.Skip("this system does not tell when a process started")
	}
	for _, text := range []string{wrong, string(written)} {
		if err := os.WriteFile(lab.Path(lockFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		err := lab.Down(t.Context(), false)
		if (err == nil) != (text == string(written)) || alive(r.PID) && err == nil {
			t.Errorf("lock file %s: %v", text, err)
		}
	}
}

func TestAttachedOneEndsWithItsStarter(t *testing.T) {
	f := Folder{Dir: filepath.Join(t.TempDir(), "lab")}
	t.Setenv(fake, "")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := f.prepare(Start{Config: &Config{}, Nodes: []Node{}}); err != nil {
		t.Fatal(err)
	}
	p, err := f.launch(Start{Program: self, Attached: true})
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-p.ended:
		t.Error("it ended by itself")
	case <-time.After(100 * time.Millisecond):
	}
	if err := p.input.Close(); err != nil { // as the end of this process would
		t.Error(err)
	}
	select {
	case <-p.ended:
	case <-time.After(10 * time.Second):
		t.Error("it goes on")
		p.end()
	}
}

// One that does not end when asked to is killed.
func TestStubborn(t *testing.T) {
	before := ending
	ending = 500 * time.Millisecond
	defer func() { ending = before }()
	f := Folder{Dir: filepath.Join(t.TempDir(), "lab")}
	r, err := up(t, f, "stubborn")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Down(t.Context(), false); err != nil || f.Kept() {
		t.Errorf("process %d: %v", r.PID, err)
	}
}

// The status is read from tables as an API server makes them.
func TestStatuses(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer secret" || !strings.Contains(r.Header.Get("Accept"), "as=Table") {
			http.Error(w, "no", http.StatusForbidden)
			return
		}
		rows := `{"cells":["a","1/1","Running"]},{"cells":["b","0/1","Pending"]},{"cells":["c","1/1","Running"]}`
		fmt.Fprintf(w, `{"columnDefinitions":[{"name":"Name"},{"name":"Ready"},{"name":"Status"}],"rows":[%s]}`, rows)
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "kubeconfig")
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	encoded, err := json.Marshal(ca)
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("clusters:\n- cluster: {server: %q, certificate-authority-data: %s}\n"+
		"users:\n- user: {token: secret}\n",
		server.URL, encoded)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := newClient(file)
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.statuses(t.Context(), "/api/v1/pods")
	if err != nil || got["Running"] != 2 || got["Pending"] != 1 {
		t.Errorf("%v, %v", got, err)
	}
	c.token = "other"
	if _, err := c.statuses(t.Context(), "/api/v1/pods"); err == nil || !strings.Contains(err.Error(), "403") {
		t.Errorf("a refusal: %v", err)
	}
}

func TestVerdictOfAStatus(t *testing.T) {
	s := &Status{State: Ready, Nodes: map[string]int{"Ready": 9, "NotReady": 1}, Pods: map[string]int{"Running": 3}}
	if a := s.Answer(); a.Verdict.OK || a.Verdict.Problem != "1 node is not ready" {
		t.Errorf("%+v", a.Verdict)
	}
	s.Nodes = map[string]int{"Ready": 10}
	if a := s.Answer(); !a.Verdict.OK || a.Verdict.Summary != "10 of 10 nodes ready, 3 of 3 pods running." {
		t.Errorf("%+v", a.Verdict)
	}
}
