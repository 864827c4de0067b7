package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"plimsoll.dev/bench/network"
	"plimsoll.dev/engine/netjobs"
	"plimsoll.dev/engine/netmeter"
	"plimsoll.dev/sink/manifest"
)

// clusterFlags say where in a cluster the ends are.
type clusterFlags struct {
	server serverFlags
	nodes  string
	write  string
	force  bool
	set    netjobs.Options
}

func (f *clusterFlags) flags(c *cobra.Command) {
	f.server.flags(c)
	s := &f.set
	c.Flags().StringVar(&s.Between, "between", "", "measure in a cluster, by Jobs: "+strings.Join(netjobs.Ways(), ", "))
	mustComplete(c, "between", netjobs.Ways())
	c.Flags().StringVar(&f.nodes, "nodes", "", "with --between nodes: `CLIENT:SERVER`, or CLIENT with --external")
	c.Flags().StringVar(&s.Image, "image", "", "with --between: the `IMAGE` with plimsoll as its entry point")
	c.Flags().BoolVar(&s.HostNetwork, "host-network", false, "with --between: pods in the network of their nodes")
	c.Flags().BoolVar(&s.Service, "service", false, "with --between: reach the server by the address of a Service")
	c.Flags().StringVar(&s.External, "external", "", "with --between: the `HOST[:PORT]` of a server outside")
	c.Flags().IntVar(&s.CPUs, "cpus", 2, "with --between: CPUs that each pod requests")
	c.Flags().DurationVar(&s.Patience, "patience", 5*time.Minute, "with --between: how long pods may take to begin")
	c.Flags().StringVar(&f.write, "write", "", "with --between: write the manifests into this `DIR`, and stop")
	c.Flags().BoolVar(&f.force, "force", false, "write over files that were edited")
}

// onlyBetween are the flags that mean nothing without --between.
var onlyBetween = []string{"nodes", "image", "host-network", "service", "external", "cpus", "patience", "write",
	"force", "kubeconfig", "context"}

// onlyWithout are those that mean nothing with it.
var onlyWithout = []string{"place", "server", "pin", "mtu", "no-offloads", "rps", "static-route"}

// check the flags, and complete the options.
func (f *clusterFlags) check(c *cobra.Command, p network.Parameters, congestion string) error {
	var wrong []string
	others, beside := onlyBetween, "stands beside --between"
	if f.set.Between != "" {
		others, beside = onlyWithout, "can't stand beside --between"
	}
	for _, name := range others {
		if c.Flags().Changed(name) {
			wrong = append(wrong, "--"+name+" "+beside)
		}
	}
	if f.set.Between != "" {
		f.set.ClientNode, f.set.ServerNode, _ = strings.Cut(f.nodes, ":")
		f.set.RunID, f.set.Parameters, f.set.Congestion = newRunID(time.Now()), p, congestion
		if f.set.External != "" {
			at, err := netmeter.Address(f.set.External)
			if err != nil {
				wrong = append(wrong, "--external: "+err.Error())
			}
			f.set.External = at
		}
		for _, err := range f.set.Check() {
			wrong = append(wrong, err.Error())
		}
	}
	if len(wrong) > 0 {
		return errors.New(strings.Join(wrong, "\n"))
	}
	return nil
}

// inCluster measures by Jobs.
func (b *benchNetwork) inCluster(c *cobra.Command) error {
	o := b.cluster.set
	if dir := b.cluster.write; dir != "" {
		var text strings.Builder
		p := objectPrinter{w: &text, kinds: map[string]int{}}
		for _, object := range netjobs.Manifests(o) {
			if err := p.one(object.Body, ""); err != nil {
				return err
			}
		}
		files := []manifest.File{{Path: "network.yaml", Content: []byte(text.String()), Why: "server and client"}}
		err := manifest.Write(dir, files, manifest.Options{By: "plimsoll bench network", Force: b.cluster.force})
		if err == nil {
			b.say("network.yaml is written to %s; what the client prints is the result:\n"+
				"kubectl apply -f %s/network.yaml && kubectl logs -f -n %s job/client > run.json", dir, dir,
				netjobs.Namespace(o.RunID))
		}
		return err
	}
	client, err := b.connect(b.cluster.server)
	if err != nil {
		return err
	}
	ctx, done := untilSignal(c.Context())
	defer done()
	b.say("run %s, some %v when the pods run", o.RunID, o.Parameters.Time().Round(time.Second))
	waits := func() {}
	run, err := netjobs.Run(ctx, client, o, func(what string) {
		waits()
		waits = b.waiting("waiting for " + what)
	})
	waits()
	if err != nil {
		if ctx.Err() != nil {
			return &exitError{ExitFailed, fmt.Errorf("interrupted: %w", err)}
		}
		return err
	}
	b.out.again = ""
	return b.answer(run.Answer(), nil)
}
