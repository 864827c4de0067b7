package profile

import (
	"plimsoll.dev/derive"
	"plimsoll.dev/tune/era"
)

// nto is the Node Tuning Operator's source, at a file of it.
func nto(file string) derive.Source { return derive.Source{Code: "NTO source", Section: file} }

// ocp is a section of the guide of 4.4.
func ocp(section string) derive.Source { return derive.Source{Code: "OCP", Section: section} }

// reloadRule says after which changes of profile texts the daemon of a node is reloaded.
type reloadRule string

// The changes that reload.
const (
	reloadAny     reloadRule = "any profile's text"
	reloadOwn     reloadRule = "the chosen profile's own text"
	reloadParents reloadRule = "the text of the chosen profile or of one that it includes"
)

const calculator = "pkg/operator/profilecalculator.go"

// What differs by era.
var (
	perNode = era.Rule[bool]{ID: "profile.perNode",
		Title: "the operator computes one profile for each node; before, TuneD chose by a recommend.conf made of all CRs",
		At:    era.Since(era.V44), Source: nto(calculator)}
	tieByName = era.Rule[bool]{ID: "profile.tieByName",
		Title: "items of equal priority go by the name of their CR and their order in it; before, their order is random",
		At:    era.Since(era.V45), Source: nto(calculator)}
	labelsKnown = era.Rule[bool]{ID: "profile.machineConfigLabels",
		Title: "machineConfigLabels select nodes by their pool; before, the field is dropped, and an item without match is a catch-all",
		At:    era.Since(era.V45), Source: nto("manifests/02-crd.yaml")}
	freezes = during("profile.duplicateFreezes", era.Span{Since: 19},
		"two profiles of one name and different text stop the update of every node's profile (from 4.19); before, one of them is taken at random",
		nto(calculator))
	validReported = during("profile.validReported", era.Span{Since: 19},
		"CRs have a condition Valid (from 4.19)",
		nto("pkg/operator/validator.go"))
	podsDeprecated = during("profile.podMatchInvalid", era.Span{Since: 19},
		"a CR that matches pods is marked Valid=False, but works (from 4.19)",
		nto("pkg/operator/validator.go"))
	linuxOnly = during("profile.linuxOnly", era.Span{Since: 10},
		"nodes that don't run Linux get no profile (from 4.10)",
		nto("pkg/operator/controller.go"))
	reloads = changing("profile.reload",
		"which change of a profile's text reloads TuneD on a node whose choice stays the same (own text alone up to 4.7)",
		nto("pkg/tuned"), turn[reloadRule]{1, reloadAny}, turn[reloadRule]{4, reloadOwn}, turn[reloadRule]{8, reloadParents})
	listsRequired = during("profile.listsRequired", era.Span{Since: 1, Until: 8},
		"spec must have profile and recommend, if only empty ones (up to 4.8)",
		nto("manifests/20-crd-tuned.yaml"))
	namesRequired = during("profile.namesRequired", era.Span{Since: 14},
		"names of profiles must not be empty (from 4.14)",
		nto("manifests/20-tuned.crd.yaml"))
	stateKnown = during("profile.managementState", era.Span{Since: 6},
		"CR default has a managementState (from 4.6)",
		nto("manifests/20-tuned.crd.yaml"))
	debugRequired = during("profile.operandDebugRequired", era.Span{Since: 7, Until: 10},
		"an operand without debug is refused (4.7 to 4.10)",
		nto("manifests/20-crd-tuned.yaml"))
	nodesAgree = during("profile.kernelArgsAgree", era.Span{Since: 12},
		"kernel arguments are refused when nodes of the pool disagree, and the operator is Degraded with ProfileConflict (from 4.12); before, the last node wins",
		nto("pkg/operator/controller.go"))
	onePool = during("profile.kernelArgsOnePool", era.Span{Since: 14},
		"kernel arguments are refused when machineConfigLabels hit more than one pool (from 4.14); before, each node writes the MachineConfig of its own pool",
		nto("pkg/operator/controller.go"))
	acrossReported = during("profile.kernelArgsAcrossReported", era.Span{Since: 21},
		"the operator is Degraded with MCLabelsAcrossMCPs when machineConfigLabels hit more than one pool (from 4.21); before, that is only logged",
		nto("pkg/operator/status.go"))
	conditionsKnown = during("profile.conditions", era.Span{Since: 7},
		"Profile objects have the conditions Applied and Degraded (from 4.7)",
		nto("pkg/apis/tuned/v1/tuned_types.go"))
	overrideReported = during("profile.sysctlOverrideReported", era.Span{Since: 13},
		"a node's Profile is Degraded with TunedSysctlOverride when the host's files win over a sysctl of its profile (from 4.13)",
		nto("pkg/tuned/status.go"))
	likeToday = during("profile.defaultOfBefore", era.Span{Since: 6},
		"where the release isn't known, the items of CR default that asked for masters, up to 4.19, pass for the operator's own",
		nto("assets/tuned/default-cr-tuned.yaml"))
	operandKnown = during("profile.operand", operandSince,
		"items of recommend can set up the daemon of their nodes: debug (from 4.7), tunedConfig (from 4.11) and verbosity (from 4.18)",
		nto("manifests/20-tuned.crd.yaml"))
	sumIsOwn = era.Rule[bool]{ID: "profile.rendered",
		Title: "the CR rendered is the operator's own, made of all others, and doesn't count; from 4.14 on it is removed",
		At:    era.Since(era.V44), Source: nto("pkg/manifests/manifests.go")}
	oldKernel = during("profile.schedSysctls", era.Span{Since: 1, Until: 12},
		"the nodes' kernel has the sysctls kernel.sched_*_ns, which are gone from 5.13 (OpenShift 4.13)",
		derive.Source{Code: "Linux kernel", Section: "5.13"})
)

