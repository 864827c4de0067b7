package profile

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/tune/era"
)

// The profiles that are installed with TuneD in the operator's image.
var (
	vendor44 = strings.Fields(`atomic-guest atomic-host balanced cpu-partitioning default desktop desktop-powersave
		enterprise-storage hpc-compute laptop-ac-powersave laptop-battery-powersave latency-performance mssql
		network-latency network-throughput oracle powersave realtime realtime-virtual-guest realtime-virtual-host
		sap-hana sap-hana-vmware sap-netweaver server-powersave spindown-disk throughput-performance virtual-guest virtual-host`)
	vendorToday = strings.Fields(`accelerator-performance atomic-guest atomic-host aws balanced balanced-battery
		cpu-partitioning cpu-partitioning-powersave default desktop desktop-powersave enterprise-storage hpc-compute
		intel-sst laptop-ac-powersave laptop-battery-powersave latency-performance mssql network-latency
		network-throughput openshift openshift-control-plane openshift-node optimize-serial-console oracle postgresql
		powersave realtime realtime-virtual-guest realtime-virtual-host sap-hana sap-hana-kvm-guest sap-netweaver
		server-powersave spectrumscale-ece spindown-disk throughput-performance virtual-guest virtual-host`)
)

// names are names of profiles.
type names []string

// String counts them, and tells whether OpenShift's own are among them.
func (n names) String() string {
	if slices.Contains(n, noMatch) {
		return fmt.Sprintf("%d, OpenShift's own among them", len(n))
	}
	return fmt.Sprintf("%d, none of OpenShift's own", len(n))
}

var vendors = era.Rule[names]{ID: "profile.vendor", Title: "profiles that are installed with TuneD",
	At: [4]names{vendor44, vendor44, vendor44, vendorToday}, Source: nto("assets/tuned")}

// VendorProfiles are the names of the profiles that are installed with TuneD, sorted.
func VendorProfiles(e era.Era) []string { return slices.Clone([]string(vendors.In(e))) }

func isVendor(name string, e era.Era) bool { return slices.Contains(vendors.In(e), name) }

// isGone says whether a sysctl has left the kernel with 5.13: the settings of the
// scheduler in nanoseconds are files for debugging since.
func isGone(sysctl string) bool {
	return strings.HasPrefix(sysctl, "kernel.sched_") && strings.HasSuffix(sysctl, "_ns")
}
