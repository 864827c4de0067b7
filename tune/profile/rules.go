package profile

import (
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/object"
)

func rule(s v1alpha1.Severity, id, title string, sources ...derive.Source) object.Rule {
	return object.Rule{ID: "profile." + id, Severity: s, Title: title, Sources: sources}
}

const (
	bad    = v1alpha1.Error
	warn   = v1alpha1.Warning
	remark = v1alpha1.Info
)

var (
	schemaSource = nto("manifests/20-tuned.crd.yaml")
	tunedSource  = derive.Source{Code: "TuneD source", Section: "profiles"}
)

// What the API server refuses.
var (
	missingField     = rule(bad, "missingField", "a field that the API server wants is missing", schemaSource)
	negativePriority = rule(bad, "negativePriority", "a priority is below 0", schemaSource)
	matchType        = rule(bad, "matchType", "the type of a match item is neither node nor pod", schemaSource)
	emptyName        = rule(bad, "emptyName", "the name of a profile is empty", schemaSource)
	badState         = rule(bad, "managementState", "the managementState is none of those that the operator knows", schemaSource)
	refusedCR        = rule(bad, "refused", "the API server refuses the CR, so it doesn't count", schemaSource)
)

// What doesn't do what it seems to, seen from the CRs alone.
var (
	apiVersion     = rule(bad, "apiVersion", "a Tuned is not of tuned.openshift.io/v1", schemaSource)
	elsewhere      = rule(warn, "namespace", "a CR is outside the operator's namespace, where nobody reads it", ocp("4.5"))
	sameName       = rule(warn, "sameName", "two CRs have one name: the second replaces the first")
	defaultEdited  = rule(warn, "defaultEdited", "CR default differs from the operator's own, which puts it back", ocp("4.2"), nto("pkg/operator/controller.go"))
	renderedCR     = rule(remark, "rendered", "the CR that the operator makes of all others was among the input", nto("pkg/manifests/manifests.go"))
	staleParent    = rule(remark, "parentNotReloaded", "nodes keep the old settings when only an included profile's text changes", nto("pkg/tuned"))
	operandDropped = rule(warn, "operandDropped", "a field of operand is not known and dropped", schemaSource)
	unmanaged      = rule(warn, "unmanaged", "the operator is told to manage nothing", ocp("4.2"))
	nestedType     = rule(warn, "nestedType", "a nested type is not checked and means node", nto("manifests/02-crd.yaml"))
	nestedLabel    = rule(warn, "nestedLabel", "a nested item has no label and always matches", nto(calculator))
	nestedUnderPod = rule(warn, "nestedUnderPod", "an item without type below one of type pod looks at the node", ocp("4.5"), nto(calculator))
	roleOfPod      = rule(warn, "roleOfPod", "a node's role is asked of pods", ocp("4.5"))
	podMatch       = rule(warn, "podMatch", "pods are matched, which is discouraged and deprecated", ocp("4.2"))
	twoPods        = rule(remark, "twoPods", "two nested items of type pod may be met by two different pods", nto(calculator))
	emptyValue     = rule(warn, "emptyValue", `value "" asks for an empty value, not for any`, nto(calculator))
	neverMatches   = rule(warn, "neverMatches", "an item asks for two values of one label of the node", nto(calculator))
	labelsDropped  = rule(bad, "machineConfigLabelsDropped", "machineConfigLabels are not known and dropped", nto("manifests/02-crd.yaml"))
	labelsInvalid  = rule(bad, "machineConfigLabelsInvalid", "machineConfigLabels are no valid labels and select nothing", nto(calculator))
	labelsAndMatch = rule(warn, "machineConfigLabelsAndMatch", "match and machineConfigLabels are alternatives", nto(calculator))
	noDefinition   = rule(bad, "noDefinition", "a recommended profile is defined nowhere", nto("pkg/tuned"))
	priorityTie    = rule(warn, "priorityTie", "two items that name different profiles have one priority", ocp("13.3"), nto(calculator))
	neverReached   = rule(warn, "neverReached", "an item comes after one that matches every node", ocp("4.5"))
	duplicate      = rule(bad, "duplicate", "two profiles have one name and different text", nto(calculator))
	duplicateSame  = rule(remark, "duplicateSame", "two profiles have one name and the same text", nto(calculator))
)

// What nodes make of the text of a profile; what is wrong with it is found by package tuned.
var (
	sysctlGone = rule(warn, "sysctlGone", "a sysctl that kernels from 5.13 on don't have", derive.Source{Code: "Linux kernel", Section: "5.13"})
	sysctlHost = rule(remark, "sysctlHost", "files in the host's sysctl.d win over sysctls of a profile, unless operand turns that off", tunedSource)
)

// What 4.3 made of it.
var (
	wordBoundary = rule(warn, "conf43.wordBoundary", "recommend.conf looks for a label by an expression that finds other labels too", nto("release-4.3 pkg/manifests"))
	explicitNode = rule(bad, "conf43.explicitNode", "an explicit type node leaves the name of the file empty", nto("release-4.3 pkg/manifests"))
	sharedKey    = rule(bad, "conf43.sharedKey", "two levels of one type share a key, so that their AND is lost", nto("release-4.3 pkg/manifests"))
)

// What goes wrong on the nodes of a cluster.
var (
	defaultAdded   = rule(remark, "defaultAdded", "CR default was not among the input and is added", ocp("4.3"))
	tieDecides     = rule(warn, "tieDecides", "nodes match two items of one priority that name different profiles", nto(calculator))
	nothingMatches = rule(bad, "nothingMatches", "no item matches a node", nto(calculator))
	frozen         = rule(bad, "frozen", "no node's profile is updated", nto(calculator))
	ownChoice      = rule(bad, "conf43.otherChoice", "TuneD of 4.3 chooses another profile than the CRs say", nto("release-4.3 pkg/manifests"))
	chosenNowhere  = rule(bad, "chosenNowhere", "nodes get a profile that is defined nowhere", nto("pkg/tuned"))
	noPool         = rule(warn, "noPool", "nodes are in no machine config pool", derive.Source{Code: "MCO source", Section: "pkg/helpers/helpers.go"})
	argsRefused    = rule(bad, "kernelArgs", "kernel arguments don't reach their pool", nto("pkg/operator/controller.go"))
	argsUnknown    = rule(remark, "kernelArgsUnknown", "kernel arguments depend on what is not known of the nodes", nto("pkg/operator/controller.go"))
	strayPods      = rule(remark, "strayPods", "pods are on nodes that are not among the input")
	notLinux       = rule(remark, "notLinux", "nodes that don't run Linux get no profile", nto("pkg/operator/controller.go"))
)

// Rules are all rules of Check and Explain.
func Rules() []object.Rule {
	return []object.Rule{
		missingField, negativePriority, matchType, emptyName, badState, refusedCR,
		apiVersion, elsewhere, sameName, defaultEdited, renderedCR, staleParent, operandDropped, unmanaged, nestedType, nestedLabel, nestedUnderPod, roleOfPod, podMatch, twoPods,
		emptyValue, neverMatches, labelsDropped, labelsInvalid, labelsAndMatch, noDefinition, priorityTie, neverReached,
		duplicate, duplicateSame,
		sysctlGone, sysctlHost,
		wordBoundary, explicitNode, sharedKey,
		defaultAdded, tieDecides, nothingMatches, frozen, ownChoice, chosenNowhere, noPool, argsRefused, argsUnknown, strayPods, notLinux,
	}
}
