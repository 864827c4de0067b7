package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/term"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/place"
	"plimsoll.dev/place/cloud"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/place/whatif"
	"plimsoll.dev/plan/helion"
	"plimsoll.dev/plan/helion/doubt"
	"plimsoll.dev/report"
	"plimsoll.dev/source/openstack"
	"plimsoll.dev/source/scenario"
)

// platformHelion is the platform of clouds of VMs.
const platformHelion = "helion"

// doubts are the ways to treat doubtful figures.
var doubts = []string{doubt.Careful, doubt.AsPrinted, doubt.Refuse}

// mergeCloud adds the flavors and the VMs of the files that the scenario names,
// and checks them as the scenario's own are checked.
func (m *merged) mergeCloud(doc *scenario.Document, in *input) error {
	switch {
	case in.runs() || len(in.manifests) > 0:
		return errors.New("--snapshot, --context and --manifests are for OpenShift and Kubernetes (on helion, " +
			"workload.flavorFile and workload.serverFile name what the openstack client wrote)")
	case in.doubtful != "" && !slices.Contains(doubts, in.doubtful):
		return fmt.Errorf("--doubtful %q is not one of %s", in.doubtful, strings.Join(doubts, ", "))
	}
	if in.doubtful != "" {
		m.scenario.Policy.Doubtful = in.doubtful
		m.assumed = slices.DeleteFunc(m.assumed, func(a v1alpha1.Assumption) bool { return a.Field == "policy.doubtful" })
	}
	outside := in.outside
	if w := &m.scenario.Workload; in.exports != "" {
		dir := doc.Path(".")
		w.Servers = nil // which are to come
		w.FlavorFile, w.ImageFile = exportFile(dir, in.exports, "flavors"), exportFile(dir, in.exports, "images")
		w.ServerFile, outside = exportFile(dir, in.exports, "servers"), true
	}
	if err := m.readExports(outside); err != nil {
		return err
	}
	return doc.CheckServers()
}

// readExports reads the files of the openstack client, all of them before what is
// wrong is told.
func (m *merged) readExports(outside bool) error {
	w, rules := &m.scenario.Workload, nova.Rules(m.scenario.Scheduling.Rules)
	flavors, wrong := readExport(m.doc, "workload.flavorFile", w.FlavorFile, outside,
		func(r io.Reader, name string) ([]v1alpha1.Flavor, []v1alpha1.Skipped, error) {
			return openstack.ReadFlavors(r, name, rules)
		})
	images, alsoWrong := readExport(m.doc, "workload.imageFile", w.ImageFile, outside, openstack.ReadImages)
	servers, err := readExport(m.doc, "workload.serverFile", w.ServerFile, outside, openstack.ReadServers)
	if err := joined(wrong, alsoWrong, err); err != nil {
		return err
	}
	w.Flavors, w.Images = append(w.Flavors, flavors.items...), append(w.Images, images.items...)
	known, unknown := ofKnownFlavors(w.Flavors, servers.items, w.ServerFile)
	m.skipped = slices.Concat(m.skipped, flavors.skipped, images.skipped, servers.skipped, unknown,
		withoutImages(w.Images, known, w.ServerFile))
	w.Servers = append(w.Servers, known...)
	return nil
}

