package ovs

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/safchain/ethtool"

	sim "plimsoll.dev/bench/ovs"

	"plimsoll.dev/bench/measure"
	"plimsoll.dev/bench/network"
	"plimsoll.dev/engine/ends"
	"plimsoll.dev/engine/netmeter"
	"plimsoll.dev/unit"
)

// Options of the experiment.
type Options struct {
	// Parameters have one cell.
	Parameters network.Parameters
	// Idle is how many rules of other pods there are in the last case.
	Idle int
	// Ends and Switch are the CPUs that both ends and ovs-vswitchd may use; empty for all.
	Ends, Switch unit.CPUSet
	// Progress is told after each sample: how many there are, and which case comes next.
	Progress func(done int, next string)
}

// wires of the experiment: two pods on a switch.
func topology() *network.Topology {
	prefix := func(last byte) netip.Prefix {
		return netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 131, 0, last}), 23)
	}
	return &network.Topology{Name: "ovs", Title: "two pods on Open vSwitch in userspace", Spaces: []string{"pod4", "pod5",
		"switch"}, Client: "pod5", Server: "pod4", Address: prefix(4).Addr(),
		Wires: []network.Wire{
			{MTU: 1500, A: network.Port{Space: "pod4", Device: "eth0", Address: prefix(4)},
				B: network.Port{Space: "switch", Device: "v5"}},
			{MTU: 1500, A: network.Port{Space: "pod5", Device: "eth0", Address: prefix(5)},
				B: network.Port{Space: "switch", Device: "v6"}},
		}}
}

// experiment under way.
type experiment struct {
	Options
	world  *netmeter.World
	server *Server
	client *netmeter.Client
}

// Run the experiment: all cases, again and again. What was built and started for it is gone afterwards.
func Run(ctx context.Context, o Options) (_ *sim.Experiment, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if err := tunnels(); err != nil {
		return nil, err
	}
	dir, remove, err := scratch()
	if err != nil {
		return nil, err
	}
	defer remove()
	e := &experiment{Options: o}
	if e.world, err = netmeter.Build(ctx, topology()); err != nil {
		return nil, err
	}
	defer e.world.Close()
	for _, pod := range []string{"pod4", "pod5"} {
		if err := e.checksums(pod); err != nil {
			return nil, err
		}
	}
	e.server, err = Start(ctx, dir, Userspace, netmeter.Spot{Space: e.world.Space("switch"), CPUs: o.Switch})
	if err != nil {
		return nil, err
	}
	defer e.server.Close()
	if err := e.bridge(ctx); err != nil {
		return nil, err
	}
	return e.measure(ctx)
}

// tunnels says why the userspace datapath can't be, of which ovs-vswitchd says nothing to those who ask for it.
func tunnels() error {
	f, err := os.OpenFile("/dev/net/tun", os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("the userspace datapath: %w (be root on a machine that has this device)", err)
	}
	return f.Close()
}

// checksums of a pod are made by the kernel: through packet sockets they would stay undone.
func (e *experiment) checksums(pod string) error {
	return netmeter.At(netmeter.Spot{Space: e.world.Space(pod)}, func() error {
		tool, err := ethtool.NewEthtool()
		if err != nil {
			return err
		}
		defer tool.Close()
		return tool.Change("eth0", map[string]bool{"tx-checksum-ip-generic": false})
	})
}

func (e *experiment) bridge(ctx context.Context) error {
	_, err := e.server.Set(ctx, "--", "add-br", "br0", "--", "set", "bridge", "br0", "datapath_type=netdev",
		"fail-mode=secure", "--", "add-port", "br0", "v5", "--", "set", "interface", "v5", "ofport_request=5",
		"--", "add-port", "br0", "v6", "--", "set", "interface", "v6", "ofport_request=6")
	return err
}

