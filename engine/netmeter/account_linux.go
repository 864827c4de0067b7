package netmeter

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"plimsoll.dev/bench/measure"
	"plimsoll.dev/engine/ends"
)

// account is what has been used so far, by the clocks of the kernel.
type account struct {
	cpu, machine       measure.CPU
	retransmits, drops float64
}

// countsApart says whether the kernel counts soft interrupts apart from the time of the process that they interrupt,
// by its configuration; nil where that can't be read, as in a container.
func countsApart() *bool {
	text := read("/boot/config-" + ends.Kernel())
	if len(text) == 0 {
		text = read("/lib/modules/" + ends.Kernel() + "/config") // RHEL CoreOS has it there
	}
	if f, err := os.Open("/proc/config.gz"); err == nil {
		defer f.Close()
		if z, err := gzip.NewReader(f); err == nil {
			text, _ = io.ReadAll(io.LimitReader(z, 4<<20))
		}
	}
	if len(text) == 0 {
		return nil
	}
	apart := bytes.Contains(text, []byte("\nCONFIG_IRQ_TIME_ACCOUNTING=y"))
	return &apart
}

// countsApart says the same of a sample's machine and the ends that ran on it. Where the kernel does not say it, the
// sample does: processes that used more than the machine did in user and system mode were charged for interrupts.
func (h hello) countsApart(ends, machine measure.CPU) bool {
	if h.Apart != nil {
		return *h.Apart
	}
	return ends.User+ends.System <= machine.User+machine.System
}

// look takes the account of this process, its machine and its network namespace.
func look() account {
	var a account
	var r unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &r) == nil {
		a.cpu = measure.CPU{User: seconds(r.Utime), System: seconds(r.Stime)}
	}
	a.machine = ends.Machine()
	a.retransmits = retransmits(read("/proc/self/net/snmp"))
	a.drops = drops(read("/proc/self/net/dev"))
	return a
}

func read(path string) []byte {
	text, _ := os.ReadFile(path) // what can't be read is told as 0
	return text
}

func seconds(t unix.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }

// since is what was used from before to a.
func (a account) since(before account) used {
	return used{CPU: a.cpu.Minus(before.cpu), Machine: a.machine.Minus(before.machine),
		Retransmits: a.retransmits - before.retransmits, Drops: a.drops - before.drops}
}

// retransmits of TCP in /proc/net/snmp: a line of names, then a line of values.
func retransmits(snmp []byte) float64 {
	var names []string
	for s := bufio.NewScanner(bytes.NewReader(snmp)); s.Scan(); {
		f := strings.Fields(s.Text())
		if len(f) == 0 || f[0] != "Tcp:" {
			continue
		}
		if names == nil {
			names = f
			continue
		}
		for i, name := range names {
			if name == "RetransSegs" && i < len(f) {
				n, _ := strconv.ParseFloat(f[i], 64)
				return n
			}
		}
	}
	return 0
}

// drops of all devices in /proc/net/dev, received and sent.
func drops(dev []byte) (sum float64) {
	for s := bufio.NewScanner(bytes.NewReader(dev)); s.Scan(); {
		_, values, ok := strings.Cut(s.Text(), ":")
		f := strings.Fields(values)
		if !ok || len(f) < 12 {
			continue
		}
		for _, i := range []int{3, 11} {
			n, _ := strconv.ParseFloat(f[i], 64)
			sum += n
		}
	}
	return sum
}
