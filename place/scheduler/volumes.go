package scheduler

import (
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/selector"
)

// AttachLimit is the prefix of a resource that stands for the volumes of a CSI driver
// that a node can attach.
const AttachLimit = "attachable-volumes-csi-"

// Reasons of the filters for volumes.
const (
	volumeUsedReason = "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode " +
		"already in-use by another pod"
	volumeCountReason = "node(s) exceed max volume count"
	volumeNodeReason  = "node(s) didn't match PersistentVolume's node affinity"
	volumeZoneReason  = "node(s) had no available volume zone"
)

// refusedAll is why a filter refuses the class before any node is looked at.
func (c *PodClass) refusedAll() string {
	if c.Volumes == nil {
		return ""
	}
	return c.Volumes.Refused
}

// claimTaken reports whether another pod has a claim of the class for one pod. Nodes
// are all the same then.
func (s *Scheduler) claimTaken(c *class) bool {
	v := c.spec.Volumes
	return v != nil && (v.InUse || slices.ContainsFunc(v.Once, func(claim string) bool { return s.taken[claim] > 0 }))
}

// take notes the claims for one pod that a pod of the class has, or has no more.
func (s *Scheduler) take(c *class, sign int) {
	if c.spec.Volumes == nil {
		return
	}
	for _, claim := range c.spec.Volumes.Once {
		if s.taken == nil {
			s.taken = map[string]int{}
		}
		s.taken[claim] += sign
	}
}

// volumesAway is why the class's volumes can't be used on a node.
func (c *PodClass) volumesAway(n *Node) string {
	switch {
	case c.Volumes == nil:
		return ""
	case slices.ContainsFunc(c.Volumes.Nodes, func(s v1alpha1.NodeSelector) bool {
		return !slices.ContainsFunc(s.NodeSelectorTerms, func(t v1alpha1.NodeSelectorTerm) bool { return termMatches(&t, n) })
	}):
		return volumeNodeReason
	case zoned(n) && slices.ContainsFunc(c.Volumes.Zones, func(r v1alpha1.Requirement) bool { return !inZone(&r, n) }):
		return volumeZoneReason
	}
	return ""
}

// zoned reports whether a node has any label of a zone or a region: without one it
// takes volumes of all.
func zoned(n *Node) bool {
	return slices.ContainsFunc([]string{betaZoneLabel, betaRegionLabel, ZoneLabel, regionLabel}, func(key string) bool {
		_, ok := n.Labels[key]
		return ok
	})
}

// inZone reports whether a node is where a volume's label says; nodes may have the new
// label in place of a volume's beta one.
func inZone(r *v1alpha1.Requirement, n *Node) bool {
	if _, ok := n.Labels[r.Key]; ok {
		return selector.Meets(r, n.Labels[r.Key], true)
	}
	v, ok := n.Labels[strings.Replace(r.Key, "failure-domain.beta.kubernetes.io/", "topology.kubernetes.io/", 1)]
	return ok && selector.Meets(r, v, true)
}

// tooManyVolumes reports whether a node can't attach the class's volumes too.
func (s *Scheduler) tooManyVolumes(c *class, node int32) bool {
	return slices.ContainsFunc(c.otherRequests, func(o columnRequest) bool {
		return strings.HasPrefix(s.columns[o.column].name, AttachLimit) && o.amount > s.columns[o.column].free[node]
	})
}
