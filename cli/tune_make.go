package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/internal/yamlout"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/sink/manifest"
	"plimsoll.dev/tune/infra"
	"plimsoll.dev/tune/machineconfig"
	"plimsoll.dev/tune/profile"
	"plimsoll.dev/unit"
)

func newTuneMake(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "make",
		Short: "Make manifests of settings",
		Long: `Make writes manifests for settings that operators take: they are printed, and
what to know about them is told on standard error.`,
		Example: `  plimsoll tune make machineconfig --rps-cpus 8
  plimsoll tune make hugepages --count 1024`,
	}
	c.AddCommand(newMakeMachineConfig(a), newMakeHugePages(a), newMakeInfra(a))
	return c
}

// maker holds the flags that the commands below "make" share.
type maker struct {
	tuning
}

func (m *maker) flags(c *cobra.Command) {
	m.failOn = "error"
	c.Flags().StringVar(&m.release, "release", "current", "the `RELEASE` it is for, such as 4.4")
	c.Flags().StringVar(&m.out.file, "output-file", "", "`FILE` to write; empty is standard output")
}

// print writes a manifest, after what is to be known about it. With errors
// nothing is written.
func (m *maker) print(manifest any, found []v1alpha1.Finding) error {
	object.Sort(found)
	wrong := false
	for _, f := range found {
		text := string(f.Severity) + ": "
		if f.Field != "" {
			text += f.Field + ": "
		}
		text += f.Message
		if f.Remedy != "" {
			text += " (" + f.Remedy + ")"
		}
		if wrong = wrong || f.Severity == v1alpha1.Error; f.Severity == v1alpha1.Error {
			fmt.Fprintln(m.Err, noted("plimsoll: "+text))
			continue
		}
		m.note(text)
	}
	if wrong {
		return &exitError{code: ExitBadInput}
	}
	text, err := yamlout.Marshal(manifest)
	if err != nil {
		return err
	}
	return m.out.write(m.app, func(w io.Writer) error {
		_, err := w.Write(withoutEmpty(text))
		return err
	})
}

// note says something in the lines of a terminal, unless the user wants it quiet.
func (m *maker) note(text string) {
	if !m.quiet {
		fmt.Fprintln(m.Err, noted("plimsoll: "+text))
	}
}

// noted is a text in lines of 80 columns, the further ones set in.
func noted(text string) string { return strings.Join(table.Hang(text, 80, 78), "\n  ") }

// withoutEmpty leaves out a status that says nothing.
func withoutEmpty(text []byte) []byte { return bytes.TrimSuffix(text, []byte("status: {}\n")) }

// machineConfigCommand holds the flags of "make machineconfig".
type machineConfigCommand struct {
	maker
	settings machineconfig.Settings
	rps      machineconfig.RPS
	only     string
	routes   []string
	pages    map[string]string
	ovn      bool
	networks []string
}

func newMakeMachineConfig(a *app) *cobra.Command {
	x := &machineConfigCommand{maker: maker{tuning: tuning{app: a}}}
	c := &cobra.Command{
		Use:   "machineconfig",
		Short: "Make one MachineConfig for RPS, static routes, huge pages",
		Long: `Machineconfig makes one MachineConfig for everything that is asked for, because
each that is created by itself drains and reboots the whole pool once more.

` + exitCodesHelp,
		Example: `  plimsoll tune make machineconfig --rps-cpus 8
  plimsoll tune make machineconfig --rps-cpus 8 --as-documented --release 4.4
  plimsoll tune make machineconfig --route "enc9000 10.1.2.0/24 via 10.1.1.1"
  plimsoll tune make machineconfig --huge-pages 1Gi=16 --role worker-nfv`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return x.run() },
	}
	x.maker.flags(c)
	f := c.Flags()
	f.StringVar(&x.settings.Name, "name", "50-tuning", "`NAME` of it, which orders the rendering")
	f.StringVar(&x.settings.Role, "role", "worker", "`POOL` whose nodes get it")
	f.IntSliceVar(&x.rps.CPUs, "rps-cpus", nil, "RPS: `CPUS` of a node; several if nodes differ")
	f.StringVar(&x.only, "rps-only", "", "only these `CPUS` take part, as 0-3,8")
	f.StringVar(&x.rps.Driver, "rps-driver", "", "only NICs with this `DRIVER`")
	f.StringVar(&x.rps.NamePattern, "rps-nics", "", "only NICs with such `NAMES`, as enc*")
	f.BoolVar(&x.rps.Virtual, "rps-virtual", false, "virtual devices, too (rps_default_mask)")
	f.StringArrayVar(&x.routes, "route", nil, "static `ROUTE`: \"DEVICE NETWORK [via GATEWAY]\"")
	f.StringSliceVar(&x.networks, "networks", nil, "`NETWORKS` of the cluster, not to be routed")
	f.BoolVar(&x.ovn, "ovn", false, "pods on OVN-Kubernetes use the routes")
	f.StringToStringVar(&x.pages, "huge-pages", nil, "by boot arguments, as 1Gi=16: `SIZE=N`")
	f.BoolVar(&x.settings.AsDocumented, "as-documented", false, "as in the documents, and what is wrong so")
	f.BoolVar(&x.settings.Base64, "base64", false, "encode contents as base64")
	return c
}

