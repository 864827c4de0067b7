package kubeletconfig

import "plimsoll.dev/tune/era"

// The files of the operator that the behaviours are read from.
const (
	controllerFile = "pkg/controller/kubelet-config/kubelet_config_controller.go"
	helpersFile    = "pkg/controller/kubelet-config/helpers.go"
)

// What differs by era.
var (
	zeroBehindPointer = era.Rule[bool]{ID: "kubelet.zeroBehindPointer",
		Title: "a value that the kubelet's types keep behind a pointer (kubeAPIQPS, serializeImagePulls) overrides even when it is 0 or false",
		At:    era.Until(era.V45), Source: mco("go.mod: mergo 0.3.7, 0.3.16 today")}
	textFromNumber = era.Rule[bool]{ID: "kubelet.textFromNumber",
		Title: "a number or truth value where the kubelet wants text is taken for text; before, the operator refuses it",
		At:    era.Since(era.Current), Source: mco("go.mod: apimachinery 0.36 reads as YAML what fails as JSON")}
	confIsYAML = era.Rule[bool]{ID: "kubelet.confIsYAML",
		Title: "kubelet.conf is written as YAML with sorted keys; before, as JSON",
		At:    era.Since(era.Current), Source: mco(helpersFile)}
	templates = era.Rule[[2]string]{ID: "kubelet.templates",
		Title: "templates of kubelet.conf for masters and for workers",
		At:    [...][2]string{{"4.3", "4.3"}, {"4.4", "4.4"}, {"4.4", "4.4"}, {"current-master", "current-worker"}}, Source: mco("templates")}
	refusedFields = era.Rule[fields]{ID: "kubelet.refusedFields",
		Title:  "fields of kubeletConfig that the operator refuses",
		At:     [...]fields{oldRefused, oldRefused, oldRefused, {"cgroupDriver", "clusterDNS", "clusterDomain", "featureGates", "failSwapOn", "memorySwap.swapBehavior"}},
		Source: mco(helpersFile)}
	staticPodsByPool = era.Rule[bool]{ID: "kubelet.staticPodsByPool",
		Title: "staticPodPath is refused in any form for control planes, and elsewhere unless it is empty; before, unless it is empty",
		At:    era.Since(era.Current), Source: mco(helpersFile)}
	operatorChecksEvictionSoft = era.Rule[bool]{ID: "kubelet.operatorChecksEvictionSoft",
		Title: "the operator refuses soft eviction thresholds without a grace period; otherwise the kubelet stops",
		At:    [...]bool{false, true, true, false}, Source: mco(helpersFile)}
	operatorChecksReserved = era.Rule[bool]{ID: "kubelet.operatorChecksReserved",
		Title: "the operator refuses reservations that are no quantity or negative; otherwise the kubelet stops",
		At:    [...]bool{false, false, true, false}, Source: mco(helpersFile)}
	specExtras = era.Rule[bool]{ID: "kubelet.specExtras",
		Title: "a KubeletConfig has autoSizingReserved, logLevel and tlsSecurityProfile",
		At:    era.Since(era.Current), Source: mco(helpersFile)}
	reservedInFile = era.Rule[bool]{ID: "kubelet.reservedInFile",
		Title: "cpu, memory and ephemeral-storage of systemReserved go to /etc/node-sizing-enabled.env in place of kubelet.conf",
		At:    era.Since(era.Current), Source: mco(helpersFile)}
	topologyNeedsGate = era.Rule[bool]{ID: "kubelet.topologyNeedsGate",
		Title: "topologyManagerPolicy other than none stops the kubelet unless the feature set LatencySensitive is on",
		At:    era.Until(era.V44), Source: mco("pkg/controller/kubelet-config/kubelet_config_features.go")}
	naming = era.Rule[Naming]{ID: "kubelet.naming",
		Title: "names of the MachineConfigs of KubeletConfigs",
		At:    [...]Naming{ByUID, ByUID, ByUID, Numbered}, Source: mco(helpersFile)}
)

var oldRefused = fields{"cgroupDriver", "clusterDNS", "clusterDomain", "featureGates", "runtimeRequestTimeout", "staticPodPath"}

// Eras are the behaviours that differ by era.
func Eras() []era.Row {
	return []era.Row{zeroBehindPointer.Row(), textFromNumber.Row(), confIsYAML.Row(), templates.Row(), refusedFields.Row(), staticPodsByPool.Row(),
		operatorChecksEvictionSoft.Row(), operatorChecksReserved.Row(), specExtras.Row(), reservedInFile.Row(), topologyNeedsGate.Row(), naming.Row(), featureSets.Row()}
}
