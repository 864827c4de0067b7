package cpu

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// options of the static policy.
type options struct {
	fullCores, acrossNodes, bySocket, acrossCores, strict, byCache bool
}

// The names of the options (policy_options.go).
const (
	fullPCPUsOnly         = "full-pcpus-only"
	distributeAcrossNUMA  = "distribute-cpus-across-numa"
	alignBySocket         = "align-by-socket"
	distributeAcrossCores = "distribute-cpus-across-cores"
	strictReservation     = "strict-cpu-reservation"
	preferAlignByCache    = "prefer-align-cpus-by-uncorecache"
)

// The gates that the CPU manager looks at.
const (
	gateAlpha     = "CPUManagerPolicyAlphaOptions"
	gateBeta      = "CPUManagerPolicyBetaOptions"
	gatePodLevel  = "PodLevelResources"
	gateManagers  = "PodLevelResourceManagers"
	gateAllAlphas = "AllAlpha"
	gateAllBetas  = "AllBeta"
)

// gateOf is the gate that an option needs; "" when it is stable.
var gateOf = map[string]string{
	fullPCPUsOnly: "", strictReservation: "", preferAlignByCache: "",
	distributeAcrossNUMA: gateBeta,
	alignBySocket:        gateAlpha, distributeAcrossCores: gateAlpha,
}

// exclusive are the options that can't both be on.
var exclusive = [...][2]string{
	{fullPCPUsOnly, distributeAcrossCores},
	{distributeAcrossNUMA, distributeAcrossCores},
	{preferAlignByCache, distributeAcrossCores},
	{preferAlignByCache, distributeAcrossNUMA},
}

// gates answers for the features of 1.36; alpha ones are off, beta ones on.
type gates map[string]bool

func (g gates) alpha(name string) bool { return g.on(name, gateAllAlphas, false) }
func (g gates) beta(name string) bool  { return g.on(name, gateAllBetas, true) }

func (g gates) on(name, all string, otherwise bool) bool {
	for _, n := range []string{name, all} {
		if on, set := g[n]; set {
			return on
		}
	}
	return otherwise
}

// podLevel reports whether the managers look at pods with resources of their own.
func (g gates) podLevel() bool { return g.alpha(gateManagers) && g.beta(gatePodLevel) }

// parseOptions reads the options of the static policy, with all problems.
func parseOptions(c Config, s *shape) (options, []error) {
	var problems []error
	on := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(c.Options)) {
		if err := checkOption(name, gates(c.Gates)); err != nil {
			problems = append(problems, err)
			continue
		}
		v, err := strconv.ParseBool(c.Options[name])
		if err != nil {
			problems = append(problems, fmt.Errorf("the CPU manager's option %s is %q (true or false)", name, c.Options[name]))
		}
		on[name] = v
	}
	for _, pair := range exclusive {
		if on[pair[0]] && on[pair[1]] {
			problems = append(problems, fmt.Errorf("the CPU manager's options %s and %s are both on (one at most)", pair[0],
				pair[1]))
		}
	}
	problems = append(problems, checkSockets(on[alignBySocket], c.TopologyPolicy, s)...)
	return options{
		fullCores: on[fullPCPUsOnly], acrossNodes: on[distributeAcrossNUMA], bySocket: on[alignBySocket],
		acrossCores: on[distributeAcrossCores], strict: on[strictReservation], byCache: on[preferAlignByCache],
	}, problems
}

// checkOption says why the release does not take an option. (CheckPolicyOptionAvailable)
func checkOption(name string, g gates) error {
	switch gate, known := gateOf[name]; {
	case !known:
		names := slices.Sorted(maps.Keys(gateOf))
		return fmt.Errorf("the CPU manager has no option %s (there are %s)", strconv.Quote(name), strings.Join(names, ", "))
	case gate == gateAlpha && !g.alpha(gate):
		return fmt.Errorf("the CPU manager's option %s is alpha (switch the feature gate %s on)", name, gate)
	case gate == gateBeta && !g.beta(gate):
		return fmt.Errorf("the CPU manager's option %s is beta (switch the feature gate %s on)", name, gate)
	}
	return nil
}

// checkSockets follows ValidateStaticPolicyOptions.
func checkSockets(bySocket bool, topologyPolicy string, s *shape) []error {
	var problems []error
	if bySocket && topologyPolicy == "single-numa-node" {
		problems = append(problems, fmt.Errorf("the CPU manager's option %s does not go with the topology "+
			"manager's policy %s (another policy)", alignBySocket, topologyPolicy))
	}
	if sockets, nodes := len(s.sockets.parts), len(s.nodes.parts); bySocket && sockets > nodes {
		problems = append(problems, fmt.Errorf("the CPU manager's option %s needs at least as many NUMA nodes as "+
			"sockets (there are %d and %d)", alignBySocket, nodes, sockets))
	}
	return problems
}
