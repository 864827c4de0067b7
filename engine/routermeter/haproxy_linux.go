package routermeter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"plimsoll.dev/bench/router"
	"plimsoll.dev/engine/ends"
	"plimsoll.dev/tune/haproxy"
	"plimsoll.dev/unit"
)

// haproxyProgram looks for HAProxy, also where it is not on the path of users.
func haproxyProgram(named string) (string, error) {
	if named != "" {
		return exec.LookPath(named)
	}
	for _, name := range []string{"haproxy", "/usr/sbin/haproxy", "/usr/local/sbin/haproxy"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("HAProxy is not installed (as Debian's package haproxy; --haproxy names a program elsewhere)")
}

// proxy is a HAProxy that was started, with its folder.
type proxy struct {
	program, dir string
	layout       haproxy.Layout
	setup        router.Setup
	at           ends.Spot
	// newest is the process that serves, old those before reloads.
	newest  *child
	old     []*child
	version string
}

// child is a process of HAProxy.
type child struct {
	pid    int
	ended  <-chan error
	gone   bool
	how    string
	errors *bytes.Buffer
}

// release whose defaults the configuration has.
const release = "4.12"

// newProxy writes a configuration as "tune router" makes it, in a folder of its own.
func newProxy(ctx context.Context, program string, s router.Setup, at ends.Spot, backEnd func(string) string,
	authority string) (*proxy, error) {
	text, err := exec.CommandContext(ctx, program, "-v").Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", program, err)
	}
	p := &proxy{program: program, setup: s, at: at}
	if f := strings.Fields(string(text)); len(f) > 2 {
		p.version = f[2]
	}
	if p.dir, err = newFolder(); err != nil {
		return nil, err
	}
	p.layout = haproxy.Layout{Dir: p.dir, Servers: 1, Server: backEnd, Set: s.Settings()}
	for _, at := range []*string{&p.layout.HTTP, &p.layout.HTTPS, &p.layout.Stats} {
		if *at, err = freePort(); err != nil {
			p.close()
			return nil, err
		}
	}
	if err := p.write(authority); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// freePort of the loopback device. Somebody else may take it before HAProxy does, which HAProxy tells.
func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// write the configuration with all that it names; the authority is that of the back ends' certificate.
func (p *proxy) write(authority string) error {
	in := haproxy.Input{Release: release}
	for _, e := range haproxy.Encryptions() {
		in.Traffic = append(in.Traffic, haproxy.Traffic{Name: e, Encryption: e, RequestsPerSecond: 1, Routes: p.setup.Routes,
			PageSize: unit.Bytes(p.setup.Page)})
	}
	in.RoutesPerRouter = len(in.Traffic) * p.setup.Routes // all in one router
	advice, problems := haproxy.Advise(in, nil)
	if len(problems) > 0 {
		return errors.New(strings.Join(problems, "; "))
	}
	var names []string
	for i := range haproxy.Encryptions() {
		names = append(names, "*."+strings.TrimPrefix(haproxy.Host(i+1, 1), "route1."))
	}
	certificate, err := Certificate(p.setup.Key, names...)
	if err != nil {
		return err
	}
	files := append(advice.Config(p.layout), haproxy.File{Path: haproxy.CertificateFile, Text: certificate},
		haproxy.File{Path: haproxy.AuthorityFile, Text: authority})
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(p.dir, f.Path), []byte(f.Text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// start a process that takes over from the one before it, if there is one, which then serves only the
// connections that it has.
func (p *proxy) start(ctx context.Context) error {
	args := []string{"-db", "-f", filepath.Join(p.dir, haproxy.ConfigFile)}
	if p.newest != nil {
		args = append(args, "-x", filepath.Join(p.dir, "run/haproxy.sock"), "-sf")
		for _, c := range append(p.living(), p.newest) {
			args = append(args, strconv.Itoa(c.pid))
		}
	}
	cmd := exec.CommandContext(ctx, p.program, args...)
	c := &child{errors: &bytes.Buffer{}}
	cmd.Stderr = c.errors
	var err error
	if c.ended, err = ends.Start(p.at, cmd); err != nil {
		return fmt.Errorf("HAProxy does not start: %w", err)
	}
	c.pid = cmd.Process.Pid
	before := p.newest
	if before != nil {
		p.old = append(p.old, before)
	}
	p.newest = c
	return p.ready(ctx)
}

// patienceStart is how long HAProxy may take to read its configuration.
const patienceStart = 30 * time.Second

// ready waits until the newest process answers for itself at the socket that it replaces.
func (p *proxy) ready(ctx context.Context) error {
	until := time.Now().Add(patienceStart)
	for ; time.Now().Before(until) && ctx.Err() == nil; time.Sleep(2 * time.Millisecond) {
		if p.newest.over() {
			return fmt.Errorf("HAProxy does not start: %s", p.newest.last())
		}
		if p.serving() == p.newest.pid {
			return nil
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("HAProxy does not start within %v", patienceStart)
}

// last is how a process that is over has ended, and its last words.
func (c *child) last() string {
	text := strings.TrimSpace(c.errors.String())
	return strings.TrimSpace(text[max(0, len(text)-1000):] + " (" + c.how + ")")
}

// serving is the process that answers at the socket; 0 when none does.
func (p *proxy) serving() int {
	c, err := net.Dial("unix", filepath.Join(p.dir, "run/haproxy.sock"))
	if err != nil {
		return 0
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(time.Second))
	if _, err := c.Write([]byte("show info\n")); err != nil {
		return 0
	}
	var text bytes.Buffer
	text.ReadFrom(c)
	for line := range strings.Lines(text.String()) {
		if pid, ok := strings.CutPrefix(line, "Pid: "); ok {
			n, _ := strconv.Atoi(strings.TrimSpace(pid))
			return n
		}
	}
	return 0
}

// over says whether the process has ended.
func (c *child) over() bool {
	if !c.gone {
		select {
		case err := <-c.ended:
			c.gone, c.how = true, "exit status 0"
			if err != nil {
				c.how = err.Error()
			}
		default:
		}
	}
	return c.gone
}

// living are the old processes that are still there.
func (p *proxy) living() []*child {
	var out []*child
	for _, c := range p.old {
		if !c.over() {
			out = append(out, c)
		}
	}
	p.old = out
	return out[:len(out):len(out)]
}

// close ends all processes, and takes the folder away.
func (p *proxy) close() {
	all := p.living()
	if p.newest != nil {
		all = append(all, p.newest)
	}
	for _, c := range all {
		if !c.over() {
			unix.Kill(c.pid, unix.SIGKILL)
			<-c.ended
			c.gone = true
		}
	}
	os.RemoveAll(p.dir)
}
