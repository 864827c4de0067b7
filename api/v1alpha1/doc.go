// Package v1alpha1 holds Plimsoll's documents: the Scenario that people write
// and the Plan that the program answers with.
//
// It holds types only. Reading is in source/scenario, computing in plan. The
// comments on the fields are the reference that "plimsoll explain" prints; the
// tags say how a field is read:
//
//	default:"3"      filled in when the field is absent, and listed as an assumption
//	fact:"ocp.x"     the fact that the default comes from
//	check:"min=1"    required, min=N, max=N, enum=a|b, name (a DNS label), unique=field,
//	                 release, kubernetes (its release), cidr, hugepages (sizes as keys), intorpercent,
//	                 topology (topo.Parse), cpuset (0-3,8), output (never read)
//
//	kind: Scenario
//	platform: {release: "4.4"}
package v1alpha1
