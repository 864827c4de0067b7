package machineconfig

import (
	"plimsoll.dev/derive"
)

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
