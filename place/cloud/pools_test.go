package cloud

import "plimsoll.dev/api/v1alpha1"

// poolsOf are the compute hosts as the scenario counts them: node types of role
// compute with their count, what is available, or else one, of a CPE two.
func poolsOf(s *v1alpha1.Scenario) []Pool {
	cpe := s.Policy.Model == "cpe"
	var pools []Pool
	for i, t := range s.Hardware.NodeTypes {
		if t.Role != "compute" {
			continue
		}
		p := Pool{Type: i, Count: 1, CPE: cpe}
		switch {
		case t.Count != nil:
			p.Count = *t.Count
		case t.Available != nil:
			p.Count = *t.Available
		case cpe:
			p.Count = 2
		}
		pools = append(pools, p)
	}
	return pools
}