// joined is the problems of several files as one, or the first other error.
func joined(errs ...error) error {
	var all yamlpos.Problems
	for _, err := range errs {
		var found yamlpos.Problems
		if err != nil && !errors.As(err, &found) {
			return err
		}
		all = append(all, found...)
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// ofKnownFlavors are the servers whose flavor is known. The others are told: their
// flavor was deleted, and what they hold on their hosts does not count.
func ofKnownFlavors(flavors []v1alpha1.Flavor, servers []v1alpha1.Server,
	file string) (known []v1alpha1.Server, unknown []v1alpha1.Skipped) {
	names := map[string]bool{}
	for _, f := range flavors {
		names[f.Name] = true
	}
	for _, s := range servers {
		if names[s.Flavor] {
			known = append(known, s)
			continue
		}
		unknown = append(unknown, v1alpha1.Skipped{Place: file, What: "server " + s.Name, Needed: true,
			Why: fmt.Sprintf("its flavor %s is in no list: what it holds on %s does not count", s.Flavor,
				cmp.Or(s.Host, "its host"))})
	}
	return known, unknown
}

// withoutImages takes the images that nothing is known of from servers of an
// export, and says so once for each.
func withoutImages(known []v1alpha1.Image, servers []v1alpha1.Server, file string) []v1alpha1.Skipped {
	var out []v1alpha1.Skipped
	told := map[string]bool{"": true}
	for _, i := range known {
		told[i.Name] = true
	}
	for i := range servers {
		name := servers[i].Image
		if slices.ContainsFunc(known, func(k v1alpha1.Image) bool { return k.Name == name }) {
			continue
		}
		servers[i].Image = ""
		if !told[name] {
			told[name] = true
			out = append(out, v1alpha1.Skipped{Place: file, What: "image " + name,
				Why: "it is not among workload.images: its properties and its disk do not count"})
		}
	}
	return out
}

// export is what the file of an OpenStack client holds.
type export[T any] struct {
	items   []T
	skipped []v1alpha1.Skipped
}

// readExport reads a file that the scenario names; no name gives nothing.
func readExport[T any](doc *scenario.Document, field, name string, outside bool,
	read func(io.Reader, string) ([]T, []v1alpha1.Skipped, error)) (out export[T], err error) {
	if name == "" {
		return out, nil
	}
	f, path, err := openBeside(doc.Path("."), name, outside)
	var missing *fs.PathError
	if errors.As(err, &missing) {
		return out, yamlpos.Problems{
			doc.Problem(field, fmt.Sprintf("%q: %v", name, missing.Err), "name a file relative to this file"),
		}
	}
	if err != nil {
		return out, err
	}
	defer f.Close()
	text, err := unpacked(f, path)
	if err != nil {
		return out, err
	}
	out.items, out.skipped, err = read(text, path)
	return out, err
}

// openBeside opens a file that a scenario in dir names. Unless outside is
// allowed, no link leads out of dir.
func openBeside(dir, name string, outside bool) (*os.File, string, error) {
	local := filepath.FromSlash(name)
	if outside || !filepath.IsLocal(local) {
		if !filepath.IsAbs(local) {
			local = filepath.Join(dir, local)
		}
		f, err := openRegular(os.Stat, os.Open, local)
		return f, local, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, "", err
	}
	defer root.Close()
	f, err := openRegular(root.Stat, root.Open, local)
	return f, filepath.Join(dir, local), err
}

// placeServers places the VMs of a cloud and writes where they are.
func (p *placeCommand) placeServers(ctx context.Context, m *merged, opt report.Options) error {
	if p.drain != "" && p.drain != "0" || p.option != "" {
		return badInput(errors.New("--drain and --option are for OpenShift and Kubernetes (on helion, " +
			"--failures says how many hosts are lost)"))
	}
	p.schedule(m.scenario)
	placed, err := p.placedServers(ctx, m, m.plan())
	if err != nil {
		return err
	}
	opt.Scenario = m.scenario
	if err := p.out.write(p.app,
		func(w io.Writer) error { return report.WriteServerPlacement(w, placed, p.out.format, opt) }); err != nil {
		return err
	}
	return p.negative(placed.Verdict)
}

// placedServers are the VMs of a cloud on its hosts, beside what its plan says.
func (p *placeCommand) placedServers(ctx context.Context, m *merged,
	made *v1alpha1.Plan) (*v1alpha1.ServerPlacement, error) {
	hosts := p.hosts(m, made)
	if len(hosts) == 0 {
		return nil, badInput(errors.New("no computes to place on: the plan finds none that hold the VMs, " +
			"and the scenario counts none (plimsoll plan says why; set count on a node type with the role compute)"))
	}
	c, problems := cloud.New(m.scenario, hosts)
	if len(problems) > 0 {
		return nil, p.tell(m.problems(problems))
	}
	placed := p.runServers(ctx, m, c)
	placed.Confirm(made, false, "compute.option")
	return placed, nil
}

// hosts are the computes as many as the scenario counts, else those of the plan.
func (p *placeCommand) hosts(m *merged, made *v1alpha1.Plan) []cloud.Pool {
	if p.planned {
		return helion.Pools(m.scenario, made, m.machines)
	}
	return helion.Hosts(m.scenario, made, m.machines)
}

func (p *placeCommand) runServers(ctx context.Context, m *merged, c *cloud.Cloud) *v1alpha1.ServerPlacement {
	progress := p.counting("placing", "VMs", int64(c.Wanted()))
	defer progress.Done()
	var trying *term.Progress
	opt := cloud.Options{Failures: p.failures, Compare: p.compare,
		Progress: func(done int) { progress.Set(int64(done)) },
		Watch: whatif.Watch{
			Trying: func(done, total int) {
				if trying == nil {
					progress.Done()
					trying = p.counting("trying failures", "cases", int64(total))
				}
				trying.Set(int64(done))
			},
			Stop: func() bool { return ctx.Err() != nil },
		}}
	stated := place.Stated(m.scenario, m.assumed)
	opt.Stated.Failures, opt.Stated.Zones = stated.Failures, stated.Zones
	placed := cloud.Make(c, opt)
	if trying != nil {
		trying.Done()
	}
	placed.Assumptions = slices.Concat(m.assumed, placed.Assumptions)
	cloud.Skip(placed, m.skipped)
	return placed
}

// counting reports progress on standard error.
func (p *placeCommand) counting(title, unitName string, total int64) *term.Progress {
	return term.NewProgress(p.terminal, term.ProgressOptions{Title: title, Unit: unitName, Total: total, Quiet: p.quiet,
		Now: time.Now})
}

// problems are those of a cloud at their positions in the scenario.
func (m *merged) problems(found []cloud.Problem) error {
	var wrong yamlpos.Problems
	for _, f := range found {
		wrong = append(wrong, m.doc.Problem(f.Field, f.Text, f.Fix))
	}
	wrong.Sort()
	return wrong
}
