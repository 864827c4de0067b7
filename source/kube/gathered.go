package kube

import (
	"bytes"
	"errors"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/source/dump"
	"plimsoll.dev/source/files"
	"plimsoll.dev/tune/profile"
	"plimsoll.dev/unit"
)

// gathered are the bounds of a directory that a cluster was written into, as "oc adm
// must-gather" does: tens of thousands of files, of which few are of interest.
var gathered = files.Options{MaxFile: unit.GiB, MaxTotal: 16 * unit.GiB, MaxFiles: 1_000_000,
	Large: "give the objects with 'kubectl get " + clusterKinds + " -A -o json'"}

// ClusterKinds are the kinds of ReadCluster.
var ClusterKinds = []string{kindNode, kindPod, "PodDisruptionBudget", "MachineConfigPool", "Machine", kindProfile}

// kindProfile is what the Node Tuning Operator reports of nodes.
const kindProfile = "Profile"

// wants says whether a must-gather's objects of a plural may be of interest; one that is not known may be.
func (o Options) wants(plural string) bool {
	return plural == "" || slices.ContainsFunc(ClusterKinds,
		func(kind string) bool { return pluralOf(kind) == plural && o.Reads(kind) })
}

// Reads says whether ReadCluster keeps objects of a kind.
func (o Options) Reads(kind string) bool {
	switch kind {
	case "PodDisruptionBudget":
		return o.Drains
	case kindProfile:
		return o.Profiles
	}
	return slices.Contains(ClusterKinds, kind)
}

// kindsRead are these kinds, and lists of them.
var kindsRead = "(" + strings.Join(ClusterKinds, "|") + ")(List)?"

// ofCluster finds the kinds in a text, surely those of its objects and not of what
// they refer to. A reference does no harm: what is read is decided later.
var (
	ofCluster = regexp.MustCompile(`kind["']?[ \t]*:[ \t]*["']?` + kindsRead + `\b`)
	surely    = regexp.MustCompile(`(?m)^kind:[ \t]*` + kindsRead + `[ \t]*\r?$`)
)

// ReadClusterFiles is ReadCluster of all files *.yaml, *.yml and *.json in fsys, and
// in the directories below: of a must-gather, or of any directory of dumps. An object
// that stands in two files is taken once. dir is how people know fsys.
func ReadClusterFiles(fsys fs.FS, dir string, opt Options) (*Cluster, error) {
	d := &gatheredFiles{opt: opt, listed: map[string]bool{}}
	set := gathered
	set.Dir, set.Want = dir, func(path string) bool { return opt.wants(dump.Resource(path)) }
	files.Each(fsys, []string{"."}, set, d, d.file)
	if len(d.bad) > 0 {
		return nil, d.bad
	}
	d.found.Nodes = once(d.found.Nodes, func(n openshift.Node) string { return n.Metadata.Name })
	d.found.Pools = once(d.found.Pools, func(p openshift.MachineConfigPool) string { return p.Metadata.Name })
	d.found.Profiles = once(d.found.Profiles, func(p openshift.Profile) string { return p.Metadata.Name })
	d.found.Machines = once(d.found.Machines,
		func(m openshift.Machine) string { return m.Metadata.Namespace + "/" + m.Metadata.Name })
	d.found.Pods = once(d.found.Pods, func(p profile.Pod) string { return p.Namespace + "/" + p.Name })
	return d.found.complete(dir, "name a directory with files that 'oc adm must-gather', or 'kubectl get "+clusterKinds+
		" -A -o json' wrote")
}

// gatheredFiles are a directory that is being read.
type gatheredFiles struct {
	opt   Options
	found Cluster
	bad   yamlpos.Problems
	// listed are the directories of namespaces whose pods have been read as a list.
	listed map[string]bool
}

// podList and podFile are how a must-gather has the pods of a namespace: all in one
// list, and each again by itself.
var (
	podList = regexp.MustCompile(`^(.*/namespaces/[^/]+)/core/pods\.yaml$`)
	podFile = regexp.MustCompile(`^(.*/namespaces/[^/]+)/pods/[^/]+/[^/]+\.yaml$`)
)

// again says that a file holds a pod of a list that has been read.
func (d *gatheredFiles) again(name string) bool {
	if m := podList.FindStringSubmatch(name); m != nil {
		d.listed[m[1]] = true
	}
	m := podFile.FindStringSubmatch(name)
	return m != nil && d.listed[m[1]]
}

// file reads a file, whole or not at all. One that can't be read is a problem where it surely is of
// interest, and told in the answer where it may be: a must-gather has templates and cut files, too.
func (d *gatheredFiles) file(name string, text []byte) {
	if d.again(name) {
		return
	}
	if !ofCluster.Match(text) {
		if isJSON(text) && !bytes.HasSuffix(bytes.TrimSpace(text), []byte("}")) {
			d.pass(name, "the JSON ends in the middle")
		}
		return
	}
	var one Cluster
	err := one.read(bytes.NewReader(text), name, d.opt)
	var bad yamlpos.Problems
	switch {
	case err == nil && headless(text):
		d.pass(name, "the list ends in the middle: its kind is missing")
	case err == nil:
		d.found.add(&one)
	case !surely.Match(text) && !isJSON(text):
		d.pass(name, "it can't be read")
	case errors.As(err, &bad):
		for _, p := range bad {
			d.bad.Add(p)
		}
	default:
		d.Bad(name, err.Error(), "leave the file out")
	}
}

// isJSON says whether a text can be nothing but JSON. A template begins with two braces.
func isJSON(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n")
	return bytes.HasPrefix(text, []byte("{")) && !bytes.HasPrefix(text, []byte("{{"))
}

// Programs write the fields of a list in the order of their names: the kind comes behind the items.
var (
	listed = regexp.MustCompile(`(?m)^items:`)
	named  = regexp.MustCompile(`(?m)^kind:`)
)

// headless says whether a text is the beginning of a list in YAML, cut at the end of a line.
func headless(text []byte) bool { return !isJSON(text) && listed.Match(text) && !named.Match(text) }

func (d *gatheredFiles) pass(file, why string) {
	d.found.Passed = append(d.found.Passed, v1alpha1.Skipped{What: "the file", Why: why, Place: file})
}

// Bad takes a file that can't be read.
func (d *gatheredFiles) Bad(file, what, fix string) {
	d.bad.Add(yamlpos.Problem{File: file, Line: 1, Col: 1, What: what, Fix: fix})
}

// Pass takes what is passed over, of which a must-gather is full. A link may lead to what was asked for.
func (d *gatheredFiles) Pass(file, what, why string) {
	if strings.HasPrefix(what, "symbolic link ") && isDump.MatchString(file) {
		d.found.Passed = append(d.found.Passed, v1alpha1.Skipped{What: "the " + what, Why: why, Place: file})
	}
}

// isDump are the names of files that are read.
var isDump = regexp.MustCompile(`(?i)\.(ya?ml|json)$`)

// once leaves the first object of each name.
func once[T any](list []T, name func(T) string) []T {
	seen := make(map[string]bool, len(list))
	return slices.DeleteFunc(list, func(x T) bool {
		again := seen[name(x)]
		seen[name(x)] = true
		return again
	})
}
