package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/report"
	"plimsoll.dev/source/objects"
	"plimsoll.dev/tune/check"
)

func newTune(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "tune",
		Short: "Explain, check, make and apply the settings of nodes",
		Long: `Tune answers which settings the nodes of an OpenShift cluster really get and
why, finds what is wrong in manifests before the operators do, plays what
operators would do, makes settings, and applies profiles with the real TuneD.

The operators changed: --release names the release whose rules count, such as
4.4; without it those of today do.`,
		Example: `  plimsoll tune check manifests/ --release 4.4
  plimsoll tune explain --nodes nodes.json --tuned tuned/
  plimsoll tune rollout --workers 120 --max-unavailable 10%`,
	}
	c.AddCommand(newTuneExplain(a), newTuneCheck(a), newTuneFlatten(a), newTuneKubelet(a), newTuneRender(a),
		newTunePerformance(a), newTuneRollout(a), newTuneHealth(a), newTuneRouter(a), newTuneMake(a), newTuneApply(a))
	return c
}

// tuning holds the flags that all commands of "tune" have.
type tuning struct {
	*app
	out     output
	release string
	failOn  string
	noError bool
	// unreadable says that some of the input could not be read, which the answer tells.
	unreadable bool
}

func (t *tuning) flags(c *cobra.Command) {
	t.out.flags(c)
	c.Flags().StringVar(&t.release, "release", release.Current.String(),
		"the release whose rules count: current, or such as 4.17")
	mustComplete(c, "release", release.Names())
	t.failures(c)
}

// failures are the flags that say what ends with exit code 3.
func (t *tuning) failures(c *cobra.Command) {
	c.Flags().StringVar(&t.failOn, "fail-on", "error", "exit with 3 when a finding is this severe: error, warning or info")
	c.Flags().BoolVar(&t.noError, "exit-zero", false, "exit with 0 whatever is found")
	mustComplete(c, "fail-on", []string{"error", "warning", "info"})
}

// checkFailures of the flags.
func (t *tuning) checkFailures() error {
	if severity(t.failOn) < 0 {
		return badInput(fmt.Errorf("--fail-on %q is not error, warning or info", t.failOn))
	}
	return nil
}

// readRelease is the release of the flags.
func (t *tuning) readRelease() (release.Release, error) {
	if err := t.checkFailures(); err != nil {
		return 0, err
	}
	r, err := release.ParseName(t.release)
	if err != nil {
		return 0, badInput(fmt.Errorf("--release %q is not current, or a release such as 4.17", t.release))
	}
	if r > release.Newest {
		t.say("release %s is not known, %s is the newest; it is judged by the rules of today", t.release, release.Newest)
	}
	return r, nil
}

// read reads manifests: files, directories, and - for standard input. The user is
// told of files that can't be read.
func (t *tuning) read(paths []string) (*objects.Reader, error) {
	r, err := t.readAll(paths)
	if err != nil {
		return nil, badInput(err)
	}
	r.Problems = slices.DeleteFunc(r.Problems, func(p yamlpos.Problem) bool {
		other := p.Template && p.Kind != "" && !check.Reads(p.Kind)
		if other {
			t.say("%s: the template of a %s is passed over", p.File, p.Kind)
		}
		return other
	})
	if len(r.Problems) > 0 {
		return nil, t.tell(r.Problems)
	}
	return r, nil
}

// readAll is read for those who tell problems themselves.
func (t *tuning) readAll(paths []string) (*objects.Reader, error) {
	r := objects.NewReader()
	var wrong []error
	for _, path := range paths {
		wrong = append(wrong, t.readPath(r, path))
	}
	t.sayPassed(r.Passed)
	err := errors.Join(wrong...)
	if err == nil && len(paths) > 0 && len(r.Objects)+len(r.Problems) == 0 {
		err = fmt.Errorf("%s: there is no manifest (directories are read for *.yaml, *.yml and *.json)",
			strings.Join(paths, ", "))
	}
	return r, err
}

// sayPassed tells what was passed over: of many alike the first, and how many there are.
func (t *tuning) sayPassed(passed []v1alpha1.Skipped) {
	const most = 3
	alike := map[string][]v1alpha1.Skipped{}
	for _, p := range passed {
		alike[p.Why] = append(alike[p.Why], p)
	}
	for _, p := range passed {
		list := alike[p.Why]
		switch {
		case len(list) <= most:
			t.say("%s: %s is passed over: %s", p.Place, p.What, p.Why)
		case p == list[0]:
			t.say("%s: %s is passed over: %s; so are %d others", p.Place, p.What, p.Why, len(list)-1)
		}
	}
}

