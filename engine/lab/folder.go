package lab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// The files of a folder.
const (
	configFile = "lab.json"
	nodesFile  = "nodes.json"
	lockFile   = "lock"  // locked while the process runs, with its pid
	readyFile  = "ready" // there while the laboratory is ready
	logFile    = "log"
	// TruthFile has a line of JSON for each pod that started: when, and with which delay.
	TruthFile = "truth.jsonl"
	// Kubeconfig is how any client finds the laboratory.
	Kubeconfig = "kubeconfig"
)

// Folder is where a laboratory keeps everything.
type Folder struct{ Dir string }

// Path is the path of one of its files.
func (f Folder) Path(name string) string { return filepath.Join(f.Dir, name) }

// Running is a process that runs a laboratory.
type Running struct {
	PID int `json:"pid"`
	// Started is the process's start in ticks since the boot, where the system says so.
	Started string `json:"started,omitempty"`
	// Port of the API on 127.0.0.1; 0 until it is ready.
	Port int `json:"port"`
	// Since is when it was ready, Seconds how long that took.
	Since   time.Time `json:"since"`
	Seconds float64   `json:"seconds"`
}

// Start says how a laboratory is started.
type Start struct {
	// Program is the path of plimsoll-lab.
	Program string
	// Config to run with; nil runs a folder that was kept as it was.
	Config *Config
	// Nodes to register; nil are those of the folder.
	Nodes []Node
	// Attached ends the laboratory with this process.
	Attached bool
	// Wait is the longest until it is ready.
	Wait time.Duration
}

// ErrRunning is the error of what needs a folder without a process.
var ErrRunning = errors.New("a laboratory runs in this folder already")

// Kept says that there is a laboratory in the folder, whether it runs or not.
func (f Folder) Kept() bool {
	_, err := os.Stat(f.Path(configFile))
	return err == nil
}

// Config is the one that the folder was made with.
func (f Folder) Config() (Config, error) {
	var c Config
	text, err := os.ReadFile(f.Path(configFile))
	if err == nil {
		err = json.Unmarshal(text, &c)
	}
	return c, err
}

// Up starts a laboratory and returns when it is ready; wait is closed when its process has
// ended. What did not get ready is stopped, and a folder that was made for it removed.
func (f Folder) Up(ctx context.Context, s Start) (up Running, wait <-chan struct{}, err error) {
	fresh := !f.Kept()
	if err := f.prepare(s); err != nil {
		return up, nil, err
	}
	p, err := f.launch(s)
	if err == nil {
		up, err = f.ready(ctx, p, s.Wait)
	}
	if err == nil {
		return up, p.ended, nil
	}
	if p != nil {
		p.end()
	}
	return up, nil, errors.Join(err, f.Down(context.WithoutCancel(ctx), !fresh))
}

