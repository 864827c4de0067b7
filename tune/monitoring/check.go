package monitoring

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/schema"
	"plimsoll.dev/tune/infra/placement"
)

// Check judges the ConfigMaps of the monitoring as a release would.
func Check(objects []*object.Object, r release.Release) []v1alpha1.Finding {
	cluster := placement.ClusterOf(objects)
	var out []v1alpha1.Finding
	for _, o := range objects {
		switch {
		case o.Kind != "ConfigMap":
		case o.Name == Name:
			out = append(out, check(&config{object: o, keys: platform, release: r, cluster: cluster})...)
		case o.Name == UserName && KnowsUser(r, "prometheus"):
			out = append(out, check(&config{object: o, keys: user, release: r, cluster: cluster})...)
		}
	}
	return out
}

// check reads and judges one config.yaml.
func check(c *config) []v1alpha1.Finding {
	n := c.object.Tree.Root.Get("data").Get(ConfigKey)
	switch {
	case n == nil:
		c.missing()
	case n.Kind != yamlpos.Text:
		c.found = append(c.found, c.object.Finding(noConfig, where, "config.yaml is "+n.Kind.String()+", not text",
			"write config.yaml: | and indent what follows"))
	case !blank(n.Text):
		c.inner = c.object.Tree.Inner(n)
		if c.read(n.Text); c.tree != nil {
			c.judge()
		}
	}
	return c.found
}

// missing notes that there is no configuration. The operator itself makes the users'
// ConfigMap without one, and takes the defaults.
func (c *config) missing() {
	var have []string
	if data := c.object.Tree.Root.Get("data"); data != nil {
		for _, e := range data.Entries {
			have = append(have, e.Key)
		}
	}
	r, what := noConfig, "the ConfigMap has no config.yaml: the operator reports InvalidConfiguration and applies nothing"
	if c.object.Name == UserName {
		if len(have) == 0 {
			return
		}
		r.Severity, what = v1alpha1.Warning, "the ConfigMap has no config.yaml: the operator takes the defaults"
	}
	fix := "write the configuration as text below data, under the key config.yaml"
	if near := schema.Nearest(ConfigKey, have); near != "" {
		fix = "rename " + near + " to config.yaml"
	}
	c.found = append(c.found, c.object.Finding(r, "data", what, fix))
}

// blank says whether a text holds nothing but comments: then the defaults hold.
func blank(text string) bool {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' && line != "---" {
			return false
		}
	}
	return true
}

// judge looks at all keys and values.
func (c *config) judge() {
	root := c.tree.Root
	if root.Kind != yamlpos.Map {
		c.badValue(wrongType, root, "", "config.yaml holds "+root.Kind.String()+", not a mapping",
			"write the parts of the monitoring as keys")
		return
	}
	c.mapping(root, "", c.keys)
	c.stays(root)
	c.pending(root)
}

// mapping judges the keys of a mapping.
func (c *config) mapping(n *yamlpos.Node, path string, keys []key) {
	for _, e := range n.Entries {
		if masked(e.Key) {
			continue
		}
		at := joined(path, e.Key)
		k := has(keys, e.Key, c.release)
		if k == nil {
			if k = folded(keys, e.Key, c.release); k == nil {
				c.unknown(e, at, keys)
				continue
			}
			c.wrongCase(e, at, k.name)
		}
		if !k.acts(c.release) {
			c.bad(idleKey, e.Line, e.Col, at, fmt.Sprintf("%s has no effect %s", e.Key, c.when()), advice(e.Key, "remove it"))
		}
		c.value(e.Value, at, k)
	}
}

