package tuned

// plugin is what TuneD 2.20 knows of a plug-in.
type plugin struct {
	// devices says that it has devices, which the option devices selects.
	devices bool
	// any says that its options are names of its own, such as those of sysctls.
	any     bool
	options []string
}

// plugins are TuneD's plug-ins by type. An option dynamic, where there is one,
// switches tuning while the machine runs.
var plugins = map[string]plugin{
	"audio": {devices: true, options: []string{"timeout", "reset_controller"}},
	"bootloader": {options: []string{"grub2_cfg_file", "initrd_dst_img", "initrd_add_img", "initrd_add_dir",
		"initrd_remove_dir", "cmdline", "skip_grub_config"}},
	"cpu": {devices: true, options: []string{"load_threshold", "latency_low", "latency_high", "force_latency", "governor",
		"sampling_down_factor",
		"energy_perf_bias", "min_perf_pct", "max_perf_pct", "no_turbo", "pm_qos_resume_latency_us",
		"energy_performance_preference"}},
	"disk": {devices: true, options: []string{"dynamic", "elevator", "apm", "spindown", "readahead",
		"readahead_multiply", "scheduler_quantum"}},
	"eeepc_she":  {options: []string{"load_threshold_normal", "load_threshold_powersave", "she_powersave", "she_normal"}},
	"irqbalance": {options: []string{"banned_cpus"}},
	"modules":    {any: true},
	"mounts":     {devices: true, options: []string{"disable_barriers"}},
	"net": {devices: true, options: []string{"dynamic", "wake_on_lan", "nf_conntrack_hashsize", "features", "coalesce",
		"pause", "ring", "channels", "txqueuelen", "mtu"}},
	"rtentsk":   {},
	"scheduler": {any: true},
	"script":    {options: []string{"script"}},
	"scsi_host": {devices: true, options: []string{"alpm"}},
	"selinux":   {options: []string{"avc_cache_threshold"}},
	"service":   {any: true},
	"sysctl":    {any: true},
	"sysfs":     {any: true},
	"systemd":   {options: []string{"cpu_affinity"}},
	"usb":       {devices: true, options: []string{"autosuspend"}},
	"video":     {devices: true, options: []string{"radeon_powersave"}},
	"vm":        {options: []string{"transparent_hugepages", "transparent_hugepage", "transparent_hugepage.defrag"}},
}

// deprecated are the last parts of sysctls that TuneD refuses to write.
var deprecated = []string{"base_reachable_time", "retrans_time"}
