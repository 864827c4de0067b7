package cli

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/yamlout"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/report"
	"plimsoll.dev/source/objects"
	"plimsoll.dev/tune/check"
	"plimsoll.dev/tune/performance"
)

// performanceCommand holds the flags of "tune performance".
type performanceCommand struct {
	tuning
}

func newTunePerformance(a *app) *cobra.Command {
	x := &performanceCommand{tuning: tuning{app: a}}
	c := &cobra.Command{
		Use:   "performance FILE...",
		Short: "Show what the operator makes of PerformanceProfiles",
		Long: `Performance makes the Tuned, KubeletConfig, MachineConfig and RuntimeClass of
each PerformanceProfile as the Node Tuning Operator of the release does (since
4.14), and says what each CPU is for, which huge pages, kernel arguments, files
and fields of the kubelet follow, and from which field each comes. -o yaml
prints the objects themselves; texts of the operator's own, such as its
scripts, are not in them, and are told.

FILEs also hold what of the cluster decides: the MachineConfigPool and nodes of
the profile, the Infrastructure, the FeatureGate, ContainerRuntimeConfigs. What
of these decides and is not there is named as not known.

` + exitCodesHelp,
		Example: `  plimsoll tune performance examples/tune/performance.yaml
  plimsoll tune performance profile.yaml --release 4.16 -o yaml
  plimsoll tune performance profile.yaml -o wide --section kernel-arguments`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return x.run(args) },
	}
	x.tuning.flags(c)
	return c
}

func (x *performanceCommand) run(paths []string) error {
	of, err := x.readRelease()
	if err != nil {
		return err
	}
	if of.Minor() < performance.Oldest {
		return badInput(fmt.Errorf("--release %s: what the operator makes of a PerformanceProfile is known since %s "+
			"(tune check judges it for earlier releases)", of, performance.Oldest))
	}
	r, err := x.read(paths)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(r.Objects, isPerformance) {
		return badInput(fmt.Errorf("%s: there is no PerformanceProfile", strings.Join(paths, ", ")))
	}
	found, err := x.checkPerformance(r, of)
	if err != nil {
		return err
	}
	made := performance.Answer(r.Objects, of, found)
	asTheyStand(&made, r.Objects)
	if x.out.format != report.YAML {
		return x.answer(&made, r)
	}
	return x.manifests(&made, made.Result.([]performance.Rendering))
}

func isPerformance(o *object.Object) bool { return o.Kind == "PerformanceProfile" }

// checkPerformance checks the profiles as "tune check" does, and returns what does not keep the operator from
// rendering them.
func (t *tuning) checkPerformance(r *objects.Reader, of release.Release) ([]v1alpha1.Finding, error) {
	found := check.Run(check.Input{Objects: r.Objects, Release: of}).Findings
	found = slices.DeleteFunc(found, func(f v1alpha1.Finding) bool {
		return f.Place == nil || !strings.HasPrefix(f.Place.Object, "PerformanceProfile")
	})
	return found, t.refuse(r, slices.DeleteFunc(slices.Clone(found),
		func(f v1alpha1.Finding) bool { return !performance.Refuses(f) }))
}

// withPerformance are the objects that were read, and what the operator makes of the PerformanceProfiles among them.
func (t *tuning) withPerformance(r *objects.Reader, of release.Release) ([]*object.Object, error) {
	switch {
	case !slices.ContainsFunc(r.Objects, isPerformance):
		return r.Objects, nil
	case of.Minor() < performance.Oldest:
		t.say("PerformanceProfiles are passed over: what the operator makes of one is known since %s", performance.Oldest)
		return r.Objects, nil
	}
	if _, err := t.checkPerformance(r, of); err != nil {
		return nil, err
	}
	made, err := performance.Made(r.Objects, of)
	return slices.Concat(r.Objects, made), err
}

// unmade adds to an answer that it isn't known what of a kind becomes of PerformanceProfiles, where it isn't.
func unmade(made *v1alpha1.Answer, r *objects.Reader, of release.Release, kind string) {
	found := performance.Unmade(r.Objects, of, kind)
	made.Findings = append(made.Findings, found...)
	made.Verdict.Open = append(made.Verdict.Open, check.Unjudged(found)...)
}

// manifests prints the objects, after what is to be known about them.
func (x *performanceCommand) manifests(made *v1alpha1.Answer, all []performance.Rendering) error {
	if _, err := x.out.options(x.app); err != nil {
		return err
	}
	var b bytes.Buffer
	for _, p := range all {
		for _, o := range p.Objects() {
			text, err := yamlout.Marshal(o)
			if err != nil {
				return err
			}
			b.WriteString("---\n")
			if o["kind"] == "MachineConfig" {
				b.WriteString("# Not whole: what is \"not-reproduced:\" is the operator's own, and no pool takes it so.\n")
			}
			b.Write(text)
		}
	}
	object.Sort(made.Findings)
	for _, f := range made.Findings {
		x.say("%s: %s (%s)", f.Severity, f.Message, f.Remedy)
	}
	if err := x.out.write(x.app, func(w io.Writer) error {
		_, err := w.Write(b.Bytes())
		return err
	}); err != nil {
		return err
	}
	return x.verdict(made)
}
