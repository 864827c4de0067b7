package machineconfig

import (
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/object"
)

// rule makes a rule of this package.
func rule(id string, s v1alpha1.Severity, title string, sources ...derive.Source) object.Rule {
	return object.Rule{ID: "machineConfig." + id, Severity: s, Title: title, Sources: sources}
}

func ignition(section string) derive.Source {
	return derive.Source{Code: "Ignition source", Section: section}
}

func tips(section string) derive.Source { return derive.Source{Code: "ZTIP", Section: section} }

var (
	helpers   = mco("pkg/controller/common/helpers.go")
	reconcile = mco("pkg/daemon/update.go, Reconcilable")
	kernel    = derive.Source{Code: "Linux kernel", Section: "networking/scaling, Receive Packet Steering"}
	boot      = derive.Source{Code: "Linux kernel", Section: "admin-guide/mm/hugetlbpage"}
	udev      = derive.Source{Code: "Plimsoll measurements", Section: "udev 252, four receive queues"}
	rps       = tips("Tuning recommendation #1")
	route     = tips("Tuning recommendation #2")
)

// What keeps the operator from rendering a pool.
var (
	wrongTypeRule   = rule("type", v1alpha1.Error, "a field of the Ignition configuration has a value of the wrong type", ignition("config types"))
	versionRule     = rule("version", v1alpha1.Error, "the version of the Ignition specification is not one that the operator accepts", helpers)
	pathRule        = rule("path", v1alpha1.Error, "a path is missing, relative or in the way of another", ignition("types/path.go, types/config.go"))
	duplicateRule   = rule("duplicate", v1alpha1.Error, "a path or a unit stands twice in a configuration of specification 3", ignition("config/validate"))
	filesystemRule  = rule("filesystem", v1alpha1.Error, "specification 2 demands filesystem: root, specification 3 does not know it", ignition("types/node.go"))
	modeRule        = rule("mode", v1alpha1.Error, "a mode is out of range, or has the setuid, setgid or sticky bit", helpers, ignition("types/mode.go"))
	ownerRule       = rule("owner", v1alpha1.Error, "an owner is given by number and by name", ignition("types/node.go"))
	sourceRule      = rule("source", v1alpha1.Error, "the source of a file can't be decoded", ignition("types/url.go"))
	foldedRule      = rule("foldedURL", v1alpha1.Error, "a data URL that was wrapped over lines holds blanks and can't be decoded", rps)
	compressionRule = rule("compression", v1alpha1.Error, "a compression is not known, or not undone", ignition("types/resource.go"), helpers)
	hashRule        = rule("hash", v1alpha1.Error, "a checksum is not of the form that Ignition knows", ignition("types/verification.go"))
	unitRule        = rule("unit", v1alpha1.Error, "a systemd unit can't be read, or does not start", ignition("types/unit.go"))
	kernelTypeRule  = rule("kernelType", v1alpha1.Error, "a kernelType is not known", helpers)
)

// What the operator renders, and a node refuses or can't do.
var (
	misplacedRule = rule("misplaced", v1alpha1.Error, "fields of a file stand below its contents, where nothing reads them", rps)
	noSourceRule  = rule("noSource", v1alpha1.Error, "a file has no content: an empty one has the source data:,", helpers)
	remoteRule    = rule("remote", v1alpha1.Error, "a running node does not fetch the content of files", mco("pkg/daemon/file_writers.go"))
	appendRule    = rule("append", v1alpha1.Error, "a running node appends to no file", reconcile)
	refusedRule   = rule("refused", v1alpha1.Warning, "a running node refuses changes that only installation can apply", reconcile)
)

// Who gets it.
var (
	noRoleRule    = rule("noRole", v1alpha1.Error, "no pool takes a MachineConfig without labels", mco("pkg/controller/render/render_controller.go"))
	noPoolRule    = rule("noPool", v1alpha1.Warning, "no pool selects the labels of a MachineConfig", mco("pkg/controller/render/render_controller.go"))
	unreachedRule = rule("unreached", v1alpha1.Warning, "nodes that seem to be meant are in another pool, or in none", mco("pkg/controller/node"))
	orderRule     = rule("order", v1alpha1.Warning, "a MachineConfig that is rendered later writes the same path", helpers)
	renderedRule  = rule("rendered", v1alpha1.Warning, "what the operator rendered is rendered again, or is not what the MachineConfigs come to", mco("pkg/controller/render/render_controller.go"))
	degradedRule  = rule("degraded", v1alpha1.Warning, "a node's daemon gave up on a configuration", mco("pkg/daemon/writer.go"))
	rolloutsRule  = rule("rollouts", v1alpha1.Info, "each MachineConfig that is created by itself is a rollout of its own", route)
)

