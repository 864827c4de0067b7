package apply

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
)

// wanted is a value that a profile asks for, and the file that it ends in.
type wanted struct {
	section, plugin, option string
	// device is one that the plug-in might tune; which it does, its log says.
	device string
	// path as the profile or the plug-in names it; name is where the links on its way
	// lead. Both are empty for what ends in no file.
	path, name string
	// also are the names of files that it changes, which are noted and put back, but not compared; lost says that TuneD
	// alone knows what it was.
	also []string
	lost bool
	// want is the value, with its operator. quoted is the same with the quotes that it
	// has in the profile: TuneD applies a sysctl without, and verifies it with them.
	want, quoted string
	profile      string
	place        *v1alpha1.Place
	// unknown is what the value depends on that only TuneD finds out when it applies it.
	unknown []string
	// ignored says why TuneD leaves the value alone.
	ignored string
}

// section of a flattened profile.
type section struct {
	name, plugin string
	options      []option
}

type option struct {
	key, value, quoted, profile string
	place                       *v1alpha1.Place
	unknown                     []string
}

// resolver finds out where a profile's values end on a node.
type resolver struct {
	files   fs.FS
	resolve func(name string) string // where links lead
}

// values are what the sections ask for, in their order.
func (r *resolver) values(sections []section) []wanted {
	var out []wanted
	for _, s := range sections {
		for _, o := range s.options {
			for _, w := range r.ends(s.plugin, o) {
				w.section, w.plugin, w.option, w.profile, w.place, w.unknown = s.name, s.plugin, o.key, o.profile, o.place,
					o.unknown
				if w.want == "" {
					w.want, w.quoted = o.value, o.quoted
				}
				if w.path != "" {
					r.name(&w)
				}
				for i, file := range w.also {
					w.also[i] = r.resolve(file[1:])
				}
				out = append(out, w)
			}
		}
	}
	return out
}

// name finds the file that is compared and put back, if it is a setting of the
// kernel: TuneD writes no other, and neither does this.
func (r *resolver) name(w *wanted) {
	name := r.resolve(w.path[1:])
	switch {
	case kernelSetting(name):
		w.name = name
	case w.ignored == "":
		w.ignored = "it leads out of /proc/sys and /sys"
	}
}

// nowhere is an option that ends in no file that is known.
var nowhere = []wanted{{lost: true}}

// harmless are options that are no values themselves, or go with the process that set them.
var harmless = map[string][]string{
	"cpu":  {"force_latency", "latency_high", "latency_low", "load_threshold"},
	"disk": {"dynamic"},
	"net":  {"dynamic"},
	"scheduler": {"cgroup_mount_point", "cgroup_ps_blacklist", "default_irq_smp_affinity", "irq_process",
		"perf_mmap_pages", "perf_process_fork", "ps_blacklist", "ps_whitelist", "runtime"},
}

// ends are the files of an option: several where it is a pattern, or for several devices.
func (r *resolver) ends(plugin string, o option) []wanted {
	if slices.Contains(scripts, o.key) {
		return nowhere
	}
	if plugin == "bootloader" || slices.Contains(harmless[plugin], o.key) { // arguments are of the next boot
		return []wanted{{}}
	}
	switch plugin {
	case "sysctl":
		return []wanted{{path: path.Clean("/proc/sys/" + strings.ReplaceAll(o.key, ".", "/"))}}
	case "sysfs":
		return r.pattern(o.key)
	case "vm":
		return r.hugePages(o)
	case "net":
		return r.network(o.key)
	case "cpu":
		return r.cpu(o.key)
	case "disk":
		return r.disk(o)
	case "scheduler":
		return r.scheduler(o.key)
	case "selinux":
		if o.key == "avc_cache_threshold" {
			return r.only("/sys/fs/selinux/avc/cache_threshold", "/sys/fs/selinux", "the node has no SELinux")
		}
	}
	return nowhere
}

// only is a file, if there is what it needs.
func (r *resolver) only(file, needs, lacking string) []wanted {
	if !r.has(needs) {
		return []wanted{{path: file, ignored: lacking}}
	}
	return []wanted{{path: file}}
}

// pattern is what TuneD's glob finds: it knows no escapes, "!" for what is not
// meant, and files that begin with a dot only where the pattern does.
func (r *resolver) pattern(key string) []wanted {
	clean := path.Clean(key)
	if !strings.HasPrefix(clean, "/sys/") {
		return []wanted{{path: clean, ignored: "TuneD writes below /sys alone"}}
	}
	matches, err := fs.Glob(r.files, goPattern.Replace(clean[1:]))
	if err != nil {
		return []wanted{{path: clean}}
	}
	var out []wanted
	for _, m := range matches {
		if !hidden(clean[1:], m) {
			out = append(out, wanted{path: "/" + m})
		}
	}
	if out == nil {
		out = []wanted{{path: clean, ignored: "nothing on the node matches the path"}}
	}
	return out
}

