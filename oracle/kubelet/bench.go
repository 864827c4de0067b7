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
// first admission is not counted, nor the making of the API's pods. Ours counts
// once with each pod read anew, once with pods of known classes, as planning has them.
func bench(out io.Writer, seed uint64, pods int) error {
	klog.SetLogger(logr.Discard())
	fmt.Fprintf(out, "%-15s %-40s %6s %8s %9s %6s %9s %6s\n", "machine", "policies", "pods", "real/s", "ours/s", "ratio",
		"classes/s", "ratio")
	for _, name := range []string{"128-cpu-2-numa", "128-cpu-4-numa"} {
		shape := shapeOf(name)
		for _, policy := range benchPolicies() {
			if err := race(out, kubelettest.Churn(shape, policy, seed, pods), shape.Name, policy.Name); err != nil {
				return err
			}
		}
	}
	return benchSlow(out, seed)
}

// benchSlow is the case for which the kubelet takes seconds: 8 NUMA nodes, CPUs,
// memory and huge pages. Three pods must do.
func benchSlow(out io.Writer, seed uint64) error {
	shape := kubelettest.EightPaged()
	for _, policy := range benchPolicies() {
		if policy.Config.TopologyManagerPolicy != "restricted" {
			continue
		}
		if err := race(out, kubelettest.Churn(shape, policy, seed, 3), shape.Name, policy.Name); err != nil {
			return err
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

// race runs a session on both sides; ours as often as it takes for half a second.
func race(out io.Writer, s kubelettest.Session, machine, policy string) error {
	admissions, real, err := realTime(s)
	if err != nil {
		return err
	}
	rate := float64(admissions) / real.Seconds()
	fmt.Fprintf(out, "%-15s %-40s %6d %8.1f", machine, policy, admissions, rate)
	for _, classes := range []bool{false, true} {
		n, took, err := ourTime(s, classes)
		if err != nil {
			return err
		}
		ours := float64(n) / took.Seconds()
		fmt.Fprintf(out, " %9.0f %5.0fx", ours, ours/rate)
	}
	_, err = fmt.Fprintln(out)
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

// ourTime is the processor time of a session with our engine, round after round
// on one node.
func ourTime(s kubelettest.Session, classes bool) (admissions int, took time.Duration, err error) {
	n, err := kubelet.New(s.Machine, s.Config)
	if err != nil {
		return 0, 0, err
	}
	compiled := make([]*kubelet.Class, len(s.Events))
	for i, e := range s.Events {
		if e.Admit != nil && classes {
			compiled[i] = n.Compile(e.Admit)
		}
	}
	begin := cpuTime()
	for took < 500*time.Millisecond {
		for i, e := range s.Events {
			switch {
			case e.Admit == nil:
				n.Remove(e.Remove)
				continue
			case classes:
				n.AdmitClass(compiled[i], e.Admit.UID)
			default:
				n.Admit(e.Admit)
			}
			admissions++
		}
		took = cpuTime() - begin
	}
	return admissions, took, nil
}

// cpuTime is what this process has used, the collector included.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
