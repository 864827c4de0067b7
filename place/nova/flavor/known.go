package flavor

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/place/nova"
)

// key is an extra spec.
type key struct {
	// name has N for a number.
	name string
	// rules that know it: H, S and N are hcg-4.0, starlingx and nova; empty is all.
	rules string
	// values are bool, cpus, int with a least and a most or without, or words with bars between; empty takes
	// any, or what the reader of the key takes.
	values string
	// idle keys have no effect on placement.
	idle bool
	// nearest says what comes nearest with other rules.
	nearest string
}

func (k key) in(rules nova.Rules) bool {
	letter := "N"
	switch rules {
	case nova.HCG40:
		letter = "H"
	case nova.StarlingX:
		letter = "S"
	}
	return k.rules == "" || strings.Contains(k.rules, letter)
}

// keys are the extra specs of the namespace hw.
var keys = []key{
	{name: "hw:cpu_policy"}, {name: "hw:cpu_thread_policy", values: "prefer|require|isolate"},
	{name: "hw:cpu_dedicated_mask", rules: "N", nearest: "hw:wrs:shared_vcpu, for one vCPU that is not pinned"},
	{name: "hw:cpu_realtime", values: "bool"}, {name: "hw:cpu_realtime_mask"},
	{name: "hw:emulator_threads_policy", rules: "SN"},
	{name: "hw:numa_nodes"}, {name: "hw:numa_cpus.N"}, {name: "hw:numa_mem.N"},
	{name: "hw:mem_page_size"}, {name: "hw:locked_memory", rules: "N", values: "bool"}, {name: "hw:pmem", rules: "N"},
	{name: "hw:pci_numa_affinity_policy", rules: "N", nearest: "hw:wrs:pci_numa_affinity, strict or prefer"},
	{name: "pci_passthrough:alias"},

	{name: "hw:wrs:shared_vcpu", rules: "HS", nearest: "hw:cpu_policy=mixed with hw:cpu_dedicated_mask"},
	{name: "hw:wrs:vswitch_numa_affinity", rules: "HS",
		nearest: "the NUMA nodes that nova.conf gives to physical networks and tunnels"},
	{name: "hw:wrs:pci_numa_affinity", rules: "HS", nearest: "hw:pci_numa_affinity_policy, required or preferred"},
	{name: "hw:numa_node.N", rules: "HS"},
	{name: "hw:numa_mempolicy", rules: "HS", values: "strict|prefer|preferred", nearest: "what Nova always does: strict"},

	{name: "hw:boot_menu", values: "bool", idle: true}, {name: "hw:hide_hypervisor_id", values: "bool", idle: true},
	{name: "hw:cpu_sockets", values: "int 1", idle: true}, {name: "hw:cpu_max_sockets", values: "int 1", idle: true},
	{name: "hw:cpu_cores", values: "int 1", idle: true}, {name: "hw:cpu_max_cores", values: "int 1", idle: true},
	{name: "hw:cpu_threads", values: "int 1", idle: true}, {name: "hw:cpu_max_threads", values: "int 1", idle: true},
	{name: "hw:ephemeral_encryption", values: "bool", idle: true}, {name: "hw:ephemeral_encryption_format", idle: true},
	{name: "hw:maxphysaddr_mode", idle: true}, {name: "hw:maxphysaddr_bits", idle: true},
	{name: "hw:mem_encryption", values: "bool", idle: true},
	{name: "hw:mem_encryption_model", values: "amd-sev|amd-sev-es|amd-sev-snp|intel-tdx", idle: true},
	{name: "hw:pmu", values: "bool", idle: true}, {name: "hw:redirected_usb_ports", values: "int 0 15", idle: true},
	{name: "hw:serial_port_count", values: "int 0", idle: true}, {name: "hw:sound_model", idle: true},
	{name: "hw:usb_model", idle: true},
	{name: "hw:tpm_model", values: "tpm-tis|tpm-crb", idle: true}, {name: "hw:tpm_version", values: "1.2|2.0", idle: true},
	{name: "hw:tpm_secret_security", values: "user|host|deployment", idle: true},
	{name: "hw:vif_multiqueue_enabled", values: "bool", idle: true},
	{name: "hw:virtio_packed_ring", values: "bool", idle: true},
	{name: "hw:viommu_model", values: "intel|smmuv3|virtio|auto", idle: true},
	{name: "hw:watchdog_action", values: "none|pause|poweroff|reset|disabled", idle: true},

	{name: "hw:cpu_model", rules: "HS", idle: true, nearest: "cpu_models in nova.conf, and traits"},
	{name: "hw:hpet", rules: "HS", idle: true},
	{name: "hw:cache_l3.N", rules: "HS", idle: true}, {name: "hw:cache_l3_code.N", rules: "HS", idle: true},
	{name: "hw:cache_l3_data.N", rules: "HS", idle: true}, {name: "hw:cache_vcpus.N", rules: "HS", idle: true},
	{name: "hw:pci_irq_affinity_mask", rules: "HS", idle: true},
	{name: "hw:wrs:min_vcpus", rules: "HS", idle: true}, {name: "hw:wrs:nested_vmx", rules: "HS", idle: true},
	{name: "hw:wrs:nic_isolation", rules: "HS", idle: true}, {name: "hw:wrs:vcpu:scheduler", rules: "HS", idle: true},
	{name: "hw:wrs:live_migration_auto_converge", rules: "HS", idle: true},
	{name: "hw:wrs:live_migration_max_downtime", rules: "HS", idle: true},
	{name: "hw:wrs:live_migration_timeout", rules: "HS", idle: true},
	{name: "hw:wrs:live_migration_tunnel", rules: "HS", idle: true},
}