func (x *machineConfigCommand) run() error {
	r, err := x.readRelease()
	if err != nil {
		return err
	}
	if err := x.read(); err != nil {
		return badInput(err)
	}
	made, found := machineconfig.Generate(x.settings, r)
	return x.print(made, found)
}

// read turns the flags into settings.
func (x *machineConfigCommand) read() error {
	if len(x.rps.CPUs)+len(x.routes)+len(x.pages) == 0 {
		return fmt.Errorf("nothing to make: give --rps-cpus, --route or --huge-pages")
	}
	if len(x.rps.CPUs) > 0 {
		x.settings.RPS = &x.rps
		if x.only != "" {
			cpus, err := unit.ParseCPUSet(x.only)
			if err != nil {
				return fmt.Errorf("--rps-only: %w", err)
			}
			x.rps.Only = slices.Collect(cpus.All())
		}
	}
	for _, text := range x.routes {
		if err := x.route(text); err != nil {
			return fmt.Errorf("--route: %w", err)
		}
	}
	pages := &machineconfig.HugePages{Pages: map[string]int64{}}
	for size, text := range x.pages {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return fmt.Errorf("--huge-pages %s=%s: %q is no number of pages", size, text, text)
		}
		pages.Pages[size], x.settings.HugePages = n, pages
	}
	return nil
}

// route reads "DEVICE NETWORK [via GATEWAY]".
func (x *machineConfigCommand) route(text string) error {
	words := strings.Fields(text)
	if len(words) != 2 && (len(words) != 4 || words[2] != "via") {
		return fmt.Errorf("%q is not DEVICE NETWORK, or DEVICE NETWORK via GATEWAY", text)
	}
	r := machineconfig.Route{To: words[1]}
	if len(words) == 4 {
		r.Via = words[3]
	}
	for i := range x.settings.Routes {
		if x.settings.Routes[i].Device == words[0] {
			x.settings.Routes[i].Routes = append(x.settings.Routes[i].Routes, r)
			return nil
		}
	}
	x.settings.Routes = append(x.settings.Routes,
		machineconfig.Routes{Device: words[0], Routes: []machineconfig.Route{r}, Pods: x.networks, OVN: x.ovn})
	return nil
}

func newMakeHugePages(a *app) *cobra.Command {
	x := &maker{tuning: tuning{app: a}}
	var p machineconfig.HugePagesProfile
	c := &cobra.Command{
		Use:   "hugepages --count N",
		Short: "Make a Tuned CR that allocates huge pages on labelled nodes",
		Long: `Hugepages makes a Tuned CR that allocates huge pages of the usual size, 2Mi, on
the nodes with a label, while they run. Its priority ties with no default
profile.

` + exitCodesHelp,
		Example: `  plimsoll tune make hugepages --count 1024
  plimsoll tune make hugepages --count 4096 --name nfv --label nfv-pages`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			r, err := x.readRelease()
			if err != nil {
				return err
			}
			made, found := p.Tuned(r)
			return x.print(made, append(found, operatorsOwn(p.Name)...))
		},
	}
	x.flags(c)
	f := c.Flags()
	f.StringVar(&p.Name, "name", "hugepages", "`NAME` of the CR; its profile is node-NAME")
	f.StringVar(&p.Label, "label", "hugepages", "`LABEL` of the nodes")
	f.Int64Var(&p.Count, "count", 0, "pages of each node: `N`")
	f.Int64Var(&p.Priority, "priority", 0, "priority `N` (default: one without ties)")
	return c
}

