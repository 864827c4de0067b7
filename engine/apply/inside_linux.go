package apply

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
	"time"
)

// insideName is the name by which the program starts itself inside a node.
//
// Mounts must be made between entering the namespaces and starting TuneD, and
// Go runs no code between clone and exec. So the program itself is started in the
// new namespaces, makes the mounts and watches over TuneD. A shell with unshare and
// mount could do that, too, but its errors would be texts among TuneD's own, and
// nobody would stop TuneD when the caller is killed. The name, and not a hidden
// command, decides: it works the same in every program and test that has this package.
const insideName = "plimsoll: node"

// The files that the inside finds open beside the standard ones.
const (
	orderFile  = 3 // one JSON document; its end means that the caller is gone
	reportFile = 4 // reports as JSON, one after the other
	aliveFile  = 5 // held open as long as anything of the run lives
)

// order says what to set up and start inside.
type order struct {
	// Stage is an empty directory of the machine to build the node's root on.
	Stage string
	// Node is the directory of a simulated node; empty for this machine.
	Node string
	// NodeID is which directory that is.
	NodeID [2]uint64
	// Config is the directory that stands at /etc/tuned, Tools one of programs.
	Config, Tools string
	// Argv and Env start TuneD.
	Argv, Env []string
	// Patience is how long TuneD may take to roll back when the caller is gone.
	Patience time.Duration
}

// report tells the caller how far the inside has come.
type report struct {
	// Started is set once TuneD runs.
	Started bool `json:"started,omitempty"`
	// Fault says why it couldn't be started.
	Fault string `json:"fault,omitempty"`
	// Ended is set once it doesn't run any more; End says how.
	Ended bool   `json:"ended,omitempty"`
	End   string `json:"end,omitempty"`
}

func init() {
	if len(os.Args) == 1 && os.Args[0] == insideName {
		runtime.LockOSThread() // TuneD gets a signal when the thread that started it ends
		os.Exit(inside())
	}
}

// inside is the first process in the namespaces.
func inside() int {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM, syscall.SIGUSR1)
	syscall.CloseOnExec(orderFile)
	syscall.CloseOnExec(reportFile)
	syscall.CloseOnExec(aliveFile)
	in, out := os.NewFile(orderFile, "order"), json.NewEncoder(os.NewFile(reportFile, "report"))
	var o order
	decoder := json.NewDecoder(in)
	if err := decoder.Decode(&o); err != nil {
		return 1 // not started by this package, or the caller is gone
	}
	daemon, err := launch(o)
	if err != nil {
		out.Encode(report{Fault: err.Error()})
		return 1
	}
	out.Encode(report{Started: true})
	go func() {
		io.Copy(io.Discard, in) // ends with the caller
		for end := time.Now().Add(o.Patience); time.Now().Before(end); time.Sleep(again) {
			daemon.Process.Signal(syscall.SIGTERM)
		}
		syscall.Kill(0, syscall.SIGKILL) // its scripts as well, and on a machine this process
	}()
	go forward(signals, daemon.Process)
	daemon.Wait()
	out.Encode(report{Ended: true, End: daemon.ProcessState.String()})
	return 0
}

// launch makes the mounts and starts TuneD.
func launch(o order) (*exec.Cmd, error) {
	build := enterMachine
	if o.Node != "" {
		build = enterNode
	}
	if err := build(o); err != nil {
		return nil, err
	}
	daemon := exec.Command(o.Argv[0], o.Argv[1:]...)
	daemon.Env, daemon.Dir = o.Env, "/"
	daemon.Stdout, daemon.Stderr = os.Stderr, os.Stderr
	if o.Node == "" { // in a simulated node nothing outlives this process, and must not see a directory outside
		daemon.ExtraFiles = []*os.File{os.NewFile(aliveFile, "alive")}
	}
	daemon.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	if err := daemon.Start(); err != nil {
		return nil, fmt.Errorf("TuneD does not start: %w", err)
	}
	return daemon, nil
}

// forward hands signals on; SIGUSR1 stands for the one that can't be caught.
func forward(signals <-chan os.Signal, to *os.Process) {
	for s := range signals {
		switch s {
		case syscall.SIGUSR1:
			to.Kill()
		case syscall.SIGINT:
			to.Signal(syscall.SIGTERM)
		default:
			to.Signal(s)
		}
	}
}
