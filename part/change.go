package part

import (
	"fmt"
	"slices"

	"plimsoll.dev/api/v1alpha1"
)

// OnType changes a node type.
func OnType(index int, do func(t *v1alpha1.NodeType)) func(s *v1alpha1.Scenario) {
	return func(s *v1alpha1.Scenario) {
		s.Hardware.NodeTypes = slices.Clone(s.Hardware.NodeTypes)
		do(&s.Hardware.NodeTypes[index])
	}
}

// Spares has so many nodes to spare.
func Spares(n int) Change {
	return Change{Kind: "spares", Says: fmt.Sprintf("set policy.spareNodes to %d", n), Sets: "policy.spareNodes",
		Do: func(s *v1alpha1.Scenario) { s.Policy.SpareNodes = &n }}
}

// Zones has so many zones.
func Zones(n int) Change {
	return Change{Kind: "zones", Says: fmt.Sprintf("set policy.zones to %d", n), Sets: "policy.zones",
		Do: func(s *v1alpha1.Scenario) { s.Policy.Zones = n }}
}

// NoZoneLoss lets a zone's loss take what it takes.
func NoZoneLoss() Change {
	return Change{Kind: "zoneLoss", Says: "set policy.surviveZoneLoss to false",
		Do: func(s *v1alpha1.Scenario) { s.Policy.SurviveZoneLoss = false }}
}
