package monitoring

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/tune/infra/placement"
	"plimsoll.dev/unit"
)

// get is the value of a key as the operator finds it: where it doesn't mind, in other
// letters too.
func (c *config) get(n *yamlpos.Node, name string) *yamlpos.Node {
	v := n.Get(name)
	if v != nil || n == nil || HandlingOf(c.release) == Exact {
		return v
	}
	for _, e := range n.Entries {
		if strings.EqualFold(e.Key, name) {
			v = n.Get(e.Key)
		}
	}
	return v
}

// structure judges what the values of a mapping mean together.
func (c *config) structure(n *yamlpos.Node, path string, k *key) {
	switch {
	case k.name == resources:
		c.limits(n, path)
	case k.name == systemd:
		c.units(n, path)
	case k.name == claim:
		if c.get(c.get(c.get(n, "spec"), resources), "requests").Get("storage") == nil {
			c.badValue(noStorage, n, path, "the volume claim asks for no storage: Kubernetes refuses it",
				"write spec: {resources: {requests: {storage: 20Gi}}}")
		}
	}
	if list := c.get(n, tolerations); list != nil && k.is == mapping {
		c.tolerations(list, joined(path, tolerations))
	}
	if list := c.get(n, resourceLabels); list != nil && has(k.keys, resourceLabels, c.release) != nil {
		c.resourceLabels(list, joined(path, resourceLabels))
	}
}

// limits compares limits with requests.
func (c *config) limits(n *yamlpos.Node, path string) {
	requests, limits := c.get(n, "requests"), c.get(n, "limits")
	if requests == nil || limits == nil {
		return
	}
	for _, e := range limits.Entries {
		ask := requests.Get(e.Key)
		if ask == nil {
			continue
		}
		least, ok1 := amount(e.Key, ask.Text)
		most, ok2 := amount(e.Key, e.Value.Text)
		if ok1 && ok2 && most < least {
			c.badValue(limitBelow, e.Value, path+".limits."+e.Key, fmt.Sprintf("the limit %s of %s is below the request %s",
				e.Value.Text, e.Key, ask.Text), "raise the limit or lower the request")
		}
	}
}

// amount is a readable amount in bytes or thousandths.
func amount(name, text string) (int64, bool) {
	text = strings.TrimSpace(text)
	if name == "cpu" {
		v, err := unit.ParseCPU(text)
		return int64(v), err == nil
	}
	v, err := unit.ParseBytes(text)
	return int64(v), err == nil
}

// tolerations judges each toleration as Kubernetes does; what its types refuse
// was found before.
func (c *config) tolerations(n *yamlpos.Node, path string) {
	for i, item := range n.Items {
		t := toleration(item)
		field, what, fix := placement.Wrong(t)
		if field != "" && field != "operator" && field != "effect" {
			at := item
			if v := item.Get(field); v != nil {
				at = v
			}
			c.badValue(badValue, at, fmt.Sprintf("%s[%d].%s", path, i, field), what, fix)
		}
	}
}

func toleration(n *yamlpos.Node) openshift.Toleration {
	t := openshift.Toleration{Key: scalar(n.Get("key")), Operator: scalar(n.Get("operator")),
		Value: scalar(n.Get("value")), Effect: scalar(n.Get("effect"))}
	if n.Get("tolerationSeconds") != nil {
		t.TolerationSeconds = new(int64)
	}
	return t
}

func scalar(n *yamlpos.Node) string {
	if n == nil {
		return ""
	}
	return n.Text
}

// part is a part of the monitoring that runs and can be moved.
type part struct {
	name     string
	node     *yamlpos.Node // nil when config.yaml doesn't name it
	selector map[string]string
}

// parts are the parts that run, as config.yaml has them.
func (c *config) parts(root *yamlpos.Node) []part {
	var out []part
	for i := range c.keys {
		k := &c.keys[i]
		if !k.acts(c.release) || has(k.keys, nodeSelector, c.release) == nil || !c.runs(root, k.on) {
			continue
		}
		p := part{name: k.name, node: c.get(root, k.name), selector: map[string]string{}}
		if s := c.get(p.node, nodeSelector); s != nil {
			for _, e := range s.Entries {
				p.selector[e.Key] = e.Value.Text
			}
		}
		out = append(out, p)
	}
	return out
}

// runs says whether the parts that a key switches on run.
func (c *config) runs(root *yamlpos.Node, on string) bool {
	if on == "" {
		return true
	}
	first, second, _ := strings.Cut(on, ".")
	n := c.get(c.get(root, first), second)
	if n == nil {
		return false
	}
	is, _ := c.truth(n)
	return is
}

// stays notes the parts that are left behind when others are moved. One part by
// itself may be meant so: two or more that go to the same nodes are a move.
func (c *config) stays(root *yamlpos.Node) {
	moved := map[string]int{}
	var left []string
	parts := c.parts(root)
	for _, p := range parts {
		if len(p.selector) == 0 {
			left = append(left, p.name)
			continue
		}
		moved[fmt.Sprint(p.selector)]++ // fmt sorts the keys
	}
	most := slices.Max(append(slices.Collect(maps.Values(moved)), 0))
	if most < 2 || len(left) == 0 {
		return
	}
	verb := "has no nodeSelector and stays"
	if len(left) > 1 {
		verb = "have no nodeSelector and stay"
	}
	f := c.object.Finding(staysBehind, where,
		fmt.Sprintf("%s %s on the workers, while %s moved", strings.Join(left, ", "), verb,
			words.Count(len(parts)-len(left), "other part is", "other parts are")),
		"give each of them the same nodeSelector and tolerations")
	c.found = append(c.found, f)
}

// pending notes parts that no node takes, when all nodes are known.
func (c *config) pending(root *yamlpos.Node) {
	if !c.cluster.Whole {
		return
	}
	for _, p := range c.parts(root) {
		if len(p.selector) == 0 || slices.ContainsFunc(slices.Collect(maps.Values(p.selector)), masked) {
			continue
		}
		var tolerated []openshift.Toleration
		if list := c.get(p.node, tolerations); list != nil {
			for _, item := range list.Items {
				tolerated = append(tolerated, toleration(item))
			}
		}
		fit := c.cluster.Fit(p.selector, tolerated)
		if len(fit.Nodes) > 0 {
			continue
		}
		what := fmt.Sprintf("none of the %d nodes takes the pods of %s: they stay Pending", len(c.cluster.Nodes), p.name)
		if m := fit.Missing(); m != "" {
			what += " (" + m + ")"
		}
		c.badValue(noNode, c.get(p.node, nodeSelector), p.name+"."+nodeSelector, what,
			"label nodes so, or write tolerations for their taints")
	}
}
