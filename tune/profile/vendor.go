package profile

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/release"
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

// joined are names and some more.
func joined(list names, more ...string) names { return slices.Concat(list, more) }

// isVendor says whether a profile is installed with TuneD.
func isVendor(name string, r release.Release) bool { return slices.Contains(vendors.In(r), name) }
