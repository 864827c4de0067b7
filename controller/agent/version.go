package agent

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"plimsoll.dev/tune/tuned"
)

// version is another one whenever the node's profile may come to something else: by its name, its text, or that of a
// profile that it may include. What nobody includes, and whom the profiles are for, do not matter.
func version(want *Desired, installed []tuned.Directory) string {
	texts, own := map[string]string{}, map[string]bool{}
	for _, dir := range installed {
		for _, p := range dir.Profiles {
			texts[p.Name] = p.Source.Body
		}
	}
	for _, p := range want.Profiles {
		texts[p.Name], own[p.Name] = p.Source.Body, true
	}
	names := reach(want.Profile, texts)
	hash := sha256.New()
	fmt.Fprintf(hash, "%q %t", want.Profile, want.SysctlsWin)
	for _, name := range names {
		if own[name] {
			fmt.Fprintf(hash, " %q %q", name, texts[name])
		}
	}
	return fmt.Sprintf("%x", hash.Sum(nil))
}

var (
	// includes are the values of include, over the lines that go on.
	includes = regexp.MustCompile(`(?mi)^[ \t]*include[ \t]*[=:](.*(?:\n[ \t]+.*)*)`)
	// known are functions that come to one of their arguments.
	known = regexp.MustCompile(`\$\{f:virt_check:`)
	// nameOf a profile, which something may follow that the node decides.
	nameOf = regexp.MustCompile(`([A-Za-z0-9_.-]*)(\$\{)?`)
)

// reach are the names of texts that a profile may include, by way of others, sorted, itself among them. Where the node
// decides how a name goes on, as in "-provider-${f:exec:...}", they are all that begin so.
func reach(profile string, texts map[string]string) []string {
	todo, seen := []string{profile}, map[string]bool{}
	for len(todo) > 0 {
		name := todo[0]
		if todo = todo[1:]; seen[name] {
			continue
		}
		seen[name] = true
		for _, m := range includes.FindAllStringSubmatch(texts[name], -1) {
			for _, one := range nameOf.FindAllStringSubmatch(known.ReplaceAllString(m[1], " "), -1) {
				start := strings.TrimPrefix(one[1], "-") // one that may be missing
				todo = append(todo, start)
				for other := range texts {
					if one[2] != "" && strings.HasPrefix(other, start) {
						todo = append(todo, other)
					}
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}
