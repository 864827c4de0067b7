package kubelet

import (
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"

	"plimsoll.dev/place/kubelet"
	"plimsoll.dev/place/kubelet/kubelettest"
)

// bench puts the same sessions to the real managers and to our engine in this
// process, and prints admissions per CPU-second of both. What comes before the
// first admission, and turning the pods into the API's, is not counted.
func bench(out io.Writer, seed uint64, sessions int) error {
	klog.SetLogger(logr.Discard())
	fmt.Fprintf(out, "%-16s %-42s %11s %14s %14s %8s\n", "machine", "policies", "admissions", "real/CPU-s", "ours/CPU-s", "ratio")
	for _, name := range []string{"128-cpu-2-numa", "128-cpu-4-numa"} {
		shape := shapeOf(name)
		for _, policy := range benchPolicies() {
			var all []kubelettest.Session
			for i := range sessions {
				s := kubelettest.Generate(shape, policy, seed<<32+uint64(i))
				s.Config = kubelettest.Steady(shape.Machine, policy)
				all = append(all, s)
			}
			if err := race(out, shape.Name, policy.Name, all); err != nil {
				return err
			}
		}
	}
	return nil
}

func shapeOf(name string) kubelettest.Shape {
	for _, s := range kubelettest.Machines() {
		if s.Name == name {
			return s
		}
	}
	panic("no machine is called " + name)
}

// benchPolicies are the static managers under every topology policy.
func benchPolicies() []kubelettest.Policy {
	want := map[string]bool{"static None none": true, "static Static none": true}
	for _, topology := range []string{"best-effort", "restricted", "single-numa-node"} {
		for _, scope := range []string{"container", "pod"} {
			want["static Static "+topology+" "+scope] = true
		}
	}
	var some []kubelettest.Policy
	for _, p := range kubelettest.Policies() {
		if want[p.Name] {
			some = append(some, p)
		}
	}
	return some
}

// race runs the sessions on both sides; ours as often as it takes for half a second.
func race(out io.Writer, machine, policy string, all []kubelettest.Session) error {
	admissions, real := 0, time.Duration(0)
	for _, s := range all {
		n, took, err := realTime(s)
		if err != nil {
			return err
		}
		admissions, real = admissions+n, real+took
	}
	ours, rounds := time.Duration(0), 0
	for ; ours < 500*time.Millisecond; rounds++ {
		for _, s := range all {
			took, err := ourTime(s)
			if err != nil {
				return err
			}
			ours += took
		}
	}
	a := float64(admissions) / real.Seconds()
	b := float64(admissions*rounds) / ours.Seconds()
	_, err := fmt.Fprintf(out, "%-16s %-42s %11d %14.0f %14.0f %7.0fx\n", machine, policy, admissions, a, b, b/a)
	return err
}

// realTime is the processor time that the real managers take for a session. Their
// state files are in memory where the system has such a folder.
func realTime(s kubelettest.Session) (admissions int, took time.Duration, err error) {
	shm := "/dev/shm"
	if _, err := os.Stat(shm); err != nil {
		shm = ""
	}
	dir, err := os.MkdirTemp(shm, "oracle")
	if err != nil {
		return 0, 0, err
	}
	defer os.RemoveAll(dir)
	n, err := start(s.Machine, s.Config, dir)
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %w", s.Name, err)
	}
	defer n.stop()
	pods := make([]*v1.Pod, len(s.Events))
	for i, e := range s.Events {
		if e.Admit == nil {
			continue
		}
		if pods[i], err = submit(e.Admit); err != nil {
			return 0, 0, err
		}
		admissions++
	}
	begin := cpuTime()
	for i, e := range s.Events {
		if pods[i] != nil {
			n.admit(pods[i])
		} else {
			n.remove(e.Remove)
		}
	}
	return admissions, cpuTime() - begin, nil
}

// ourTime is the processor time of a session with our engine.
func ourTime(s kubelettest.Session) (time.Duration, error) {
	n, err := kubelet.New(s.Machine, s.Config)
	if err != nil {
		return 0, err
	}
	begin := cpuTime()
	for _, e := range s.Events {
		if e.Admit != nil {
			n.Admit(e.Admit)
		} else {
			n.Remove(e.Remove)
		}
	}
	return cpuTime() - begin, nil
}

// cpuTime is what this process has used, the collector included.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
