package apply

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// process is the Runner of the real TuneD.
type process struct{}

// programs are where Debian and Red Hat have it.
var programs = []string{"/usr/sbin/tuned", "/usr/bin/tuned"}

// Program is the path of the installed TuneD.
func Program() (string, error) {
	for _, p := range programs {
		if info, err := os.Stat(p); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
			return p, nil
		}
	}
	return "", fmt.Errorf("TuneD is not installed: there is no %s (install the package tuned)",
		strings.Join(programs, " and no "))
}

// starting is how long entering a node may take.
const starting = 20 * time.Second

// Start enters the node and starts TuneD in it.
func (process) Start(ctx context.Context, s Start) (Daemon, error) {
	program, err := Program()
	if err != nil {
		return nil, err
	}
	orderIn, orderOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	reportIn, reportOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, orderIn.Close(), orderOut.Close())
	}
	logIn, logOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, orderIn.Close(), orderOut.Close(), reportIn.Close(), reportOut.Close())
	}
	p := &running{log: make(chan Line, 64), order: orderOut, reports: json.NewDecoder(reportIn), logIn: logIn,
		gone: make(chan struct{})}
	p.cmd = &exec.Cmd{Path: "/proc/self/exe", Args: []string{insideName}, Stderr: logOut,
		ExtraFiles: []*os.File{orderIn, reportOut, s.Alive},
		Env:        []string{"GOTRACEBACK=none"}, Dir: "/", SysProcAttr: namespaces(s.Node != "")}
	err = p.cmd.Start()
	err = errors.Join(err, orderIn.Close(), reportOut.Close(), logOut.Close())
	if err != nil {
		return nil, errors.Join(unable(err), orderOut.Close(), reportIn.Close(), logIn.Close())
	}
	go readLines(logIn, p.log)
	if err := p.launch(ctx, s.order(program)); err != nil {
		return nil, errors.Join(err, reportIn.Close(), logIn.Close())
	}
	go p.watch(reportIn)
	return p, nil
}

// namespaces to start in. Those of a simulated node hide files, processes, networks
// and the rights over them; its user namespace lets anybody make them, and keeps
// what even root could do to the machine from reaching it. This machine's TuneD
// gets a mount namespace alone, for its own directories.
func namespaces(simulated bool) *syscall.SysProcAttr {
	if !simulated {
		return &syscall.SysProcAttr{Setpgid: true, Cloneflags: syscall.CLONE_NEWNS}
	}
	attr := &syscall.SysProcAttr{Setpgid: true, // a terminal's interrupt is the caller's to handle
		Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWNET |
			syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS}
	uid, gid, size := os.Geteuid(), os.Getegid(), 1
	if uid == 0 { // the tree may belong to several users
		gid, size = 0, 1<<32-1
		attr.GidMappingsEnableSetgroups = true
	}
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: uid, Size: size}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: gid, Size: size}}
	return attr
}

// unable explains why namespaces can't be made.
func unable(err error) error {
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EINVAL) {
		return fmt.Errorf("namespaces can't be made: %w (allow user namespaces, sysctl user.max_user_namespaces, "+
			"or run as root outside of a container)", plain(err))
	}
	return err
}

// order is what the inside is told.
func (s Start) order(program string) order {
	o := order{Patience: s.Patience, Stage: s.Stage, Node: s.Node, NodeID: s.NodeID, Config: s.Config, Tools: s.Tools,
		Argv: []string{program, "--no-dbus", "--profile", s.Profile}}
	if s.Node == "" {
		o.Env = append(os.Environ(), "LC_ALL=C")
		return o
	}
	o.Env = []string{"PATH=/run/plimsoll:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/", "LC_ALL=C.UTF-8",
		"SYSTEMD_DEVICE_VERIFY_SYSFS=0"} // udev's library takes plain files for devices, too
	return o
}

// running is a TuneD and what watches over it inside.
type running struct {
	cmd     *exec.Cmd
	log     chan Line
	logIn   *os.File
	order   *os.File
	reports *json.Decoder
	kills   int

	mu     sync.Mutex
	reaped bool          // nothing may be signalled any more
	gone   chan struct{} // closed when nothing is left
	end    string
	err    error
}

// launch gives the order and waits for the start.
func (p *running) launch(ctx context.Context, o order) error {
	ctx, stop := context.WithTimeoutCause(ctx, starting, fmt.Errorf("a node was not entered in %v", starting))
	defer stop()
	over := context.AfterFunc(ctx, p.abandon)
	var r report
	err := json.NewEncoder(p.order).Encode(o)
	if err == nil {
		err = p.reports.Decode(&r)
	}
	if r.Fault != "" {
		err = errors.New(r.Fault)
	}
	if over() && err == nil {
		return nil
	}
	p.reap()
	for line := range p.log {
		if line.Text != "" {
			err = fmt.Errorf("%w; it says: %s", err, line.Text)
		}
	}
	return errors.Join(context.Cause(ctx), err)
}

// watch waits for the end.
func (p *running) watch(reports io.Closer) {
	defer close(p.gone)
	var r report
	err := p.reports.Decode(&r)
	p.end = r.End
	p.reap()
	reports.Close()
	if err != nil {
		p.end = fmt.Sprintf("after what watched over it: %v", p.cmd.ProcessState)
		p.err = fmt.Errorf("what watched over TuneD ended before it: %v", p.cmd.ProcessState)
	}
}

// reap ends and collects what is left. The log of a process that got away is read
// for a moment only.
func (p *running) reap() {
	p.abandon()
	p.mu.Lock()
	p.cmd.Wait()
	p.reaped = true
	p.mu.Unlock()
	p.order.Close()
	p.logIn.SetReadDeadline(time.Now().Add(time.Second))
}

// abandon ends everything at once.
func (p *running) abandon() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.reaped {
		syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	}
}

func (p *running) signal(s syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.reaped {
		p.cmd.Process.Signal(s)
	}
}

func (p *running) Log() <-chan Line { return p.log }
func (p *running) Reload()          { p.signal(syscall.SIGHUP) }
func (p *running) Stop()            { p.signal(syscall.SIGTERM) }

// Kill lets what watches over TuneD end it; the second time it ends that, too.
func (p *running) Kill() {
	if p.kills++; p.kills > 1 {
		p.abandon()
	}
	p.signal(syscall.SIGUSR1)
}

// Close waits for the end.
func (p *running) Close() (string, error) {
	for range p.log {
	}
	<-p.gone
	p.logIn.Close()
	return p.end, p.err
}