// What a file or an argument does.
var (
	modeDecimalRule = rule("modeDecimal", v1alpha1.Warning, "a mode seems to be meant in octal and is written in decimal", ignition("types/mode.go"))
	plusRule        = rule("plus", v1alpha1.Warning, "a plus in a data URL stays a plus and is no blank", ignition("types/url.go"))
	maskRule        = rule("mask", v1alpha1.Error, "the kernel refuses a CPU mask in a wrong form or beyond its CPUs", kernel)
	maskDiffersRule = rule("maskDiffers", v1alpha1.Warning, "the mask in the content differs from the one in the text around it", rps)
	oneQueueRule    = rule("oneQueue", v1alpha1.Error, "ATTR{queues/*/rps_cpus} writes one queue of a NIC only", udev)
	allDevicesRule  = rule("allDevices", v1alpha1.Warning, "a rule for all network devices also steers the packets of each pod's veth", udev, rps)
	lateQueuesRule  = rule("lateQueues", v1alpha1.Warning, "a rule for queues alone misses NICs that were found before it was there", udev)
	ruleSyntaxRule  = rule("udevSyntax", v1alpha1.Warning, "a line of a udev rule can't be read and is ignored", udev)
	routeFileRule   = rule("routeFile", v1alpha1.Warning, "a route file of network-scripts is read by NetworkManager's ifcfg plug-in only, beside an ifcfg file", route)
	routeRule       = rule("route", v1alpha1.Error, "a static route is not one that can be set, or takes the cluster's own traffic away", route)
	onLinkRule      = rule("onLink", v1alpha1.Warning, "a route without gateway is right only where its network shares the layer-2 segment", route)
	returnPathRule  = rule("returnPath", v1alpha1.Info, "answers still come back through the load balancer", route)
	podRoutesRule   = rule("podRoutes", v1alpha1.Warning, "pods of OVN-Kubernetes obey the host's routes only with routingViaHost", derive.Source{Code: "ovn-kubernetes source", Section: "gateway modes"})
	keyfileRule     = rule("keyfile", v1alpha1.Warning, "NetworkManager ignores key files that others can read, and takes one as the whole profile of its device", derive.Source{Code: "NetworkManager docs", Section: "nm-settings-keyfile"})
	hugePagesRule   = rule("hugePages", v1alpha1.Warning, "kernel arguments for huge pages are wrong or in a wrong order", boot, derive.Source{Code: "OCP", Section: "13.2"})
	argumentRule    = rule("kernelArgument", v1alpha1.Warning, "a kernel argument holds a blank", mco("pkg/daemon/update.go, generateKargsCommand"))
	cpuCountsRule   = rule("cpuCounts", v1alpha1.Warning, "a mask fits nodes with one number of CPUs: pools with others need their own", kernel)
	priorityTieRule = rule("hugePagesPriority", v1alpha1.Warning, "the priority of the huge pages profile ties with a default one, or is never reached", derive.Source{Code: "OCP", Section: "13.3"})
	lateHugeRule    = rule("lateHugePages", v1alpha1.Info, "huge pages that are allocated while a node runs may come out fewer than asked for", boot, derive.Source{Code: "OCP", Section: "13.3"})
	impossibleRule  = rule("settings", v1alpha1.Error, "a setting can't be made from what is given")
)

// Rules are all rules of this package.
func Rules() []object.Rule {
	return []object.Rule{wrongTypeRule, versionRule, pathRule, duplicateRule, filesystemRule, modeRule, ownerRule, sourceRule, foldedRule, compressionRule, hashRule, unitRule, kernelTypeRule,
		misplacedRule, noSourceRule, remoteRule, appendRule, refusedRule, noRoleRule, noPoolRule, unreachedRule, orderRule, renderedRule, degradedRule, rolloutsRule,
		modeDecimalRule, plusRule, maskRule, maskDiffersRule, oneQueueRule, allDevicesRule, lateQueuesRule, ruleSyntaxRule, routeFileRule, routeRule, onLinkRule, returnPathRule, podRoutesRule, keyfileRule,
		hugePagesRule, argumentRule, cpuCountsRule, priorityTieRule, lateHugeRule, impossibleRule}
}
