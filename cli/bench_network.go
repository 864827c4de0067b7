package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"plimsoll.dev/bench/network"
	"plimsoll.dev/engine/ends"
	"plimsoll.dev/engine/netmeter"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/unit"
)

// loopback is the place that needs no rights.
const loopback = "loopback"

// benchNetwork is "bench network".
type benchNetwork struct {
	*tuning
	matrix                  matrixFlags
	cluster                 clusterFlags
	place, server, pin, rps string
	static, congestion      string
	mtu                     int
	noOffloads              bool
	clientCPUs, serverCPUs  unit.CPUSet
}

func newBenchNetwork(a *app) *cobra.Command {
	b := &benchNetwork{tuning: &tuning{app: a, failOn: "error"}}
	places := append(network.Places(), loopback)
	c := &cobra.Command{
		Use:   "network [PROFILE]...",
		Short: "Measure latency and throughput between two ends",
		Long: `Network measures a matrix of request/response, streams and connections that are
closed again (or the cells that profiles of uperf are): between two processes in
network namespaces that it makes and that are gone when it ends, between this
host and a server on another one, or between pods of a cluster. A scenario of
the study of OpenShift on IBM Z is a --place: pods, workers (over VXLAN),
external (behind a load balancer, with --static-route past it).

Each end is pinned, and the answer says where: on which CPUs the ends run may
matter more than the way between them. A sample is preceded by a warm-up;
repetitions are rounds over all cells; a sample that somebody disturbs is
measured again. The kernel's own Geneve and IPsec are not measured: what a
machine has no device for is not imitated.

` + exitCodesHelp,
		Example: `  plimsoll bench network --quick
  plimsoll bench network --place workers --mtu 9000 -o json --output-file run.json
  plimsoll bench network --place external --static-route both
  plimsoll bench network --server 192.0.2.7 --cell rr-200x1000-50
  plimsoll bench network --between across-zones --image IMAGE --context prod`,
		RunE: func(c *cobra.Command, args []string) error { return b.run(c, args) },
	}
	b.out.flags(c)
	b.matrix.flags(c)
	f := c.Flags()
	f.BoolVar(&b.noError, "exit-zero", false, "exit with 0 whatever is found")
	f.StringVar(&b.place, "place", "pair", "what is built: "+strings.Join(places, ", "))
	mustComplete(c, "place", places)
	f.StringVar(&b.server, "server", "", "the `HOST[:PORT]` of a server elsewhere, in place of --place")
	f.StringVar(&b.pin, "pin", "apart",
		"CPUs of the ends: apart, same, none, or `CLIENT:SERVER`\n(lists, as in 0-1:2-3)")
	f.IntVar(&b.mtu, "mtu", 1500, "of the wires, in bytes; pods over VXLAN have 50 less")
	f.BoolVar(&b.noOffloads, "no-offloads", false,
		"switch segmentation offloads off,\nwithout which an MTU has no effect on TCP")
	f.StringVar(&b.rps, "rps", "", "the `MASK` of CPUs that share what is received (hex, as in f)")
	f.StringVar(&b.static, "static-route", "", "past the load balancer of external: out, or both ways")
	mustComplete(c, "static-route", []string{"out", "both"})
	b.cluster.flags(c)
	f.StringVar(&b.congestion, "congestion", "", "the congestion control, such as cubic; the machine's otherwise")
	c.AddCommand(newBenchServer(a))
	return c
}

func (b *benchNetwork) run(c *cobra.Command, args []string) error {
	p, err := b.matrix.parameters(b.tuning, c, args)
	if err != nil {
		return err
	}
	if err := b.cluster.check(c, p, b.congestion); err != nil {
		return badInput(err)
	}
	if b.cluster.set.Between != "" {
		return b.inCluster(c)
	}
	o := netmeter.Options{Parameters: p, Congestion: b.congestion}
	if err := b.where(c, &o); err != nil {
		return badInput(err)
	}
	if err := b.ready(p); err != nil {
		return err
	}
	ctx, done := untilSignal(c.Context())
	defer done()
	if o.Place != nil {
		if fault := netmeter.Spaces(); fault != nil {
			return b.rootless(ctx, fault)
		}
	}
	samples := int64(len(p.Cells) * p.Repetitions)
	about := p.Time() + time.Duration(samples)*50*time.Millisecond
	b.say("%s in about %v", words.Count(samples, "sample"), about.Round(time.Second))
	var over func()
	o.Progress, over = b.progress(samples, "samples")
	run, err := netmeter.Run(ctx, o)
	over()
	if err := ended(ctx, err); err != nil {
		return err
	}
	b.out.again = ""
	return b.answer(run.Answer(), nil)
}

// ready says before the run what its answer could not be written as, or where.
func (b *benchNetwork) ready(p network.Parameters) error {
	specimen := &network.Run{Ends: network.Environment{Hops: make([]network.Hop, 1)}}
	for _, cell := range p.Cells {
		specimen.Cells = append(specimen.Cells, network.Measured{Cell: cell})
	}
	return b.out.ready(b.app, false, specimen.Answer())
}