func (t *tuning) readPath(r *objects.Reader, path string) error {
	if path == "-" {
		return r.Stdin(t.In)
	}
	info, err := os.Stat(path)
	if err != nil {
		return unread(path, err)
	}
	// What a link leads to is read when the user names it, the pipe of <(...) as well;
	// links inside of directories are not followed.
	if link, err := os.Lstat(path); err == nil && link.Mode()&fs.ModeSymlink != 0 && !info.IsDir() {
		f, err := os.Open(path)
		if err != nil {
			return unread(path, err)
		}
		defer f.Close()
		return r.Stream(path, f)
	}
	dir, name := filepath.Dir(path), filepath.Base(path)
	if info.IsDir() {
		dir, name = path, "."
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	r.Files(root.FS(), dir, name)
	return nil
}

// answer writes an answer and turns its findings and its verdict into the exit code.
func (t *tuning) answer(made *v1alpha1.Answer, r *objects.Reader) error {
	opt, err := t.out.options(t.app)
	if err != nil {
		return err
	}
	if r != nil {
		r.Excerpts(made.Findings)
	}
	object.Sort(made.Findings)
	if made.Findings == nil {
		made.Findings = []v1alpha1.Finding{} // an empty list for programs, not null
	}
	if err := t.out.write(t.app,
		func(w io.Writer) error { return report.WriteAnswer(w, made, t.out.format, opt) }); err != nil {
		return err
	}
	return t.verdict(made)
}

func (t *tuning) verdict(made *v1alpha1.Answer) error {
	if t.unreadable {
		t.say("exit code 2: not all texts can be read")
		return &exitError{code: ExitBadInput}
	}
	if t.noError {
		return nil
	}
	for _, f := range made.Findings {
		if severity(string(f.Severity)) <= severity(t.failOn) {
			t.say("exit code 3: %s: %s", f.Severity, f.Message)
			return &exitError{code: ExitNegative}
		}
	}
	if !made.Verdict.OK {
		t.say("exit code 3: %s", cmp.Or(made.Verdict.Problem, made.Verdict.Summary))
		return &exitError{code: ExitNegative}
	}
	if len(made.Verdict.Open) > 0 {
		t.say("exit code 3: not known: %s", made.Verdict.Open[0])
		return &exitError{code: ExitNegative}
	}
	return nil
}

// refuse ends the program when findings say that an input can't be used: values
// of the wrong type.
func (t *tuning) refuse(r *objects.Reader, found []v1alpha1.Finding) error {
	var bad yamlpos.Problems
	r.Excerpts(found)
	for _, f := range found {
		if f.Severity == v1alpha1.Error && f.Place != nil {
			bad = append(bad, yamlpos.Problem{File: f.Place.File, Line: f.Place.Line, Col: f.Place.Col, Field: f.Place.Field,
				What: f.Message, Fix: f.Remedy, Excerpt: f.Place.Excerpt})
		}
	}
	if len(bad) == 0 {
		return nil
	}
	return t.tell(bad)
}

// asTheyStand adds to an answer what is wrong with the objects as such, and what of them may not be as it stands: an
// object of another apiVersion, a template, a patch, files of several clusters. What the answer has already is not
// told again.
func asTheyStand(made *v1alpha1.Answer, lists ...[]*object.Object) {
	found := asSuch(lists)
	open := check.Unjudged(found)
	if slices.ContainsFunc(found, func(f v1alpha1.Finding) bool { return f.ID == check.Several }) {
		open = append([]string{"which directories are meant of those that hold the same objects"}, open...)
	}
	for _, o := range open {
		if !slices.Contains(made.Verdict.Open, o) {
			made.Verdict.Open = append(made.Verdict.Open, o)
		}
	}
	before := made.Findings
	made.Findings = append(made.Findings, slices.DeleteFunc(found, func(f v1alpha1.Finding) bool {
		return slices.ContainsFunc(before, func(g v1alpha1.Finding) bool { return sameRule(f, g) })
	})...)
}

// asSuch are the findings about the objects as such that count for any answer; of a file in several lists once.
func asSuch(lists [][]*object.Object) (found []v1alpha1.Finding) {
	for _, objects := range lists {
		for _, f := range check.Identify(objects) {
			again := func(g v1alpha1.Finding) bool { return sameRule(f, g) && f.Message == g.Message }
			if (f.ID == check.Several || f.Severity == v1alpha1.Error ||
				len(check.Unjudged([]v1alpha1.Finding{f})) > 0) && !slices.ContainsFunc(found, again) {
				found = append(found, f)
			}
		}
	}
	return found
}

// sameRule says whether two findings are by one rule at one place.
func sameRule(f, g v1alpha1.Finding) bool {
	return f.ID == g.ID && f.Place != nil && g.Place != nil && *f.Place == *g.Place
}

// unread names a file that can't be read, and why.
func unread(path string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// open opens a file, or standard input as "stdin".
func (a *app) open(path string) (io.ReadCloser, string, error) {
	if path == "-" {
		return io.NopCloser(a.In), "stdin", nil
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, "", unread(path, err)
	case info.IsDir():
		return nil, "", fmt.Errorf("%s: is a directory (name a file)", path)
	case !info.Mode().IsRegular():
		return nil, "", fmt.Errorf("%s: is no regular file (what comes from a pipe is read as -)", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, "", unread(path, err)
	}
	return f, path, nil
}
