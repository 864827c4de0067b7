package ovs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"plimsoll.dev/engine/netmeter"
)

// Kind says which packets an Open vSwitch sees.
type Kind string

// The kinds.
const (
	Dummy     Kind = "dummy"  // none but those that are asked about
	Userspace Kind = "netdev" // those of network devices, which needs the right to open them
)

// Server is an Open vSwitch that Start started.
type Server struct {
	dir      string
	db, main *process
	socket   string // of ovs-vswitchd, for questions
}

// process that was started.
type process struct {
	*os.Process
	ended chan struct{}
}

// schemas are where distributions have the database's schema.
var schemas = []string{"/usr/share/openvswitch/vswitch.ovsschema", "/usr/local/share/openvswitch/vswitch.ovsschema"}

// starts is how long a process may take until it answers.
const starts = 20 * time.Second

// Program finds one of Open vSwitch's programs, also where users' paths don't lead.
func Program(name string) (string, error) {
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	for _, dir := range []string{"/usr/sbin", "/usr/local/sbin"} {
		if path := filepath.Join(dir, name); exec.Command(path, "--version").Run() == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s is not installed (Debian: openvswitch-switch)", name)
}

// Start an Open vSwitch whose files are in dir, and which sees the network of a spot. Close ends it.
func Start(ctx context.Context, dir string, kind Kind, at netmeter.Spot) (_ *Server, err error) {
	s := &Server{dir: dir}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	schema := ""
	for _, path := range schemas {
		if _, err := os.Stat(path); err == nil {
			schema = path
		}
	}
	if schema == "" {
		return s, errors.New("the schema of Open vSwitch's database is not installed (Debian: openvswitch-common)")
	}
	if _, err := s.Run(ctx, "ovsdb-tool", "create", s.path("conf.db"), schema); err != nil {
		return s, err
	}
	if s.db, err = s.launch(netmeter.Spot{}, "ovsdb-server", s.path("conf.db"), "--remote=punix:"+s.path("db.sock"),
		"--unixctl="+s.path("db.ctl"), "--pidfile="+s.path("db.pid"), "--no-chdir", "-vconsole:off"); err != nil {
		return s, err
	}
	if err := s.wait(ctx, s.path("db.sock")); err != nil {
		return s, err
	}
	s.socket = s.path("vswitchd.ctl")
	args := []string{"unix:" + s.path("db.sock"), "--unixctl=" + s.socket, "--pidfile=" + s.path("vswitchd.pid"),
		"--no-chdir", "--disable-system", "-vconsole:off"}
	if kind == Dummy {
		args = append(args, "--enable-dummy=override")
	}
	if s.main, err = s.launch(at, "ovs-vswitchd", args...); err != nil {
		return s, err
	}
	if err := s.wait(ctx, s.socket); err != nil {
		return s, err
	}
	_, err = s.Set(ctx, "--", "init")
	return s, err
}

func (s *Server) path(name string) string { return filepath.Join(s.dir, name) }

// environment keeps the programs away from the machine's own Open vSwitch.
func (s *Server) environment() []string {
	return append(os.Environ(), "OVS_RUNDIR="+s.dir, "OVS_LOGDIR="+s.dir, "OVS_DBDIR="+s.dir, "OVS_SYSCONFDIR="+s.dir)
}

// launch a process at a spot. It ends when this one does.
func (s *Server) launch(at netmeter.Spot, name string, args ...string) (*process, error) {
	path, err := Program(name)
	if err != nil {
		return nil, err
	}
	c := exec.Command(path, args...)
	c.Env, c.Dir = s.environment(), s.dir
	c.SysProcAttr = attributes()
	started, ended := make(chan error, 2), make(chan struct{})
	go func() {
		started <- netmeter.At(at, func() error {
			defer close(ended)
			err := c.Start()
			if started <- err; err == nil {
				_ = c.Wait() // it is ended by a signal
			}
			return nil
		})
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &process{c.Process, ended}, nil
}

// wait until a socket takes connections.
func (s *Server) wait(ctx context.Context, socket string) error {
	ctx, stop := context.WithTimeout(ctx, starts)
	defer stop()
	for {
		if c, err := net.Dial("unix", socket); err == nil {
			return c.Close()
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s is not there: %w", filepath.Base(socket), ctx.Err())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// Run one of Open vSwitch's programs.
func (s *Server) Run(ctx context.Context, name string, args ...string) (string, error) {
	path, err := Program(name)
	if err != nil {
		return "", err
	}
	c := exec.CommandContext(ctx, path, args...)
	c.Env, c.Dir = s.environment(), s.dir
	c.SysProcAttr = attributes() // some wait for servers, which would end before them
	out, err := c.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%s: %s", name, strings.TrimSpace(string(exit.Stderr)))
	}
	return string(out), err
}

// Set up the switch: arguments of ovs-vsctl.
func (s *Server) Set(ctx context.Context, args ...string) (string, error) {
	return s.Run(ctx, "ovs-vsctl", append([]string{"--db=unix:" + s.path("db.sock"), "--timeout=20"}, args...)...)
}

// Load rules in place of those that a bridge has. It says what ovs-ofctl says.
func (s *Server) Load(ctx context.Context, bridge, rules string) error {
	file := s.path("rules.txt")
	if err := os.WriteFile(file, []byte(rules), 0o600); err != nil {
		return err
	}
	target := "unix:" + s.path(bridge+".mgmt")
	if _, err := s.Run(ctx, "ovs-ofctl", "-O", "OpenFlow15", "del-flows", target); err != nil {
		return err
	}
	_, err := s.Run(ctx, "ovs-ofctl", "-O", "OpenFlow15", "--bundle", "add-flows", target, file)
	return err
}

// Ask ovs-vswitchd a question as ovs-appctl does.
func (s *Server) Ask(ctx context.Context, method string, params ...string) (string, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, "unix", s.socket)
	if err != nil {
		return "", err
	}
	defer c.Close()
	stop := context.AfterFunc(ctx, func() { c.Close() })
	defer stop()
	if err := json.NewEncoder(c).Encode(map[string]any{"method": method,
		"params": append([]string{}, params...), "id": 0}); err != nil {
		return "", err
	}
	var answer struct {
		Result *string
		Error  *string
	}
	if err := json.NewDecoder(c).Decode(&answer); err != nil {
		return "", err
	}
	if answer.Error != nil {
		return "", errors.New(strings.TrimSpace(*answer.Error))
	}
	if answer.Result == nil {
		return "", nil
	}
	return *answer.Result, nil
}

// Close ends the processes.
func (s *Server) Close() error {
	for _, p := range []*process{s.main, s.db} {
		if p == nil {
			continue
		}
		_ = p.Signal(syscall.SIGTERM)
		late := time.AfterFunc(5*time.Second, func() { _ = p.Kill() })
		<-p.ended
		late.Stop()
	}
	s.main, s.db = nil, nil
	return nil
}