// where it is measured.
func (b *benchNetwork) where(c *cobra.Command, o *netmeter.Options) (err error) {
	built := []string{"place", "mtu", "no-offloads", "rps", "static-route"}
	if b.server != "" {
		for _, name := range built {
			if c.Flags().Changed(name) {
				return fmt.Errorf("--%s is of what is built here: it can't stand beside --server", name)
			}
		}
		if o.Server, err = netmeter.Address(b.server); err != nil {
			return fmt.Errorf("--server: %w", err)
		}
		if !c.Flags().Changed("pin") {
			b.pin = "none"
		}
		o.ClientCPUs, err = oneEnd(b.pin)
		return err
	}
	if b.place != loopback {
		if o.Place, err = network.Place(b.place, network.Switches{MTU: b.mtu, Offloads: !b.noOffloads, RPS: b.rps,
			StaticRoute: b.static}); err != nil {
			return err
		}
	} else if i := slices.IndexFunc(built[1:], c.Flags().Changed); i >= 0 {
		return fmt.Errorf("--%s is of devices that are made: it can't stand beside --place loopback", built[1+i])
	}
	o.ClientCPUs, o.ServerCPUs, err = bothEnds(b.pin, ends.Allowed())
	return err
}

// bothEnds reads --pin: the CPUs of the client and of the server.
func bothEnds(pin string, allowed unit.CPUSet) (client, server unit.CPUSet, err error) {
	var all []int
	for n := range allowed.All() {
		all = append(all, n)
	}
	switch {
	case pin == "none" || len(all) == 0:
		return client, server, nil
	case pin == "same" || pin == "apart" && len(all) == 1:
		return unit.CPUSetOf(all[0]), unit.CPUSetOf(all[0]), nil
	case pin == "apart":
		return unit.CPUSetOf(all[len(all)/2:]...), unit.CPUSetOf(all[:len(all)/2]...), nil
	}
	of, to, ok := strings.Cut(pin, ":")
	if !ok {
		return client, server, fmt.Errorf("--pin %q is not apart, same, none or CLIENT:SERVER (as in 0:1)", pin)
	}
	if client, err = cpusWithin(of, allowed); err == nil {
		server, err = cpusWithin(to, allowed)
	}
	return client, server, err
}

// oneEnd reads --pin of an end that is alone on its host.
func oneEnd(pin string) (unit.CPUSet, error) {
	switch pin {
	case "none", "":
		return unit.CPUSet{}, nil
	case "apart", "same":
		return unit.CPUSet{}, fmt.Errorf("--pin %s is of two ends on this host (name the CPUs of this one, as in 0-3)", pin)
	}
	return cpusWithin(pin, ends.Allowed())
}

func cpusWithin(text string, allowed unit.CPUSet) (unit.CPUSet, error) {
	cpus, err := unit.ParseCPUSet(text)
	switch {
	case err != nil:
		return cpus, fmt.Errorf("--pin: %w", err)
	case cpus.IsEmpty():
		return cpus, errors.New("--pin: an end has no CPU (none leaves both unpinned)")
	case !cpus.SubsetOf(allowed):
		return cpus, fmt.Errorf("--pin: CPU %s is not one that this process may use (%s)", cpus.Minus(allowed), allowed)
	}
	return cpus, nil
}

// rootless goes on as root of a user namespace where the process is not allowed to make namespaces.
func (b *benchNetwork) rootless(ctx context.Context, fault error) error {
	out, ok := b.Out.(*os.File)
	errs, also := b.terminal.(*os.File)
	code, err := 0, errors.New("not tried")
	if ok && also && b.env(rootlessName) == "" {
		os.Setenv(rootlessName, "1")
		code, err = netmeter.Rootless(ctx, os.Args[1:], os.Stdin, out, errs)
	}
	if err != nil {
		return fmt.Errorf("%w: be root, or have user namespaces (%w); --place loopback needs neither", fault, err)
	}
	if code != 0 {
		return &exitError{code: code}
	}
	return nil
}

// rootlessName keeps a process in a user namespace from making another one.
const rootlessName = "PLIMSOLL_ROOTLESS"

func newBenchServer(a *app) *cobra.Command {
	listen, pin := "", ""
	c := &cobra.Command{
		Use:   "server",
		Short: "Answer measurements from another host",
		Long: `Server answers a client on another host: control and data come to one TCP port.
It measures for one client at a time, keeps nothing, and ends when interrupted.
Whoever reaches the port can have it send data: open it for the client alone.`,
		Example: `  plimsoll bench network server
  plimsoll bench network server --listen 192.0.2.7:5209 --pin 0-3`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			cpus, err := oneEnd(pin)
			if err == nil {
				listen, err = netmeter.Address(listen)
			}
			if err != nil {
				return badInput(err)
			}
			ctx, done := untilSignal(c.Context())
			defer done()
			return netmeter.Listen(ctx, netmeter.Spot{CPUs: cpus}, listen,
				func(at string) { a.say("listening at %s", at) })
		},
	}
	c.Flags().StringVar(&listen, "listen", fmt.Sprintf(":%d", netmeter.Port), "the `ADDRESS` to listen at")
	c.Flags().StringVar(&pin, "pin", "", "the `CPUS` that it may use, as in 0-3; all otherwise")
	return c
}
