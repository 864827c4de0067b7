package kubeletconfig

import (
	"embed"
	"maps"

	"plimsoll.dev/internal/memo"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/pool"
)

//go:embed base/*.yaml
var baseFiles embed.FS

// controlPlane says whether the template of masters serves a pool.
func controlPlane(name string) bool { return name == pool.Master || name == "arbiter" }

// Base is the kubelet.conf of the operator's template for a role, which is the
// name of a pool; custom pools get that of worker.
func Base(role string, r release.Release) Conf {
	name := templates.In(r)[1]
	if controlPlane(role) {
		name = templates.In(r)[0]
	}
	return Conf{r, bases(baseFile{name, fieldTables.In(r)})}
}

// baseFile is a template, and the table of the fields that it has.
type baseFile struct{ name, fields string }

// bases are the templates of masters and workers, each read once.
var bases = memo.Once(readBase)

func readBase(f baseFile) map[string]any {
	name := f.name
	text, err := baseFiles.ReadFile("base/" + name + ".yaml")
	if err != nil {
		panic(err)
	}
	tree, bad := yamlpos.Parse(name, text)
	if len(bad) > 0 {
		panic(bad)
	}
	schema := schemas(f.fields)
	d := decoder{note: func(p Problem) { panic("kubelet: base " + name + ": " + p.What) }}
	return d.decode(schema, "", tree.Root.Value(), zero(schema)).(map[string]any)
}

// WithDNS is the configuration with another address of the cluster's DNS.
func (c Conf) WithDNS(address string) Conf { return c.with("clusterDNS", []any{address}) }

// with is a copy with another value of a field.
func (c Conf) with(name string, v any) Conf {
	tree := maps.Clone(c.tree)
	tree[name] = v
	return Conf{c.release, tree}
}
