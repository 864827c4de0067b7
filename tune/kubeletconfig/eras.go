package kubeletconfig

// The files of the operator that the behaviours are read from.
const (
	controllerFile = "pkg/controller/kubelet-config/kubelet_config_controller.go"
	helpersFile    = "pkg/controller/kubelet-config/helpers.go"
)

var oldRefused = fields{"cgroupDriver", "clusterDNS", "clusterDomain", "featureGates", "runtimeRequestTimeout", "staticPodPath"}
