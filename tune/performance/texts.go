package performance

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/internal/words"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/schema"
)

// notesPrefix begins the annotations that the operator reads, but for that with the kubelet's configuration.
const notesPrefix = "performance.openshift.io/"

// known are the annotations of any release, without the prefix.
var known = []string{"pause-reconcile", "enable-physical-dev-rps", "enable-rps", "ignore-cgroups-version",
	"exec-cpu-affinity", "dra-resource-management", "cpu-load-balancing-ovs-dpdk"}

// notes finds annotations that may be meant for the operator, and that it doesn't read.
func (c *checker) notes() {
	for key, value := range c.Value.Metadata.Annotations {
		name, ours := strings.CutPrefix(key, notesPrefix)
		near := ""
		switch {
		case ours && !slices.Contains(known, name):
			if n := schema.Nearest(name, known); n != "" {
				near = notesPrefix + n
			}
		case key != snippetNote && strings.HasPrefix(key, "kubeletconfig."):
			near = schema.Nearest(key, []string{snippetNote})
		}
		at := "metadata.annotations." + key
		if near != "" {
			c.found = append(c.found, c.Finding(unreadNote, at, "the operator reads no annotation "+key,
				"did you mean "+near+"?"))
		}
		if _, err := strconv.ParseBool(value); key == draNote && err != nil && draKnown.In(c.release) {
			c.found = append(c.found, c.Finding(unreadNote, at, fmt.Sprintf("%q is neither true nor false: the operator passes "+
				"over the annotation", yamlpos.Shorten(value)), "write true, or remove it"))
		}
	}
}

// arguments judges additionalKernelArgs: those that leave their line, and those that the profile has otherwise itself.
// Sizes and numbers of huge pages stand there more than once.
func (c *checker) arguments(a *around) {
	const path = "spec.additionalKernelArgs[%d]"
	args := c.Value.Spec.AdditionalKernelArgs
	for i, arg := range args {
		if strings.ContainsAny(arg, "\n\r") {
			c.found = append(c.found, c.Finding(badArgument, fmt.Sprintf(path, i), fmt.Sprintf("%q holds a line break: what is "+
				"behind it becomes another line of TuneD's profile", yamlpos.Shorten(arg)), "write each argument as an item"))
		}
	}
	if len(args) == 0 || !complete(&c.Value) || slices.ContainsFunc(c.found, Refuses) || c.release.Minor() < Oldest {
		return
	}
	r := a.render(c.Typed, c.release)
	r.kernelOf()
	for i, arg := range args {
		key, _, _ := strings.Cut(arg, "=")
		var others []string
		for _, k := range r.Kernel {
			had, _, _ := strings.Cut(k.Argument, "=")
			if had == key && k.Argument != arg && !slices.Contains(k.From, "spec.additionalKernelArgs") {
				others = append(others, k.Argument)
			}
		}
		if len(others) > 0 && key != "hugepages" && key != "hugepagesz" {
			c.found = append(c.found, c.Finding(twoArguments, fmt.Sprintf(path, i),
				fmt.Sprintf("%s stands beside %s, which comes of the rest of the profile", arg, words.And(others)),
				"say it by the fields of the profile, or leave it out"))
		}
	}
}

// pattern says why the name of a device is no pattern for TuneD; empty where it is one.
func pattern(name string) string {
	_, err := regexp.Compile(strings.ReplaceAll(strings.TrimPrefix(name, "!"), "*", ".*"))
	if err == nil {
		return ""
	}
	return fmt.Sprintf("interfaceName %q is no pattern: TuneD can't read it", yamlpos.Shorten(name))
}
