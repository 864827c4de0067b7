package machineconfig

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/pool"
)

// checker looks at all MachineConfigs together.
type checker struct {
	*decoder
	release  release.Release
	configs  []subject
	pools    []openshift.MachineConfigPool
	nodes    []member
	findings []v1alpha1.Finding
	// listed says that the pools are taken for all that the cluster has.
	listed bool
	// otherNetwork says that the cluster's network is of another maker.
	otherNetwork bool
	// started are the units that other units start.
	started map[string]bool
}

// member is a node with the pool whose configuration it gets; empty for none.
type member struct {
	openshift.Node
	pool string
}

// subject is a MachineConfig with what was read of it.
type subject struct {
	object.Typed[openshift.MachineConfig]
	c        config
	problems []problem
}

// Check finds what is wrong with the MachineConfigs among the objects. Pools and
// nodes among them say who gets what and how many CPUs there are; master and worker
// are supposed where they are not there. Of what operators made themselves it tells
// only what keeps a pool from being rendered.
func Check(objects []*object.Object, r release.Release) []v1alpha1.Finding {
	return append(check(objects, r, newDecoder()), unreadPolicies(objects, r)...)
}

func check(objects []*object.Object, r release.Release, d *decoder) []v1alpha1.Finding {
	c := &checker{decoder: d, release: r, otherNetwork: otherNetwork(objects)}
	c.pools, c.listed = poolsOf(objects, r)
	c.listed = c.listed && slices.ContainsFunc(objects,
		func(o *object.Object) bool { return o.Kind == "MachineConfigPool" && o.Name == pool.Worker })
	nodes, _ := object.All[openshift.Node](objects, "Node")
	for _, n := range nodes {
		if !n.Tree.Has("status") && !hasRole(n.Value) {
			continue // people write some labels or taints of a node that the cluster has with others
		}
		c.nodes = append(c.nodes, member{n.Value, pool.Of(n.Value.Metadata.Labels, c.pools, r).Primary})
	}
	typed, found := object.All[openshift.MachineConfig](objects, "MachineConfig")
	c.findings = found
	for _, t := range typed {
		s := subject{Typed: t}
		s.c, s.problems = validate(t.Value, r, d)
		c.configs = append(c.configs, s)
	}
	c.started = c.starts()
	for _, s := range c.configs {
		c.one(s)
	}
	c.shadows()
	c.rivals(objects)
	c.rollouts()
	object.Sort(c.findings)
	return c.findings
}

// poolsOf are the pools among the objects and the default ones; listed says whether
// they are taken for all that the cluster has.
func poolsOf(objects []*object.Object, r release.Release) (pools []openshift.MachineConfigPool, listed bool) {
	typed, _ := object.All[openshift.MachineConfigPool](objects, "MachineConfigPool")
	given := object.Values(object.Latest(typed))
	return pool.Complete(given, r), pool.Listed(given)
}

// hasRole says whether a node carries the label of a role, as the kubelet sets it.
func hasRole(n openshift.Node) bool {
	for key := range n.Metadata.Labels {
		if strings.HasPrefix(key, "node-role.kubernetes.io/") {
			return true
		}
	}
	return false
}

func (c *checker) add(s subject, r object.Rule, path, what, fix string) {
	c.findings = append(c.findings, s.Finding(r, path, what, fix))
}

// one checks a MachineConfig by itself and against pools and nodes.
func (c *checker) one(s subject) {
	own := made(s.Value)
	for _, p := range s.problems {
		if own && (rendered(s.Value) || !p.fatal) {
			continue
		}
		r := *p.rule
		if p.mild {
			r.Severity = v1alpha1.Warning
		}
		c.add(s, r, p.path, p.what, p.fix)
	}
	if own {
		c.intoItself(s)
		return
	}
	c.claimed(s)
	c.arguments(s)
	c.startless(s)
	c.masked(s)
	c.vital(s)
	for _, f := range s.c.files {
		c.modeText(s, f)
		c.plus(s, f)
		f = f.meant()
		c.place(s, f)
		switch data, err := c.take(f.contents.source, f.contents.compression, true); {
		case err == nil:
			c.content(s, f, string(data))
		case errors.Is(err, errUnfolded):
			c.add(s, compressionRule, f.contents.at+".compression", err.Error(),
				"compress less, or give fewer MachineConfigs at once")
		}
	}
}

