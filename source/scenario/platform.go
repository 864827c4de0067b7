package scenario

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/yamlpos"
)

const (
	kubernetes = "kubernetes"
	openshift  = "openshift"
	helion     = "helion"
	aws        = "aws"
	rosa       = "rosa"
)

// products are the platforms, with the names that people know them by and a
// quantity that has a row for each release that something is known of.
var products = []struct{ platform, name, quantity string }{
	{openshift, "OpenShift", "ocp.max.nodes"},
	{kubernetes, "Kubernetes", "k8s.max.nodes"},
	{helion, "Helion OpenStack Carrier Grade", "hcg.max.computes"},
}

// platformOf is the platform that a tree names, before it is decoded; empty when
// it names none that is known.
func platformOf(tree *yamlpos.Tree) string {
	n := tree.Node("platform.type")
	switch {
	case n == nil || n.Kind == yamlpos.Null:
		return openshift
	case slices.ContainsFunc(products,
		func(p struct{ platform, name, quantity string }) bool { return p.platform == n.Text }):
		return n.Text
	}
	return ""
}

// platform checks that something is known about the release, and that the
// managed service fits.
func (v *validator) platform() {
	p := v.s.Platform
	if v.good("platform.release", "platform.type") && p.Release != "" {
		v.release(p)
	}
	if !v.good("platform.service", "platform.type", "platform.provider") || p.Type == helion {
		return
	}
	runs := managed[p.Service]
	switch {
	case runs != "" && p.Type != kubernetes:
		v.bad("platform.service", p.Service+" is a service of Kubernetes", "write type: kubernetes, or remove service")
	case runs != "" && p.Provider != runs:
		v.bad("platform.provider", p.Service+" runs on "+runs+" only", "write "+runs+", or remove service: "+p.Service)
	case runs == "" && p.Service != "self-managed" && p.Type != openshift:
		v.bad("platform.service", p.Service+" is a service of OpenShift", "write type: openshift, or remove service")
	case p.Service == rosa && p.Provider != aws:
		v.bad("platform.provider", "rosa runs on AWS only", "write aws, or remove service: rosa")
	}
}

func (v *validator) release(p v1alpha1.Platform) {
	c := facts.Load()
	var fix, name string
	for _, product := range products {
		_, _, _, known := c.ForRelease(product.quantity, p.Release)
		if product.platform == helion { // each release is a product of its own
			known = slices.Contains(c.Releases(product.quantity), p.Release)
		}
		switch {
		case product.platform == p.Type && known:
			return
		case product.platform == p.Type:
			name = product.name
			if list := c.Releases(product.quantity); fix == "" && len(list) > 1 {
				fix = fmt.Sprintf("figures are known from %s to %s", list[0], list[len(list)-1])
			} else if fix == "" && len(list) == 1 {
				fix = "figures are known of " + list[0]
			}
		case known && !strings.HasPrefix(fix, "write"):
			fix = "write type: " + product.platform + " for " + product.name
		}
	}
	v.bad("platform.release", fmt.Sprintf("nothing is known of %s %s", name, p.Release), fix)
}

// roles of machines on each platform; the first is the default.
var roles = map[string][]string{
	openshift:  {"worker", "infra", "controlPlane"},
	kubernetes: {"worker", "infra", "controlPlane"},
	helion:     {"compute", "controller", "storage"},
}

// role demands a role of the platform.
func (v *validator) role(at string, t *v1alpha1.NodeType) {
	known := roles[v.s.Platform.Type]
	if !v.good(at+".role", "platform.type") || slices.Contains(known, t.Role) {
		return
	}
	v.bad(at+".role", fmt.Sprintf("%s is not a role on platform %s", yamlpos.Quote(t.Role), v.s.Platform.Type),
		"one of "+strings.Join(known, ", "))
}