// prepare writes what is to be run.
func (f Folder) prepare(s Start) error {
	if _, running := f.Running(); running {
		return fmt.Errorf("%s: %w", f.Dir, ErrRunning)
	}
	if !f.Kept() {
		entries, err := os.ReadDir(f.Dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if len(entries) > 0 {
			return fmt.Errorf("%s: is neither empty nor a laboratory's folder (name another with --dir)", f.Dir)
		}
		if s.Config == nil || s.Nodes == nil {
			return fmt.Errorf("%s: there is no laboratory that could be started again", f.Dir)
		}
	}
	if err := os.MkdirAll(f.Dir, 0o700); err != nil {
		return err
	}
	if err := os.Chmod(f.Dir, 0o700); err != nil { // it holds keys
		return err
	}
	if s.Nodes != nil {
		if err := f.write(nodesFile, map[string]any{"apiVersion": "v1", "kind": "NodeList", "items": s.Nodes}); err != nil {
			return err
		}
	}
	if s.Config == nil {
		return nil
	}
	return f.write(configFile, s.Config)
}

func (f Folder) write(name string, what any) error {
	text, err := json.Marshal(what)
	if err != nil {
		return err
	}
	staged := f.Path("." + name)
	if err := os.WriteFile(staged, append(text, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(staged, f.Path(name))
}

// launched is a process that was started here.
type launched struct {
	process *os.Process
	ended   <-chan struct{}
	err     error // once ended is closed
	// input of an attached laboratory, which ends with it.
	input io.Closer
}

// end ends a process that may not hold the lock yet.
func (p *launched) end() {
	if err := p.process.Signal(os.Interrupt); err == nil {
		select {
		case <-p.ended:
			return
		case <-time.After(ending):
		}
	}
	_ = p.process.Kill() // it has ended, or does so now
	<-p.ended
}

// launch starts the process in a session of its own, so that no terminal ends it.
func (f Folder) launch(s Start) (*launched, error) {
	log, err := os.OpenFile(f.Path(logFile), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	args := []string{f.Dir}
	if s.Attached {
		args = []string{"-attached", f.Dir}
	}
	c := exec.Command(s.Program, args...)
	c.Stdout, c.Stderr = log, log
	if err := session(c); err != nil {
		return nil, err
	}
	p := &launched{}
	if s.Attached { // closed when this process ends, whatever ends it
		if p.input, err = c.StdinPipe(); err != nil {
			return nil, err
		}
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	ended := make(chan struct{})
	p.process, p.ended = c.Process, ended
	go func() {
		p.err = c.Wait()
		close(ended)
	}()
	return p, nil
}

// ready waits for the file ready.
func (f Folder) ready(ctx context.Context, p *launched, most time.Duration) (Running, error) {
	late := time.After(most)
	for {
		if up, running := f.Running(); running && up.Port != 0 {
			return up, nil
		}
		select {
		case <-ctx.Done():
			return Running{}, fmt.Errorf("interrupted before the laboratory was ready: %w", ctx.Err())
		case <-p.ended:
			return Running{}, fmt.Errorf("the laboratory ended before it was ready (%v); it said last:\n%s", p.err, f.said())
		case <-late:
			return Running{}, fmt.Errorf("the laboratory was not ready within %s; it said last:\n%s", most, f.said())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// said are the last lines of the log.
func (f Folder) said() string {
	text, err := os.ReadFile(f.Path(logFile))
	if err != nil {
		return err.Error()
	}
	return last(string(text), 8)
}

// Running is the process that runs the folder's laboratory, if any does: the one that holds
// the lock.
func (f Folder) Running() (Running, bool) {
	var r Running
	if !locked(f.Path(lockFile)) {
		return r, false
	}
	if text, err := os.ReadFile(f.Path(lockFile)); err != nil || json.Unmarshal(text, &r) != nil {
		return r, true // it is just beginning
	}
	var up Running
	if text, err := os.ReadFile(f.Path(readyFile)); err == nil && json.Unmarshal(text, &up) == nil && up.PID == r.PID {
		r.Port, r.Since, r.Seconds = up.Port, up.Since, up.Seconds
	}
	return r, true
}

// ending is how long a laboratory may take to end when it is asked to; tests have no such patience.
var ending = 30 * time.Second

// Down ends the laboratory and, unless keep, removes its folder. One that does not end is
// killed. Where there is none nothing is done.
func (f Folder) Down(ctx context.Context, keep bool) error {
	if r, running := f.Running(); running {
		if err := f.stop(ctx, r); err != nil {
			return err
		}
	}
	if keep || !f.Kept() {
		return nil
	}
	return os.RemoveAll(f.Dir)
}

func (f Folder) stop(ctx context.Context, r Running) error {
	if r.PID <= 1 || startOf(r.PID) != r.Started {
		return fmt.Errorf("%s: is locked, and not by process %d that its file names", f.Path(lockFile), r.PID)
	}
	if err := interrupt(r.PID); err != nil {
		return err
	}
	if f.unlocked(ctx, ending) {
		return nil
	}
	if now, running := f.Running(); !running || now.PID != r.PID || startOf(r.PID) != r.Started {
		return nil
	}
	if err := kill(r.PID); err != nil {
		return err
	}
	if !f.unlocked(ctx, ending) {
		return fmt.Errorf("process %d does not end", r.PID)
	}
	return nil
}

// unlocked waits until no process holds the lock.
func (f Folder) unlocked(ctx context.Context, most time.Duration) bool {
	late := time.After(most)
	for locked(f.Path(lockFile)) {
		select {
		case <-late:
			return false
		case <-ctx.Done():
			return false
		case <-time.After(20 * time.Millisecond):
		}
	}
	return true
}

// startOf is the start of a process in ticks since the boot (proc(5), starttime); empty
// where the system does not say.
func startOf(pid int) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	const behind = 19 // starttime is field 22; pid and name stand before
	at := strings.LastIndex(string(text), ") ")
	if fields := strings.Fields(string(text[max(0, at+2):])); len(fields) > behind {
		return fields[behind]
	}
	return ""
}