// props are the image properties that count.
var props = []key{
	{name: "hw_cpu_policy", values: "shared|dedicated|mixed"},
	{name: "hw_cpu_thread_policy", values: "prefer|require|isolate"}, {name: "hw_cpu_realtime_mask"},
	{name: "hw_numa_nodes", values: "int"}, {name: "hw_numa_cpus.N", values: "cpus"},
	{name: "hw_numa_mem.N", values: "int"}, {name: "hw_mem_page_size"},
	{name: "hw_locked_memory", rules: "N"},
	{name: "trait:HW_CPU_HYPERTHREADING", rules: "N", nearest: "hw_cpu_thread_policy"},
	{name: "hw_pci_numa_affinity_policy", rules: "N", nearest: "hw:wrs:pci_numa_affinity of the flavor, strict or prefer"},
	{name: "hw_numa_node.N", rules: "HS"},
}

// idleProps are Nova's other properties of an image's hardware.
var idleProps = strings.Fields(
	`hw_architecture hw_auto_disk_config hw_boot_menu hw_cdrom_bus hw_cpu_cores hw_cpu_max_cores
	hw_cpu_max_sockets hw_cpu_max_threads hw_cpu_sockets hw_cpu_threads hw_device_id hw_disk_bus hw_disk_type
	hw_emulation_architecture hw_ephemeral_encryption hw_ephemeral_encryption_format
	hw_ephemeral_encryption_secret_uuid hw_firmware_stateless hw_firmware_type hw_floppy_bus hw_input_bus
	hw_ipxe_boot hw_machine_type hw_maxphysaddr_bits hw_maxphysaddr_mode hw_mem_encryption
	hw_mem_encryption_model hw_pmu hw_pointer_model hw_qemu_guest_agent hw_redirected_usb_ports hw_rescue_bus
	hw_rescue_device hw_rng_model hw_scsi_model hw_serial_port_count hw_sound_model hw_time_hpet hw_tpm_model
	hw_tpm_version hw_usb_model hw_vif_model hw_vif_multiqueue_enabled hw_video_model hw_video_ram
	hw_viommu_model hw_virtio_packed_ring hw_vm_mode hw_watchdog_action`)

// harmless are namespaces of extra specs that choose no place on a host.
var harmless = []string{"accel", "capabilities", "hw_rng", "hw_video", "os", "powervm", "quota", "sw", "vmware"}

var (
	known, knownProps = index(keys), index(props)
	names             = slices.Sorted(maps.Keys(known))
	propNames         = slices.Sorted(slices.Values(append(slices.Clone(idleProps),
		slices.Collect(maps.Keys(knownProps))...)))
)

func index(list []key) map[string]key {
	out := make(map[string]key, len(list))
	for _, k := range list {
		out[k.name] = k
	}
	return out
}

// allowed notes a value that the key's values don't have.
func (r *reader) allowed(name, value, values string) {
	kind, bounds, _ := strings.Cut(values, " ")
	switch {
	case values == "":
	case kind == "bool":
		if _, ok := truth(value); !ok {
			r.bad(name, fmt.Sprintf("%q is neither true nor false", value), "true or false")
		}
	case kind == "cpus":
		if _, err := parseCPUs(value); err != nil {
			r.bad(name, err.Error(), "a list such as 0-3,8")
		}
	case kind == "int":
		least, most := limits(bounds)
		if n, ok := wholeNumber(value); !ok || n < least || n > most {
			r.bad(name, fmt.Sprintf("%q is out of range", value), rangeText(least, most))
		}
	case value == "":
		r.bad(name, "is empty", "one of "+strings.ReplaceAll(values, "|", ", "))
	default:
		r.oneOf(name, value, strings.Split(values, "|")...)
	}
}

// limits reads "", "1" or "0 15".
func limits(text string) (least, most int64) {
	low, high, _ := strings.Cut(text, " ")
	least, err := strconv.ParseInt(low, 10, 64)
	if err != nil {
		least = math.MinInt64
	}
	if most, err = strconv.ParseInt(high, 10, 64); err != nil {
		most = math.MaxInt64
	}
	return least, most
}

func rangeText(least, most int64) string {
	switch {
	case least == math.MinInt64:
		return "a whole number"
	case most == math.MaxInt64:
		return fmt.Sprintf("a whole number from %d on", least)
	}
	return fmt.Sprintf("a whole number from %d to %d", least, most)
}