// meant is a file with a path that stands below its contents, and a URL that was
// wrapped over lines, put right: so that what else is wrong is told at once.
func (f file) meant() file {
	if p, _ := f.contents.node.get("path"); f.path == "" {
		f.path, _ = p.(string)
	}
	if s := value(f.contents.source); strings.Contains(s, " ") {
		whole := strings.ReplaceAll(s, " ", "")
		f.contents.source = &whole
	}
	return f
}

// usualModes are those that files have, in octal digits.
var usualModes = []string{"400", "440", "444", "500", "550", "555", "600", "640", "644", "660", "664", "666", "700",
	"750", "755", "770", "775", "777"}

// modeText finds modes whose digits are those of a usual mode in octal and which
// are read as decimal. Modes with special bits are found by their value.
func (c *checker) modeText(s subject, f file) {
	n := s.Tree.Node(f.at + ".mode")
	if n == nil || n.Kind != yamlpos.Int || !slices.Contains(usualModes, n.Text) || value(f.mode) > plainMode {
		return
	}
	meant, _ := strconv.ParseInt(n.Text, 8, 64)
	c.add(s, modeDecimalRule, f.at+".mode", fmt.Sprintf("mode %s is decimal and so 0%o; 0%s seems to be meant", n.Text,
		*f.mode, n.Text), fmt.Sprintf("write %d, or 0%s in YAML", meant, n.Text))
}

// plus finds plus signs that were meant for blanks: encoders for forms write them.
func (c *checker) plus(s subject, f file) {
	head, text, _ := strings.Cut(value(f.contents.source), ",")
	if !strings.HasPrefix(head, "data:") || strings.HasSuffix(head, ";base64") || !strings.Contains(text, "+") {
		return
	}
	c.add(s, plusRule, f.contents.at+".source", "a plus stands in the data URL and stays a plus",
		"write %20 for a blank, %2B for a plus that is meant")
}

// content looks into the files whose purpose their path tells.
func (c *checker) content(s subject, f file, text string) {
	switch {
	case strings.HasPrefix(f.path, "/etc/udev/rules.d/") && strings.HasSuffix(f.path, ".rules"):
		c.rules(s, f, text)
	case strings.HasPrefix(f.path, "/etc/sysctl.d/") || f.path == "/etc/sysctl.conf":
		c.sysctl(s, f, text)
	case strings.HasPrefix(f.path, scriptsDir+"route"):
		c.routeFile(s, f, text)
	case strings.HasPrefix(f.path, keyfilesDir):
		c.keyfile(s, f)
	}
}

// keyfile demands that a key file is for root alone.
func (c *checker) keyfile(s subject, f file) {
	if mode := valueOr(f.mode, defaultMode); mode&0o077 != 0 {
		c.add(s, keyfileRule, f.at+".mode",
			fmt.Sprintf("the key file has mode 0%o: NetworkManager ignores key files that others can read", mode),
			"write 384, which is 0600")
	}
	if !strings.HasSuffix(f.path, ".nmconnection") {
		c.add(s, keyfileRule, f.at+".path", "the key file's name does not end in .nmconnection: NetworkManager ignores it",
			"write "+f.path+".nmconnection")
	}
}

// rollouts counts what would be created one by one.
func (c *checker) rollouts() {
	first := map[string]subject{}
	count := map[string]int{}
	for _, s := range c.configs {
		role := s.Value.Metadata.Labels[openshift.LabelRole]
		if role == "" || s.Value.Metadata.UID != "" || s.Value.Metadata.CreationTimestamp != "" || made(s.Value) {
			continue
		}
		if count[role]++; count[role] == 1 {
			first[role] = s
		}
	}
	for _, role := range sortedKeys(count) {
		if n := count[role]; n > 1 {
			c.add(first[role], rolloutsRule, "", fmt.Sprintf("%d MachineConfigs of role %s: created one after the other, "+
				"they are as many rollouts of the pool", n, role),
				"join them in one, or pause the pool meanwhile")
		}
	}
}