func joined(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// when names the release in a sentence.
func (c *config) when() string {
	if c.release.Minor() == release.Newest {
		return "today"
	}
	return "in " + c.release.String()
}

// wrongCase notes a key that is known in other letters.
func (c *config) wrongCase(e yamlpos.Entry, path, name string) {
	r, what := wrongCase, "the operator applies it up to 4.18 and refuses config.yaml from 4.19 on"
	switch HandlingOf(c.release) {
	case Warned, Refused:
		r.Severity, what = v1alpha1.Warning, "the operator applies it and warns"
	case Exact:
		r.Severity, what = v1alpha1.Error, "the operator refuses config.yaml"
	}
	c.bad(r, e.Line, e.Col, path, fmt.Sprintf("%s is %s in other letters: %s", yamlpos.Shorten(e.Key), name, what),
		"write "+name)
}

// unknown notes a key that the release doesn't know.
func (c *config) unknown(e yamlpos.Entry, path string, keys []key) {
	h := HandlingOf(c.release)
	effect := map[Handling]string{Ignored: "the operator ignores it",
		Warned: "the operator ignores it, warns, and blocks the upgrade"}[h]
	if h >= Refused {
		effect = "the operator refuses config.yaml"
	}
	name := yamlpos.Shorten(e.Key)
	known := names(keys, c.release)
	r, what, fix := unknownKey, fmt.Sprintf("%s is no key %s: %s", name, c.when(), effect),
		"known are "+strings.Join(known, ", ")
	near := schema.Nearest(e.Key, known)
	switch other := elsewhen(keys, e.Key); {
	case old(path) && (other == nil || c.release.Minor() < other.Since):
		r, what, fix = oldKey, fmt.Sprintf("%s is a key of OpenShift 3.11, and no key %s: %s", name, c.when(), effect),
			advice(e.Key, "remove it")
	case other != nil:
		r, what = otherRelease, fmt.Sprintf("%s is a key %s, and none %s: %s", name, other.Span, c.when(), effect)
		fix = advice(e.Key, "remove it")
	case near != "":
		if fix = "did you mean " + near + "?"; path == e.Key && c.tree.Root.Get(near) == nil {
			what += ", and " + near + " keeps its default"
		}
	case schema.Nearest(e.Key, oldKeys) != "":
		fix = "remove it: " + schema.Nearest(e.Key, oldKeys) + " is a key of OpenShift 3.11"
	}
	r.Severity = severity(h)
	c.bad(r, e.Line, e.Col, path, what, fix)
}

// oldKeys are keys of OpenShift 3.11 that documents of 4 went on naming.
var oldKeys = []string{"baseImage", "prometheusConfigReloaderBaseImage", "configReloaderBaseImage",
	"addonResizerBaseImage"}

// oldParts are parts of 3.11.
var oldParts = []string{"nodeExporter", "kubeRbacProxy", "auth", "ingress"}

func old(path string) bool {
	name := path[strings.LastIndexByte(path, '.')+1:]
	return slices.Contains(oldKeys, name) || name == path && slices.Contains(oldParts, name)
}

// instead says what took the place of a key.
var instead = map[string]string{
	"k8sPrometheusAdapter":           "write metricsServer, which took its place in 4.16",
	"metricsServer":                  "write k8sPrometheusAdapter, which does this up to 4.15",
	"grafana":                        "remove it: the dashboards are part of the console since 4.11",
	"techPreviewUserWorkload":        "write enableUserWorkload: true",
	"enableUserWorkload":             "write techPreviewUserWorkload: {enabled: true}, up to 4.5",
	"prometheusUserWorkload":         "write prometheus into the ConfigMap " + UserName,
	"prometheusOperatorUserWorkload": "write prometheusOperator into the ConfigMap " + UserName,
	"thanosRuler":                    "write thanosRuler into the ConfigMap " + UserName + " (from 4.6 on)",
	"thanosQuerier":                  "remove it: its pods can't be moved before 4.5",
	"baseImage":                      "remove it: releases of 4 bring their images along",
	"nodeExporter":                   "remove it: it runs on every node",
}

func advice(name, usual string) string {
	if a, ok := instead[name]; ok {
		return a
	}
	return usual
}
