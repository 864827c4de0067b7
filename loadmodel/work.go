package loadmodel

import (
	"plimsoll.dev/internal/yamlpos"
)

// Read is a configuration with the files that it names.
type Read struct {
	Config
	Dialect Dialect
	// Manifests are the objects and templates of the configuration by the names that it gives their files.
	Manifests map[string]Manifest
	// Data are the texts of config maps and secrets by the names that it gives their files.
	Data map[string]Data
}

// Manifest is an object, a List or a template in a file.
type Manifest struct {
	// File as the user knows it.
	File string
	Root *yamlpos.Node
}

// Data is a file whose text goes into a config map or secret, under the base of its name.
type Data struct {
	Key  string
	Text []byte
}

// Work is all that a load creates.
type Work struct {
	Dialect Dialect
	Cleanup bool
	// Threads namespaces are filled at once, at least 1.
	Threads    int
	Namespaces []Namespace
	// Sync waits when all is made.
	Sync *Sync
	// Notes say what of the configuration changes nothing, or is done in another way.
	Notes []string
}

// Namespace is one that is made, or taken, and what is made in it.
type Namespace struct {
	Name string
	// Field of the configuration that asks for it.
	Field string
	// IfExists is reuse, delete or empty, for an error.
	IfExists            string
	Labels, Annotations map[string]string
	Batches             []Batch
}

// Batch is a number of equal items, each of an object or more.
type Batch struct {
	// Title names the batch: "pods pausepods", "template cakephp-mysql.json".
	Title string
	Field string
	Count int
	Pace  Pace
	// Pods says that the items are pods, whose steps are waited for.
	Pods bool
	// Sync waits when the batch is made.
	Sync  *Sync
	items func(i int) ([]Object, error)
}

// Item is the i-th item, from 0: the objects to create, in their order. It is the same each time.
func (b *Batch) Item(i int) ([]Object, error) { return b.items(i) }

// Object is one to create.
type Object struct {
	APIVersion, Kind, Name string
	// Body is the object as JSON has it, without a namespace.
	Body map[string]any
	// Origin is the place in a file that it comes from.
	Origin string
}

// Options of what comes of a configuration.
type Options struct {
	// Seed of the texts that templates generate.
	Seed uint64
	// Env is the environment that parameters without a value are taken from.
	Env func(name string) (string, bool)
}

// Items is the number of items of all batches.
func (w *Work) Items() int {
	n := 0
	for i := range w.Namespaces {
		for _, b := range w.Namespaces[i].Batches {
			n += b.Count
		}
	}
	return n
}

// Pods is the number of pods that entries of pods make.
func (w *Work) Pods() int {
	n := 0
	for i := range w.Namespaces {
		for _, b := range w.Namespaces[i].Batches {
			if b.Pods {
				n += b.Count
			}
		}
	}
	return n
}