// goPattern writes a pattern of Python's glob as one of package path.
var goPattern = strings.NewReplacer(`\`, `\\`, `[!`, `[^`)

// hidden says whether a match has a leading dot where its pattern has none.
func hidden(pattern, match string) bool {
	p, m := strings.Split(pattern, "/"), strings.Split(match, "/")
	for i := range min(len(p), len(m)) {
		if strings.HasPrefix(m[i], ".") && !strings.HasPrefix(p[i], ".") {
			return true
		}
	}
	return false
}

const (
	thp     = "/sys/kernel/mm/transparent_hugepage/"
	noPages = "the node has no transparent huge pages"
)

func (r *resolver) hugePages(o option) []wanted {
	switch o.key {
	case "transparent_hugepages", "transparent_hugepage":
		if !slices.Contains([]string{"always", "never", "madvise"}, o.value) {
			return []wanted{{path: thp + "enabled", ignored: "TuneD takes always, never and madvise alone"}}
		}
		if line, _ := fs.ReadFile(r.files, "proc/cmdline"); strings.Index(string(line), "transparent_hugepage=") > 0 {
			return []wanted{{path: thp + "enabled", ignored: "the kernel's command line sets it"}}
		}
		return r.only(thp+"enabled", thp+"enabled", noPages)
	case "transparent_hugepage.defrag":
		return r.only(thp+"defrag", thp+"defrag", noPages)
	}
	return nowhere
}

func (r *resolver) network(key string) []wanted {
	switch key {
	case "nf_conntrack_hashsize":
		return []wanted{{path: "/sys/module/nf_conntrack/parameters/hashsize"}}
	case "mtu":
		return r.each("/sys/class/net", "mtu")
	case "txqueuelen":
		return r.each("/sys/class/net", "tx_queue_len")
	}
	return nowhere
}

// scheduler's settings are in one place up to kernel 5.12, and in another from 5.13 on.
func (r *resolver) scheduler(key string) []wanted {
	if !strings.HasPrefix(key, "sched_") && !strings.HasPrefix(key, "numa_balancing_scan_") {
		return nowhere
	}
	if old := "/proc/sys/kernel/" + key; r.has(old) {
		return []wanted{{path: old}}
	}
	file := strings.Replace(key, "numa_balancing_", "sched/numa_balancing/", 1)
	return []wanted{{path: "/sys/kernel/debug/" + strings.Replace(file, "sched_", "sched/", 1)}}
}

const cpus = "/sys/devices/system/cpu"

func (r *resolver) cpu(key string) []wanted {
	switch key {
	case "governor":
		return r.each(cpus, "cpufreq/scaling_governor")
	case "pm_qos_resume_latency_us":
		return r.each(cpus, "power/pm_qos_resume_latency_us")
	case "min_perf_pct", "max_perf_pct", "no_turbo":
		return r.only(cpus+"/intel_pstate/"+key, cpus+"/intel_pstate", "the node has no intel_pstate")
	case "energy_performance_preference":
		return r.noted(cpus, "cpufreq/"+key)
	case "energy_perf_bias":
		info, _ := fs.ReadFile(r.files, "proc/cpuinfo")
		out := r.noted(cpus, "power/"+key)
		out[0].lost = out[0].also == nil && strings.Contains(string(info), " epb") // older kernels have no such file
		return out
	}
	return nowhere
}

// sectors is how read-ahead is given in sectors of 512 bytes: "8192 s".
var sectors = regexp.MustCompile(`^([<>]?)(\d+)\s+s.*$`)

func (r *resolver) disk(o option) []wanted {
	switch o.key {
	case "elevator":
		return r.each("/sys/block", "queue/scheduler")
	case "scheduler_quantum":
		return r.each("/sys/block", "queue/iosched/quantum")
	case "readahead_multiply": // of what is read ahead at TuneD's start
		return r.noted("/sys/block", "queue/read_ahead_kb")
	case "readahead":
		out := r.each("/sys/block", "queue/read_ahead_kb")
		if m := sectors.FindStringSubmatch(o.value); m != nil {
			n, _ := strconv.Atoi(m[2])
			for i := range out {
				out[i].want = m[1] + strconv.Itoa(n/2)
			}
		}
		return out
	}
	return nowhere
}

// each is a file of each device of a directory; one without a path where none has it.
func (r *resolver) each(dir, file string) []wanted {
	entries, _ := fs.ReadDir(r.files, dir[1:])
	var out []wanted
	for _, e := range entries {
		if name := path.Join(dir, e.Name(), file); r.has(name) {
			out = append(out, wanted{path: name, device: e.Name()})
		}
	}
	slices.SortFunc(out, func(a, b wanted) int { return words.ByNumbers(a.device, b.device) })
	if out == nil {
		out = []wanted{{ignored: "the node has no device with " + file}}
	}
	return out
}

// noted is an option that ends in a file of each device of a directory, in a way that is not compared.
func (r *resolver) noted(dir, file string) []wanted {
	var out wanted
	for _, w := range r.each(dir, file) {
		if w.path != "" {
			out.also = append(out.also, w.path)
		}
	}
	return []wanted{out}
}

func (r *resolver) has(file string) bool {
	_, err := fs.Stat(r.files, file[1:])
	return err == nil
}