// measure in rounds over the cases.
func (e *experiment) measure(ctx context.Context) (*sim.Experiment, error) {
	cases := sim.Cases(e.Idle)
	out := &sim.Experiment{Parameters: e.Parameters}
	version, err := e.server.Run(ctx, "ovs-vswitchd", "--version")
	if err != nil {
		return nil, err
	}
	first, _, _ := strings.Cut(version, "\n")
	out.Switch = strings.ReplaceAll(strings.TrimPrefix(first, "ovs-vswitchd "), "(", "")
	out.Switch = strings.ReplaceAll(out.Switch, ")", "")
	if err := e.server.Load(ctx, "br0", cases[0].Text()); err != nil {
		return nil, err
	}
	at := netip.AddrPortFrom(topology().Address, netmeter.Port).String()
	s, err := netmeter.StartServer(ctx, netmeter.Spot{Space: e.world.Space("pod4"), CPUs: e.Ends}, at)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	e.client, err = netmeter.StartClient(ctx, netmeter.Spot{Space: e.world.Space("pod5"), CPUs: e.Ends}, at)
	if err != nil {
		return nil, err
	}
	defer e.client.Close()
	for _, c := range cases {
		out.Cases = append(out.Cases, sim.Ran{Case: c})
	}
	done := 0
	for range e.Parameters.Repetitions {
		for i := range out.Cases {
			if e.Progress != nil {
				e.Progress(done, cases[i].Title)
			}
			one, err := e.sample(ctx, cases[i])
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", cases[i].Title, err)
			}
			out.Cases[i].Samples = append(out.Cases[i].Samples, one)
			done++
		}
	}
	return out, nil
}

// sample a case. The CPU of ovs-vswitchd is taken in the midst of the sample, where nothing begins or ends.
func (e *experiment) sample(ctx context.Context, c sim.Case) (sim.Sample, error) {
	if err := e.server.Load(ctx, "br0", c.Text()); err != nil {
		return sim.Sample{}, err
	}
	p := e.Parameters
	second := make(chan measure.CPU, 1)
	midst := time.AfterFunc(p.Warmup+p.Duration/4, func() {
		_, err := e.server.Ask(ctx, "dpif-netdev/pmd-stats-clear")
		began := time.Now()
		before, known := ends.Of(e.server.main.Pid)
		time.Sleep(p.Duration / 2)
		after, there := ends.Of(e.server.main.Pid)
		if err != nil || !known || !there {
			before = after
		}
		second <- after.Minus(before).Times(1 / time.Since(began).Seconds())
	})
	r, err := e.client.Measure(p.Cells[0], p, "")
	if err != nil {
		midst.Stop()
		return sim.Sample{}, err
	}
	busy := <-second
	stats, err := e.server.Ask(ctx, "dpif-netdev/pmd-stats-show")
	if err != nil {
		return sim.Sample{}, err
	}
	ours(&r, busy)
	s := sim.Sample{Repetition: r, Passes: passes(stats)}
	if r.Rate() > 0 {
		s.SwitchCPU = busy.Busy() / r.Rate()
	}
	return s, nil
}

// ours takes from the machine's CPU time what the switch used in each second: it is no stranger.
func ours(r *measure.Repetition, second measure.CPU) {
	if r.Machine != nil {
		*r.Machine = r.Machine.Minus(second.Times(r.Seconds))
	}
}

var averagePasses = regexp.MustCompile(`avg\. datapath passes per packet: ([0-9.]+)`)

// passes of a packet, by the statistics of the datapath; 0 where they say nothing.
func passes(stats string) float64 {
	most := 0.0
	for _, m := range averagePasses.FindAllStringSubmatch(stats, -1) {
		if v, err := strconv.ParseFloat(m[1], 64); err == nil {
			most = max(most, v)
		}
	}
	return most
}

// scratch is a directory that remove takes away; so does the next run, should this one be killed.
func scratch() (dir string, remove func(), err error) {
	old, _ := filepath.Glob(filepath.Join(os.TempDir(), "plimsoll-ovs-*"))
	for _, path := range old {
		if f, err := lock(path); err == nil { // nobody holds it
			os.RemoveAll(path)
			f.Close()
		}
	}
	if dir, err = os.MkdirTemp("", "plimsoll-ovs-"); err != nil {
		return "", nil, err
	}
	held, err := lock(dir)
	if err != nil {
		os.RemoveAll(dir)
		return "", nil, err
	}
	return dir, func() { os.RemoveAll(dir); held.Close() }, nil
}

// lock a directory as long as its file is open.
func lock(dir string) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
