package kubeletconfig

import (
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/object"
)

func rule(id string, s v1alpha1.Severity, title string, sources ...derive.Source) object.Rule {
	return object.Rule{ID: "kubelet." + id, Severity: s, Title: title, Sources: sources}
}

// What the operator refuses.
var (
	wrongType        = rule("wrongType", v1alpha1.Error, "a value of kubeletConfig has the wrong type: the operator refuses the KubeletConfig", mco(helpersFile))
	missingConfig    = rule("missingConfig", v1alpha1.Error, "a KubeletConfig has no kubeletConfig", mco(helpersFile))
	refusedField     = rule("refusedField", v1alpha1.Error, "a field of kubeletConfig that the operator refuses, because it would cut the node off", mco(helpersFile))
	contradiction    = rule("contradiction", v1alpha1.Error, "fields of a KubeletConfig that contradict each other", mco(helpersFile))
	softWithoutGrace = rule("softWithoutGrace", v1alpha1.Error, "a soft eviction threshold has no grace period", mco(helpersFile))
	badReserved      = rule("badReserved", v1alpha1.Error, "a reservation is not a quantity, or negative", mco(helpersFile))
	unknownSet       = rule("unknownSet", v1alpha1.Error, "a feature set that the era doesn't know", mco("pkg/controller/kubelet-config/kubelet_config_features.go"))
	badSuffix        = rule("badSuffix", v1alpha1.Error, "the annotation with a number of one KubeletConfig is none: new KubeletConfigs of the pool are refused", mco(helpersFile))
	tooMany          = rule("tooMany", v1alpha1.Error, "more than ten KubeletConfigs for one pool: the eleventh is refused", mco(helpersFile))
)

// Which pools a KubeletConfig is for.
var (
	noSelector    = rule("noSelector", v1alpha1.Error, "a KubeletConfig without machineConfigPoolSelector, or with an empty one, is for no pool", mco(controllerFile))
	noPool        = rule("noPool", v1alpha1.Error, "machineConfigPoolSelector matches the labels of no pool", ocp("2.2"), mco(controllerFile))
	unlabelled    = rule("unlabelled", v1alpha1.Info, "machineConfigPoolSelector asks for a label that people must set on the pool", ocp("2.2"))
	nodeLabels    = rule("nodeLabels", v1alpha1.Error, "machineConfigPoolSelector asks for a label of nodes: it is compared with the labels of the pools", mco(controllerFile))
	severalOnPool = rule("severalOnPool", v1alpha1.Warning, "several KubeletConfigs for one pool are not added up: one wins whole", mco(controllerFile))
	fromWorker    = rule("fromWorker", v1alpha1.Warning, "a KubeletConfig of pool worker and one of a custom pool: the custom pool's nodes get only one of them", mco(controllerFile))
)

// What has no effect.
var (
	unknownField = rule("unknownField", v1alpha1.Warning, "a field that the era doesn't know is dropped silently", mco(helpersFile))
	wrongCase    = rule("wrongCase", v1alpha1.Info, "a field of kubeletConfig is not written as its name is", mco(helpersFile))
	tlsNotShown  = rule("tlsNotShown", v1alpha1.Info, "the TLS settings of a tlsSecurityProfile are not in the kubelet.conf that is shown", mco(controllerFile))
	zeroIgnored  = rule("zeroIgnored", v1alpha1.Warning, "a zero value can't override the template", mco(controllerFile))
)

// What stops the kubelet, or doesn't do what people expect of it.
var (
	kubeletStops     = rule("kubeletStops", v1alpha1.Error, "a value that the operator lets through and the kubelet doesn't start with", derive.Source{Code: "kubelet source", Section: "validation"})
	topologyGate     = rule("topologyGate", v1alpha1.Error, "topologyManagerPolicy without the feature set LatencySensitive stops the kubelet", ocp("7.1"))
	topologyAlone    = rule("topologyAlone", v1alpha1.Warning, "topologyManagerPolicy without the static CPU Manager aligns no CPUs", ocp("7.2"))
	staticUnreserved = rule("staticUnreserved", v1alpha1.Error, "the static CPU Manager without CPU kept back for the system stops the kubelet", ocp("6.1"))
	podsPerCoreAbove = rule("podsPerCoreAbove", v1alpha1.Warning, "podsPerCore exceeds maxPods", ocp("2.1"))
	podsAboveTested  = rule("podsAboveTested", v1alpha1.Warning, "maxPods is more than has been tested on a node", ocp("9.1"))
	hostPrefixShort  = rule("hostPrefixShort", v1alpha1.Error, "a node's part of the cluster network has fewer addresses than maxPods", ocp("9.1"))
	hostPrefixTight  = rule("hostPrefixTight", v1alpha1.Warning, "a node's part of the cluster network has addresses for maxPods, but not for as many user pods beside the system's", ocp("9.1"))
)

// Of the FeatureGate.
var (
	gateName   = rule("gateName", v1alpha1.Error, "only the FeatureGate named cluster counts", ocp("7.1"))
	noUpgrades = rule("noUpgrades", v1alpha1.Warning, "a feature set that can't be taken back and stops upgrades", mco("vendor: openshift/api config/v1"))
)

// Rules are what Check and Explain can find.
func Rules() []object.Rule {
	return []object.Rule{wrongType, missingConfig, refusedField, contradiction, softWithoutGrace, badReserved, unknownSet, tooMany, badSuffix,
		noSelector, noPool, unlabelled, nodeLabels, severalOnPool, fromWorker, unknownField, wrongCase, tlsNotShown, zeroIgnored,
		kubeletStops, topologyGate, topologyAlone, staticUnreserved, podsPerCoreAbove, podsAboveTested, hostPrefixShort, hostPrefixTight, gateName, noUpgrades}
}
