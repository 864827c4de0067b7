package kube

import (
	"cmp"

	"plimsoll.dev/facts"
	"plimsoll.dev/source/files"
	"plimsoll.dev/unit"
)

// Options bound what is read. The zero value is good.
type Options struct {
	// Dir stands before the names of manifests in places and problems: the
	// directory that the file system was opened at, as the user knows it.
	Dir string
	// MaxFile is the most that one manifest, or one object of a snapshot, may be
	// long. Default 16Mi.
	MaxFile unit.Bytes
	// MaxTotal is the most that all manifests together may be long. A snapshot is
	// read piece by piece and has no such bound. Default 256Mi.
	MaxTotal unit.Bytes
	// MaxFiles is the most files that are read from directories. Default 20,000.
	MaxFiles int
	// MaxObjects is the most objects of one snapshot: what is kept of each takes room,
	// however short its text. Default 1,000,000.
	MaxObjects int
	// MaxNodes is the most nodes of one snapshot, and of a scenario. Default 100,000.
	MaxNodes int
	// MaxPodTypes is the number of pod types above which those of a namespace that
	// differ by name only are put together. Default 1,000.
	MaxPodTypes int
	// Parameters are values for the parameters of OpenShift templates; they go
	// before the templates' own.
	Parameters map[string]string
	// Asked, where it is made, takes the names of the parameters that templates have.
	Asked map[string]bool
	// Facts is the catalogue for the kubelet's eviction threshold. Default: the
	// built-in one.
	Facts *facts.Catalogue
	// Drains has ReadCluster keep what drains ask for: Cluster.Running and Budgets.
	Drains bool
	// Profiles has ReadCluster keep what the Node Tuning Operator reports of nodes: Cluster.Profiles.
	Profiles bool
	// Each, where it is set, is also given each object of a snapshot with its kind, as JSON that must not be changed and
	// is good until it returns; nil for one that is YAML. Several goroutines call it.
	Each func(kind string, object []byte)
	// kinds are what kubectl is to be asked for, in messages.
	kinds string
}

// Limits that are nobody's figures: what fits a laptop's memory.
const (
	defaultMaxFile     = 16 * unit.MiB
	defaultMaxTotal    = 256 * unit.MiB
	defaultMaxFiles    = 20_000
	defaultMaxObjects  = 1_000_000
	defaultMaxNodes    = 100_000
	defaultMaxPodTypes = 1_000
)

// withDefaults fills in what is not set.
func (o Options) withDefaults() Options {
	o.MaxFile, o.MaxTotal = cmp.Or(o.MaxFile, defaultMaxFile), cmp.Or(o.MaxTotal, defaultMaxTotal)
	o.MaxFiles, o.MaxObjects = cmp.Or(o.MaxFiles, defaultMaxFiles), cmp.Or(o.MaxObjects, defaultMaxObjects)
	o.MaxNodes, o.MaxPodTypes = cmp.Or(o.MaxNodes, defaultMaxNodes), cmp.Or(o.MaxPodTypes, defaultMaxPodTypes)
	o.kinds = cmp.Or(o.kinds, "nodes,pods,services,deployments")
	if o.Facts == nil {
		o.Facts = facts.Load()
	}
	return o
}

// files are the bounds of manifests.
func (o Options) files() files.Options {
	return files.Options{Dir: o.Dir, MaxFile: o.MaxFile, MaxTotal: o.MaxTotal, MaxFiles: o.MaxFiles,
		Large: "give a large dump of a cluster as workload.snapshot"}
}
