package network

import (
	"fmt"
)

// summary is the section in a sentence.
func (n *planner) summary() {
	s := fmt.Sprintf("%s for %s", list(n.entries), n.in.Nodes)
	if len(n.entries) == 0 {
		s = "no usable cluster network"
	}
	if n.res.Plugin.Name != "" {
		s += ", " + n.res.Plugin.Name
	}
	if n.res.Decision.ClusterMTU > 0 {
		s += fmt.Sprintf(" with a cluster MTU of %d under %d", n.res.Decision.ClusterMTU, n.in.Config.NICMTU)
	}
	n.Section.Summary = s
}
