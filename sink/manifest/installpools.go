package manifest

import (
	"strconv"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/release"
	"plimsoll.dev/unit"
)

// The machine pools of install-config.yaml. Without zones the installer takes
// all zones of the region, which may be more than the plan has.

func installAWS(_ release.Release, pool v1alpha1.PoolDecision) obj {
	out := obj{"type": pool.Type, "zones": zonesHoles(pool)}
	if pool.Disk > 0 {
		out["rootVolume"] = obj{"size": diskGiB(pool.Disk)}
	}
	return out
}

func installAzure(r release.Release, pool v1alpha1.PoolDecision) obj {
	names := list{}
	for i := range zones(pool) {
		names = append(names, strconv.Itoa(i+1))
	}
	out := obj{"type": pool.Type, "zones": names}
	if pool.Disk > 0 && installOSDisk.In(r) {
		out["osDisk"] = obj{"diskSizeGB": diskGiB(pool.Disk)}
	}
	return out
}

func installGCP(r release.Release, pool v1alpha1.PoolDecision) obj {
	out := obj{"type": pool.Type, "zones": zonesHoles(pool)}
	if pool.Disk > 0 && installOSDisk.In(r) {
		out["osDisk"] = obj{"DiskSizeGB": diskGiB(pool.Disk)}
	}
	return out
}

func installOpenStack(r release.Release, pool v1alpha1.PoolDecision) obj {
	out := obj{"type": pool.Type}
	if len(zones(pool)) > 1 && installNovaZones.In(r) {
		out["zones"] = zonesHoles(pool)
	}
	return out
}

func installVSphere(_ release.Release, pool v1alpha1.PoolDecision) obj {
	out := obj{"cpus": pool.CPUs, "memoryMB": int(pool.Memory / unit.MiB)}
	if pool.Disk > 0 {
		out["osDisk"] = obj{"diskSizeGB": diskGiB(pool.Disk)}
	}
	return out
}

// zonesHoles are placeholders for the names of the pool's zones.
func zonesHoles(pool v1alpha1.PoolDecision) list {
	out := list{}
	for i := range zones(pool) {
		out = append(out, zoned("ZONE", i+1))
	}
	return out
}
