package pool

import (
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/object"
)

func rule(id string, s v1alpha1.Severity, title string, sources ...derive.Source) object.Rule {
	return object.Rule{ID: "pool." + id, Severity: s, Title: title, Sources: sources}
}

// What Check finds in MachineConfigPools.
var (
	badMaxUnavailable = rule("badMaxUnavailable", v1alpha1.Error, "maxUnavailable can't be read: the operator does nothing for the pool", mco(controllerFile))
	textNumber        = rule("textNumber", v1alpha1.Warning, "maxUnavailable is a number in quotes, which up to 4.5 is a percentage", mco(controllerFile))
	negative          = rule("negative", v1alpha1.Error, "maxUnavailable below 0: nothing is ever updated", mco(controllerFile))
	zeroIsOne         = rule("zeroIsOne", v1alpha1.Warning, "maxUnavailable 0 is taken for 1", mco(controllerFile))
	mastersAtOnce     = rule("mastersAtOnce", v1alpha1.Warning, "maxUnavailable of pool master allows several at once", mco(controllerFile))
	isPaused          = rule("paused", v1alpha1.Warning, "a paused pool gets no configuration, renewed certificates included", mco(controllerFile))
	selectsNothing    = rule("selectsNothing", v1alpha1.Error, "a pool without nodeSelector, or with an empty one, has no nodes", mco(controllerFile))
	badSelector       = rule("badSelector", v1alpha1.Error, "a nodeSelector that is not valid: no node of the cluster has a pool", mco(helpersFile))
	noRole            = rule("noRole", v1alpha1.Warning, "a pool's nodeSelector asks for no role", derive.Source{Code: "OpenShift docs", Section: "Machine config pools"})
	noConfigs         = rule("noConfigs", v1alpha1.Error, "a pool without machineConfigSelector, or with an empty one, takes no MachineConfigs", mco("pkg/controller/render"))
	withoutWorker     = rule("withoutWorker", v1alpha1.Error, "a custom pool doesn't take the MachineConfigs of role worker, without which there is no node", mco("pkg/controller/render"))
)

// What Check finds in nodes, by the pools beside them.
var (
	unmanaged       = rule("unmanaged", v1alpha1.Error, "a node with a role is in no pool: it gets no configuration any more", derive.Source{Code: "OCP", Section: "2.2"}, mco(helpersFile))
	severalPools    = rule("severalPools", v1alpha1.Error, "a node is in pools that exclude each other: it gets no configuration", mco(helpersFile))
	masterAndCustom = rule("masterAndCustom", v1alpha1.Warning, "a master in a custom pool gets nothing of the custom pool", mco(helpersFile))
	masterAndWorker = rule("masterAndWorker", v1alpha1.Warning, "a master that is a worker too gets nothing of pool worker, though pods go there", mco(helpersFile), derive.Source{Code: "ZTIP", Section: "Tuning recommendation #1"})
)

// Rules are what Check can find.
func Rules() []object.Rule {
	return []object.Rule{badMaxUnavailable, textNumber, negative, zeroIsOne, mastersAtOnce, isPaused, selectsNothing, badSelector, noRole, noConfigs, withoutWorker,
		unmanaged, severalPools, masterAndCustom, masterAndWorker}
}

// What Explain finds in a rollout.
var (
	neverDone    = object.Rule{ID: "rollout.neverDone", Severity: v1alpha1.Error, Title: "a rollout stops and doesn't go on by itself", Sources: []derive.Source{mco(controllerFile)}}
	drainHeld    = object.Rule{ID: "rollout.drainHeld", Severity: v1alpha1.Error, Title: "a node's drain never ends: evictions are refused", Sources: []derive.Source{{Code: "Kubernetes source", Section: "pkg/registry/core/pod/storage/eviction.go"}}}
	stops        = object.Rule{ID: "rollout.stops", Severity: v1alpha1.Warning, Title: "a rollout stops for a time", Sources: []derive.Source{mco(controllerFile)}}
	notDone      = object.Rule{ID: "rollout.notDone", Severity: v1alpha1.Error, Title: "a rollout isn't done within the time that is watched"}
	nodeUnpooled = object.Rule{ID: "rollout.unmanaged", Severity: v1alpha1.Warning, Title: "a node is in no pool", Sources: []derive.Source{mco(helpersFile)}}
	tooFew       = object.Rule{ID: "rollout.tooFew", Severity: v1alpha1.Error, Title: "fewer nodes take pods than are needed"}
	noneLeft     = object.Rule{ID: "rollout.noneLeft", Severity: v1alpha1.Warning, Title: "for a time no node takes pods, though there are several"}
	quorum       = object.Rule{ID: "rollout.quorum", Severity: v1alpha1.Warning, Title: "more masters are updated at once than etcd can do without", Sources: []derive.Source{mco(controllerFile)}}
)
