package ends

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Role is for the init function of a package: when this program was started as that role, work is all that it
// does. A name, and not a hidden command, works the same in every program and test that has the package.
func Role(name string, work func(in io.Reader, out io.Writer) int) {
	if len(os.Args) == 1 && os.Args[0] == name {
		os.Exit(work(os.Stdin, os.Stdout))
	}
}

// Process of an end, which speaks JSON.
type Process struct {
	PID    int
	in     io.WriteCloser
	out    *json.Decoder
	errors bytes.Buffer
	// gone is closed when it has ended, and how is err.
	gone chan bool
	err  error
}

// Begin starts this program in a role at a spot. It is killed when the context ends or this process does.
func Begin(ctx context.Context, at Spot, role string) (*Process, error) {
	p := &Process{gone: make(chan bool)}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self)
	cmd.Args = []string{role}
	cmd.Stderr = &p.errors
	if p.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = json.NewDecoder(out)
	ended, err := Start(at, cmd)
	if err != nil {
		return nil, fmt.Errorf("an end does not start: %w", err)
	}
	p.PID = cmd.Process.Pid
	go func() {
		p.err = <-ended
		close(p.gone)
	}()
	return p, nil
}

// Start a command at a spot, to be killed when this process ends. The channel tells how it ended, once.
func Start(at Spot, cmd *exec.Cmd) (<-chan error, error) {
	started, ended := make(chan error), make(chan error, 1)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	go func() {
		runtime.LockOSThread() // never unlocked: the thread has another namespace, and the end dies with it
		err := Enter(at)
		if err == nil {
			err = cmd.Start()
		}
		started <- err
		if err == nil {
			ended <- cmd.Wait()
		}
	}()
	return ended, <-started
}

// Enter takes the calling thread to a spot; what it starts is there, too.
func Enter(at Spot) error {
	if at.Space != nil {
		if err := unix.Setns(int(at.Space.Fd()), unix.CLONE_NEWNET); err != nil {
			return fmt.Errorf("to enter a network namespace: %w", err)
		}
	}
	if at.CPUs.IsEmpty() {
		return nil
	}
	var set unix.CPUSet
	for n := range at.CPUs.All() {
		set.Set(n)
	}
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return fmt.Errorf("to run on CPU %s: %w", at.CPUs, err)
	}
	return nil
}

// Ask an end something, and wait for what it answers.
func (p *Process) Ask(what, answer any) error {
	err := p.Tell(what)
	if err == nil {
		err = p.Hear(answer)
	}
	return err
}

// Tell an end something.
func (p *Process) Tell(what any) error { return p.said(json.NewEncoder(p.in).Encode(what)) }

// Hear what an end says next.
func (p *Process) Hear(answer any) error { return p.said(p.out.Decode(answer)) }

// patience is how long an end may take to end when nothing can be read from it any more.
const patience = 2 * time.Second

// said is the error of an end that is gone, with its last words.
func (p *Process) said(err error) error {
	if err == nil {
		return nil
	}
	select {
	case <-p.gone: // and all that it said is there
	case <-time.After(patience):
		return fmt.Errorf("an end says nothing that can be read: %w", err)
	}
	last := strings.TrimSpace(p.errors.String())
	return fmt.Errorf("an end has ended: %s", last[:min(len(last), 2000)])
}

// Wait until it ends.
func (p *Process) Wait() error {
	<-p.gone
	return p.err
}

// Stop an end, and wait for that.
func (p *Process) Stop() {
	p.in.Close()
	<-p.gone
}
