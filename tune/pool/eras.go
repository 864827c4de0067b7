package pool

import (
	"plimsoll.dev/derive"
	"plimsoll.dev/tune/era"
)

// mco is the Machine Config Operator's source, at a file of it.
func mco(file string) derive.Source { return derive.Source{Code: "MCO source", Section: file} }

// The files that the behaviours are read from.
const (
	helpersFile    = "pkg/helpers/helpers.go"
	controllerFile = "pkg/controller/node/node_controller.go"
)

// What differs by era.
var (
	masterBeatsCustom = era.Rule[bool]{ID: "pool.masterBeatsCustom",
		Title: "a node of pool master and of a custom pool gets master's configuration; before, it gets none",
		At:    era.Since(era.Current), Source: mco(helpersFile)}
	windowsUnmanaged = era.Rule[bool]{ID: "pool.windowsUnmanaged",
		Title: "a node with the label kubernetes.io/os=windows belongs to no pool",
		At:    era.Since(era.Current), Source: mco(helpersFile)}
	nameLabel = era.Rule[bool]{ID: "pool.nameLabel",
		Title: "the pools of every cluster have a label with their own name, pools.operator.machineconfiguration.openshift.io/NAME",
		At:    era.Since(era.Current), Source: mco("manifests/worker.machineconfigpool.yaml")}
	masterQuorum = era.Rule[bool]{ID: "pool.masterQuorum",
		Title: "maxUnavailable of pool master is cut to what the quorum of etcd allows: none of one or two masters, 1 of three",
		At:    era.Until(era.V45), Source: mco(controllerFile)}
	textIsPercent = era.Rule[bool]{ID: "pool.textIsPercent",
		Title: "the text \"3\" for maxUnavailable is 3 %; today it is an error, with which nothing is updated",
		At:    era.Until(era.V45), Source: mco(controllerFile)}
	arbiterAlone = era.Rule[bool]{ID: "pool.arbiterAlone",
		Title: "pool arbiter updates one node at a time, whatever maxUnavailable says",
		At:    era.Since(era.Current), Source: mco(controllerFile)}
	readyFirst = era.Rule[bool]{ID: "pool.readyOnly",
		Title: "nodes that are not ready are not chosen for an update; before, they are",
		At:    era.Since(era.Current), Source: mco(controllerFile)}
	zoneOrder = era.Rule[bool]{ID: "pool.zoneOrder",
		Title: "nodes are updated in the order of their zones' names, the oldest first, those without a zone last; before, in no order (by name here)",
		At:    era.Since(era.Current), Source: mco(controllerFile)}
	operatorLast = era.Rule[bool]{ID: "pool.operatorLast",
		Title: "the master on which the operator runs waits while others can be updated",
		At:    era.Since(era.Current), Source: mco(controllerFile)}
)

// Eras are the rules that differ by era.
func Eras() []era.Row {
	return []era.Row{masterBeatsCustom.Row(), windowsUnmanaged.Row(), nameLabel.Row(), masterQuorum.Row(), textIsPercent.Row(), arbiterAlone.Row(),
		readyFirst.Row(), zoneOrder.Row(), operatorLast.Row()}
}
