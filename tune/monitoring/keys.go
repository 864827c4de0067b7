package monitoring

import (
	"strings"

	"plimsoll.dev/release"
)

// kind is what the value of a key is.
type kind uint8

const (
	mapping    kind = iota // keys below
	items                  // list of mappings with the keys below
	free                   // not judged here
	text                   // one of oneOf, where that is given
	boolean                // true or false
	number                 // a whole number, 0 or more
	textMap                // mapping of texts to texts
	textList               // list of texts
	quantities             // mapping of resource names to amounts
	retention              // how long Prometheus keeps samples
	diskLimit              // how much Prometheus keeps on its disk
	bodyLimit              // how large the answer of a target may be
	interval               // time between two scrapes or evaluations
	logFile                // file of a log of queries
	patterns               // list of regular expressions
	ownLabels              // labels of samples, but for those that the operator sets
)

// key is a key of config.yaml.
type key struct {
	name string
	// Span are the releases that know it.
	release.Span
	is    kind
	keys  []key
	oneOf []string
	// not is a text that was taken once and is refused now; empty for none.
	not string
	// preview are releases that take nothing but the first two of oneOf without a feature gate.
	preview release.Span
	// idle are releases that know it and do nothing with it; the zero span is none.
	idle release.Span
	// on is the key whose value true has the part run at all; empty for always.
	on string
}

// acts says whether the key has an effect in a release.
func (k *key) acts(r release.Release) bool {
	return k.Has(r) && (k.idle.Since == 0 || !k.idle.Has(r))
}

// has returns the key of a name that a release knows.
func has(keys []key, name string, r release.Release) *key {
	return search(keys, func(k *key) bool { return k.Has(r) && k.name == name })
}

// folded returns the key that a release takes for name when letter case doesn't count.
func folded(keys []key, name string, r release.Release) *key {
	return search(keys, func(k *key) bool { return k.Has(r) && strings.EqualFold(k.name, name) })
}

// elsewhen returns the key of a name that other releases know.
func elsewhen(keys []key, name string) *key {
	return search(keys, func(k *key) bool { return k.name == name })
}

func search(keys []key, good func(*key) bool) *key {
	for i := range keys {
		if good(&keys[i]) {
			return &keys[i]
		}
	}
	return nil
}

// names are the names of the keys that a release knows.
func names(keys []key, r release.Release) []string {
	var out []string
	for i := range keys {
		if keys[i].acts(r) {
			out = append(out, keys[i].name)
		}
	}
	return out
}

// Knows says whether a release does something with a key of the platform's
// config.yaml: "prometheusK8s.tolerations".
func Knows(r release.Release, path string) bool { return knows(platform, r, path) }

// KnowsUser is Knows for the configuration of the users' own monitoring, which is
// a ConfigMap of its own from 4.6 on.
func KnowsUser(r release.Release, path string) bool { return knows(user, r, path) }

func knows(keys []key, r release.Release, path string) bool {
	first, rest, deeper := strings.Cut(path, ".")
	k := search(keys, func(k *key) bool { return k.acts(r) && k.name == first })
	return k != nil && (!deeper || knows(k.keys, r, rest))
}

// movable are the parts that a release can put on nodes of choice, in the order in
// which they are written. Parts that run only for the users' projects are among them if
// users is true.
func movable(keys []key, r release.Release, users bool) []string {
	var out []string
	for i := range keys {
		if k := &keys[i]; k.acts(r) && has(k.keys, nodeSelector, r) != nil && (users || k.on == "") {
			out = append(out, k.name)
		}
	}
	return out
}