// operatorsOwn warns of the name of the CR that the operator keeps.
func operatorsOwn(name string) []v1alpha1.Finding {
	if name != profile.DefaultName {
		return nil
	}
	return []v1alpha1.Finding{{Severity: v1alpha1.Warning, ID: "make.default", Field: "--name",
		Message: "the operator makes the CR default itself and puts its own items back",
		Remedy:  "choose another name, such as hugepages"}}
}

// infraCommand holds the flags of "make infra".
type infraCommand struct {
	tuning
	opt   infra.Options
	taint bool
	write string
	force bool
}

func newMakeInfra(a *app) *cobra.Command {
	x := &infraCommand{tuning: tuning{app: a}}
	c := &cobra.Command{
		Use:   "infra --release RELEASE",
		Short: "Move monitoring and routers to infrastructure nodes",
		Long: `Infra makes the manifests and the steps that move the platform's own components
to infrastructure nodes: the pool, without which a relabelled node is in none,
the labels, monitoring with all its parts of the release, the router.

` + exitCodesHelp,
		Example: `  plimsoll tune make infra --release 4.12 --nodes infra-0,infra-1 --write infra
  plimsoll tune make infra --release 4.4 --taint -o markdown`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return x.run() },
	}
	x.out.flags(c)
	x.failOn = "error"
	f := c.Flags()
	f.StringVar(&x.release, "release", "", "`RELEASE` of OpenShift, such as 4.12")
	f.StringSliceVar(&x.opt.Nodes, "nodes", nil, "the `NODES` to relabel")
	f.BoolVar(&x.taint, "taint", false, "keep other pods off by a taint")
	f.BoolVar(&x.opt.KeepWorker, "keep-worker", false, "keep the label worker: other pods may run there")
	f.StringVar(&x.write, "write", "", "also write the manifests into this `DIR`")
	f.BoolVar(&x.force, "force", false, forceHelp)
	f.BoolVar(&x.opt.Monitoring.Users, "user-workload", false, "monitor the users' projects, and move that too")
	return c
}

func (x *infraCommand) run() (err error) {
	switch x.opt.Release, err = release.Parse(x.release); {
	case x.release == "":
		return badInput(errors.New("--release is missing: monitoring and routers differ by release (such as --release 4.12)"))
	case err != nil:
		return badInput(fmt.Errorf("--release: %w", err))
	case x.force && x.write == "":
		return badInput(errors.New("--force is for --write"))
	}
	if x.taint {
		x.opt.Taints = []v1alpha1.Taint{{Key: openshift.LabelInfra, Effect: "NoSchedule"}}
	}
	move := infra.Plan(x.opt)
	if err := nodeNames(move.Findings); err != nil {
		return badInput(err)
	}
	if x.write != "" {
		var files []manifest.File
		for _, f := range move.Files {
			files = append(files, manifest.File{Path: f.Name, Content: []byte(f.YAML), Why: "the move to infrastructure nodes"})
		}
		if err := manifest.Write(x.write, files,
			manifest.Options{By: "plimsoll tune make infra", Force: x.force}); err != nil {
			return err
		}
		x.say("%s written to %s", words.Count(len(files), "file"), x.write)
	}
	made := move.Answer()
	return x.answer(&made, nil)
}

// nodeNames are the names of --nodes that no node can have.
func nodeNames(found []v1alpha1.Finding) error {
	var wrong []error
	for _, f := range found {
		if f.ID == "infra.nodeName" {
			wrong = append(wrong, fmt.Errorf("--nodes: %s (%s)", f.Message, f.Remedy))
		}
	}
	return errors.Join(wrong...)
}
