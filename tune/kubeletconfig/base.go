package kubeletconfig

import (
	"embed"
	"maps"
	"sync"

	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/tune/era"
	"plimsoll.dev/tune/pool"
)

//go:embed base/*.yaml
var baseFiles embed.FS

// controlPlane says whether the template of masters serves a pool.
func controlPlane(name string) bool { return name == pool.Master || name == "arbiter" }

// Base is the kubelet.conf of the operator's template for a role, which is the
// name of a pool; custom pools get that of worker.
func Base(role string, e era.Era) Conf {
	if controlPlane(role) {
		return bases[e][0]()
	}
	return bases[e][1]()
}

// bases are the templates of masters and workers, each read once.
var bases = func() (out [len(era.Row{}.At)][2]func() Conf) {
	for _, e := range era.All() {
		for i, name := range templates.In(e) {
			out[e][i] = sync.OnceValue(func() Conf { return readBase(name, e) })
		}
	}
	return out
}()

func readBase(name string, e era.Era) Conf {
	text, err := baseFiles.ReadFile("base/" + name + ".yaml")
	if err != nil {
		panic(err)
	}
	tree, bad := yamlpos.Parse(name, text)
	if len(bad) > 0 {
		panic(bad)
	}
	schema := schemaOf(e)
	d := decoder{note: func(p Problem) { panic("kubelet: base " + name + ": " + p.What) }}
	return Conf{e, d.decode(schema, "", tree.Root.Value(), zero(schema)).(map[string]any)}
}

// WithDNS is the configuration with another address of the cluster's DNS.
func (c Conf) WithDNS(address string) Conf { return c.with("clusterDNS", []any{address}) }

// with is a copy with another value of a field.
func (c Conf) with(name string, v any) Conf {
	tree := maps.Clone(c.tree)
	tree[name] = v
	return Conf{c.era, tree}
}
