// Package machineconfig makes, renders and judges MachineConfigs: the files,
// systemd units and kernel arguments that the Machine Config Operator puts on the
// nodes of a pool.
//
// It makes those that tuning needs (Receive Packet Steering, static routes, huge
// pages), renders all MachineConfigs of a pool into what a node gets, with the
// origin of each piece, holds that against what the operator rendered where a dump
// has it, says what a running node does with a change, and checks manifests. It talks to no
// cluster, and the order in which the nodes of a pool are updated is not its business but that of
// package pool.
//
//	mc, findings := machineconfig.Generate(machineconfig.Settings{
//		Name: "50-rps", Role: "worker", RPS: &machineconfig.RPS{CPUs: []int{8}},
//	}, release.V44)
package machineconfig
