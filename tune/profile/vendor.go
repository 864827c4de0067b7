package profile

import (
	"fmt"
	"slices"
	"strings"
)

// The profiles that are installed with TuneD in the operator's image: those of TuneD
// 2.14, which came with 4.6, and what later releases added.
var (
	vendor44 = strings.Fields(`atomic-guest atomic-host balanced cpu-partitioning default desktop desktop-powersave
		enterprise-storage hpc-compute laptop-ac-powersave laptop-battery-powersave latency-performance mssql
		network-latency network-throughput oracle powersave realtime realtime-virtual-guest realtime-virtual-host
		sap-hana sap-hana-vmware sap-netweaver server-powersave spindown-disk throughput-performance virtual-guest virtual-host`)
	vendor46 = strings.Fields(`accelerator-performance atomic-guest atomic-host balanced cpu-partitioning default desktop
		desktop-powersave enterprise-storage hpc-compute intel-sst laptop-ac-powersave laptop-battery-powersave
		latency-performance mssql network-latency network-throughput optimize-serial-console oracle powersave realtime
		realtime-virtual-guest realtime-virtual-host sap-hana sap-netweaver server-powersave spectrumscale-ece
		spindown-disk throughput-performance virtual-guest virtual-host`)
	vendor47  = joined(vendor46, "postgresql")
	vendor49  = joined(vendor47, "openshift", "openshift-control-plane", "openshift-node")
	vendor413 = joined(vendor49, "aws", "cpu-partitioning-powersave")
	vendor414 = joined(vendor413, "sap-hana-kvm-guest")
	vendor418 = joined(vendor414, "balanced-battery")
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

var vendors = changing("profile.vendor", "profiles that are installed with TuneD (some more with 4.7, 4.9, 4.13, 4.14 and 4.18)", nto("assets/tuned"),
	turn[names]{1, vendor44}, turn[names]{6, vendor46}, turn[names]{7, vendor47}, turn[names]{9, vendor49}, turn[names]{13, vendor413}, turn[names]{14, vendor414}, turn[names]{18, vendor418})

// joined are names and some more.
func joined(list names, more ...string) names { return slices.Concat(list, more) }

// isVendor says whether a profile is installed with TuneD.
func (b basis) isVendor(name string) bool { return slices.Contains(vendors.of(b), name) }

// isGone says whether a sysctl has left the kernel with 5.13: the settings of the
// scheduler in nanoseconds are files for debugging since.
func isGone(sysctl string) bool {
	return strings.HasPrefix(sysctl, "kernel.sched_") && strings.HasSuffix(sysctl, "_ns")
}