// Eras are the rules that differ by era.
func Eras() []era.Row {
	return []era.Row{perNode.Row(), defaults.Row(), vendors.Row(), tieByName.Row(), labelsKnown.Row(), freezes.Row(), validReported.Row(), podsDeprecated.Row(), linuxOnly.Row(),
		reloads.Row(), listsRequired.Row(), namesRequired.Row(), stateKnown.Row(), debugRequired.Row(), nodesAgree.Row(), onePool.Row(), acrossReported.Row(), conditionsKnown.Row(), overrideReported.Row(), likeToday.Row(), operandKnown.Row(), sumIsOwn.Row(), oldKernel.Row()}
}

// basis is what CRs are judged by.
type basis struct {
	era era.Era
	// exact is the release, where it is known more exactly than by its era; 0 where not.
	exact era.Release
}

// release is the release, or the one that stands for the era.
func (b basis) release() era.Release {
	if b.exact != 0 {
		return b.exact
	}
	return b.era.Release()
}

// lasting is a behaviour of some releases.
type lasting struct {
	era.Rule[bool]
	span era.Span
}

func during(id string, s era.Span, title string, source derive.Source) lasting {
	return lasting{era.Rule[bool]{ID: id, Title: title, At: era.In(s.Has), Source: source}, s}
}

// of says whether it is one of the release.
func (l lasting) of(b basis) bool { return l.span.Has(b.release()) }

// turn is a value that a behaviour has from a release on.
type turn[T any] struct {
	from  era.Release
	value T
}

// stepwise is a behaviour that changed with releases.
type stepwise[T any] struct {
	era.Rule[T]
	turns []turn[T]
}

// changing is a behaviour with its values, oldest first.
func changing[T any](id, title string, source derive.Source, turns ...turn[T]) stepwise[T] {
	s := stepwise[T]{era.Rule[T]{ID: id, Title: title, Source: source}, turns}
	s.At = era.In(s.at)
	return s
}

func (s stepwise[T]) at(r era.Release) T {
	value := s.turns[0].value
	for _, t := range s.turns {
		if t.from <= r {
			value = t.value
		}
	}
	return value
}

// of is the value of the release.
func (s stepwise[T]) of(b basis) T { return s.at(b.release()) }
