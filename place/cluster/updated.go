package cluster

import (
	"maps"
	"slices"
	"strings"
)

// rolePrefix begins the labels that say the roles of a node.
const rolePrefix = "node-role.kubernetes.io/"

// Updated is a pool of nodes, which is updated by itself.
type Updated struct {
	// Name is the machine config pool, or else the node type.
	Name string
	// Nodes by index.
	Nodes []int
	// OneByOne says that it is infrastructure or control plane, whose nodes go one at a time
	// whatever the workers may (OpenShift's default, which plans keep).
	OneByOne bool
}

// Updates are the pools in the order of their first nodes. On OpenShift a role of its own makes a
// pool, and a node with the role of worker, too, is in that one (machine-config-operator,
// docs/custom-pools.md).
func (c *Cluster) Updates() []Updated {
	var out []Updated
	at := map[string]int{}
	for i := range c.Nodes {
		role, name := c.role(i), c.Types[c.Of[i]].Name
		if c.ByRole {
			name = role
		}
		k, ok := at[name]
		if !ok {
			k, at[name] = len(out), len(out)
			out = append(out, Updated{Name: name, OneByOne: slices.Contains(masters, role) || role == infra || role == arbiter})
		}
		out[k].Nodes = append(out[k].Nodes, i)
	}
	return out
}

// masters are the roles of the control plane.
var masters = []string{"master", "control-plane", "controlPlane"}

// arbiter is the role of the node that completes two of the control plane: a member of etcd alone.
const arbiter = "arbiter"

// OfPlatform says whether a node has a role of the control plane or of the infrastructure.
func (c *Cluster) OfPlatform(node int) bool {
	has := func(role string) bool {
		_, ok := c.Nodes[node].Labels[rolePrefix+role]
		return ok
	}
	return slices.ContainsFunc(masters, has) || has(infra) || has(arbiter)
}

// role is what decides on the pool of a node: control plane, then a role of its own, then worker.
func (c *Cluster) role(node int) string {
	role := "worker"
	for _, label := range slices.Sorted(maps.Keys(c.Nodes[node].Labels)) {
		switch name, ok := strings.CutPrefix(label, rolePrefix); {
		case !ok || name == "worker":
		case slices.Contains(masters, name):
			return masters[0]
		case role == "worker":
			role = name
		}
	}
	return role
}
