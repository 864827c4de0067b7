package pool

import (
	"plimsoll.dev/derive"
	"plimsoll.dev/tune/era"
)

// mco is the Machine Config Operator's source, at a file of it.
func mco(file string) derive.Source { return derive.Source{Code: "MCO source", Section: file} }

// What differs by era.
var (
	masterBeatsCustom = era.Rule[bool]{ID: "pool.masterBeatsCustom",
		Title: "a node of pool master and of a custom pool gets master's configuration; before, it gets none",
		At:    era.Since(era.Current), Source: mco("pkg/helpers/helpers.go")}
	windowsUnmanaged = era.Rule[bool]{ID: "pool.windowsUnmanaged",
		Title: "a node with the label kubernetes.io/os=windows belongs to no pool",
		At:    era.Since(era.Current), Source: mco("pkg/helpers/helpers.go")}
	nameLabel = era.Rule[bool]{ID: "pool.nameLabel",
		Title: "the pools of every cluster have a label with their own name, pools.operator.machineconfiguration.openshift.io/NAME",
		At:    era.Since(era.Current), Source: mco("manifests/worker.machineconfigpool.yaml")}
)

// Eras are the rules that differ by era.
func Eras() []era.Row {
	return []era.Row{masterBeatsCustom.Row(), windowsUnmanaged.Row(), nameLabel.Row()}
}
