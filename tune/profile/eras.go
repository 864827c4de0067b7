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
	reloads = era.Rule[reloadRule]{ID: "profile.reload",
		Title:  "which change of a profile's text reloads TuneD on a node whose choice stays the same",
		At:     [4]reloadRule{reloadAny, reloadOwn, reloadOwn, reloadParents},
		Source: nto("pkg/tuned")}
	listsRequired = era.Rule[bool]{ID: "profile.listsRequired",
		Title: "spec must have profile and recommend, if only empty ones",
		At:    era.Until(era.V45), Source: nto("manifests/02-crd.yaml")}
	namesRequired = era.Rule[bool]{ID: "profile.namesRequired",
		Title: "names of profiles must not be empty",
		At:    era.Since(era.Current), Source: nto("manifests/20-tuned.crd.yaml")}
	stateKnown = era.Rule[bool]{ID: "profile.managementState",
		Title: "CR default has a managementState (from 4.6)",
		At:    era.Since(era.Current), Source: nto("manifests/20-tuned.crd.yaml")}
	onePool = era.Rule[bool]{ID: "profile.kernelArgsOnePool",
		Title: "kernel arguments are refused when machineConfigLabels hit more than one pool, or nodes of the pool disagree; before, the last node wins",
		At:    era.Since(era.Current), Source: nto("pkg/operator/controller.go")}
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
		reloads.Row(), listsRequired.Row(), namesRequired.Row(), stateKnown.Row(), onePool.Row(), operandKnown.Row(), sumIsOwn.Row(), oldKernel.Row()}
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
