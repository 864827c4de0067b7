package audit

import (
	"cmp"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/place/nova/flavor"
)

// serverTests are about servers, and the flavors and images that they are of.
var serverTests = []test{{vmError, (*look).vmError}, {vmGroup, (*look).vmGroup}, {vmSpecs, (*look).vmSpecs},
	{vmDedicated, (*look).vmDedicated}, {vmPages, (*look).vmPages}, {vmThreads, (*look).vmThreads},
	{vmNIC, (*look).vmNIC}}

// vmError finds servers in ERROR.
func (l *look) vmError() {
	var bad []where
	for _, v := range l.Stack.Servers {
		if v.Status == "ERROR" {
			note := "without a host"
			if v.Host != "" {
				note = "on " + v.Host
			}
			bad = append(bad, at("Server", l.Stack.vm(v), "%s", note))
		}
	}
	if len(bad) > 0 {
		l.find(bad, "openstack server show "+names(l.told(bad)[:1])+" tells the fault; one that has a host may come back "+
			"with openstack server set --state active and a hard reboot; delete those that nobody needs", "in ERROR")
	}
}

// vmGroup finds servers that their group wants apart, or together, and that are not.
func (l *look) vmGroup() {
	by := map[string]VM{}
	for _, v := range l.Stack.Servers {
		if v.holds() {
			by[v.ID] = v
		}
	}
	var hard, soft []where
	for _, g := range l.Stack.Groups {
		on := map[string][]string{}
		for _, id := range g.Members {
			if v, there := by[id]; there {
				on[v.Host] = append(on[v.Host], v.Name)
			}
		}
		note := ""
		switch strings.TrimPrefix(g.Policy, "soft-") {
		case "anti-affinity":
			note = sharing(on, max(1, int(g.MaxServerPerHost)))
		case "affinity":
			if len(on) > 1 {
				note = "on " + words.Count(len(on), "host") + " instead of one"
			}
		}
		switch w := at("ServerGroup", called(g.Name, g.ID), "%s: %s", g.Policy, note); {
		case note == "":
		case strings.HasPrefix(g.Policy, "soft-"):
			soft = append(soft, w)
		default:
			hard = append(hard, w)
		}
	}
	severity := l.rule.Severity
	if len(hard) == 0 {
		severity = v1alpha1.Info // which the group allows
	}
	if bad := slices.Concat(hard, soft); len(bad) > 0 {
		l.findAs(severity, bad, "move them with openstack server migrate --live-migration; hosts of one kind are "+
			"too few where that finds none", "servers are not placed as their group asks")
	}
}

// sharing names servers of which a host has more than it may.
func sharing(on map[string][]string, most int) string {
	var out []string
	for host, names := range on {
		if len(names) > most {
			slices.Sort(names)
			out = append(out, words.Some(names, shown)+" on "+host)
		}
	}
	slices.Sort(out)
	return strings.Join(out, "; ")
}

// vmSpecs finds flavors that Nova refuses: their servers run from before, and no more of them starts.
func (l *look) vmSpecs() {
	used, servers := l.Stack.used()
	var bad []where
	for _, f := range used {
		_, _, wrong := flavor.Request(f.api(), nil, nil, l.Stack.Rules)
		if len(wrong) > 0 {
			bad = append(bad, at("Flavor", called(f.Name, f.ID), "%s: %s", words.Count(servers[f.Name], "server"),
				wrong[0].Error()))
		}
	}
	l.unlisted()
	if len(bad) > 0 {
		l.find(bad, "make another flavor with what is right, and resize the servers to it",
			"an extra spec has a value that Nova refuses")
	}
}

// unlisted says that the flavors of some servers are not in the list, so that nothing is known of those.
func (l *look) unlisted() {
	listed := map[string]bool{}
	for _, f := range l.Stack.Flavors {
		listed[f.Name], listed[f.ID] = true, true
	}
	n := 0
	for _, v := range l.Stack.Servers {
		if v.Flavor == "" || !listed[v.Flavor] {
			n++
		}
	}
	if n > 0 {
		l.notSeen("flavors: %s a flavor that is not in the list (list with --all; a deleted one is in none)",
			words.Count(n, "server has", "servers have"))
	}
}

// pinnedByImage counts the servers of each flavor whose image gives them CPUs of their own.
func (s *Stack) pinnedByImage() map[string]int {
	pins := map[string]bool{}
	for _, i := range s.Images {
		if i.Properties["hw_cpu_policy"] == "dedicated" {
			pins[cmp.Or(i.ID, i.Name)], pins[i.Name] = true, true
		}
	}
	out := map[string]int{}
	for _, v := range s.Servers {
		if of := cmp.Or(v.ImageID, v.Image); of != "" && pins[of] {
			out[v.Flavor]++
		}
	}
	return out
}

// fast says whether a flavor asks for what only makes sense of CPUs of its own.
func (f *Flavor) fast() bool {
	size := f.Properties["hw:mem_page_size"]
	return size != "" && size != "small" && size != "any" || f.Properties["hw:numa_nodes"] != "" ||
		f.Properties["hw:cpu_realtime"] == "yes"
}

// dedicated says whether vCPUs of a flavor have CPUs of their own.
func (f *Flavor) dedicated() bool {
	policy := f.Properties["hw:cpu_policy"]
	return policy == "dedicated" || policy == "mixed" || f.Properties["resources:PCPU"] != ""
}

// vmDedicated finds flavors of network functions whose vCPUs float over those of others.
func (l *look) vmDedicated() {
	used, servers := l.Stack.used()
	pinned := l.Stack.pinnedByImage()
	var bad []where
	for _, f := range used {
		if n := servers[f.Name] - pinned[f.Name]; f.fast() && !f.dedicated() && n > 0 {
			bad = append(bad, at("Flavor", called(f.Name, f.ID), "%s", words.Count(n, "server")))
		}
	}
	l.unlisted()
	unless := ""
	if seen, _ := l.state("images.properties"); seen != OK {
		unless = ", unless an image has hw_cpu_policy=dedicated"
	}
	if len(bad) > 0 {
		l.find(bad, "openstack flavor set "+names(l.told(bad)[:1])+" --property hw:cpu_policy=dedicated; servers have it "+
			"when they are resized or made anew", "asks for huge pages or a NUMA topology, and shares its CPUs%s", unless)
	}
}

// vmPages finds flavors whose pages are of no fixed size.
func (l *look) vmPages() {
	used, servers := l.Stack.used()
	var bad []where
	for _, f := range used {
		if size := f.Properties["hw:mem_page_size"]; size == "large" || size == "any" {
			bad = append(bad, at("Flavor", called(f.Name, f.ID), "%s, %s", size, words.Count(servers[f.Name], "server")))
		}
	}
	l.unlisted()
	if len(bad) > 0 {
		l.find(bad, "openstack flavor set "+names(l.told(bad)[:1])+" --property hw:mem_page_size=2MB, or 1GB where hosts "+
			"have such pages", "leaves the size of its pages to each host")
	}
}

// vmThreads finds dedicated flavors that say nothing of the threads of a core, on hosts that have several.
func (l *look) vmThreads() {
	several := slices.ContainsFunc(l.Stack.Hypervisors, func(h Hypervisor) bool {
		return h.Threads != nil && *h.Threads > 1
	})
	switch {
	case l.Stack.Rules == nova.HCG40:
		l.notApplicable("with the rules of hcg-4.0 dedicated servers have their cores alone")
		return
	case !several:
		l.notApplicable("no core has several threads")
		return
	}
	used, servers := l.Stack.used()
	var bad []where
	for _, f := range used {
		policy := f.Properties["hw:cpu_thread_policy"]
		if f.dedicated() && policy != "isolate" && policy != "require" {
			bad = append(bad, at("Flavor", called(f.Name, f.ID), "%s", words.Count(servers[f.Name], "server")))
		}
	}
	l.unlisted()
	if len(bad) > 0 {
		l.find(bad, "openstack flavor set "+names(l.told(bad)[:1])+" --property hw:cpu_thread_policy=require (whole cores "+
			"for one server) or isolate (a core for each vCPU)", "says nothing of the threads of a core")
	}
}

// slowNICs are models that are emulated device by device.
var slowNICs = []string{"e1000", "e1000e", "rtl8139", "ne2k_pci", "pcnet", "lan9118"}

// vmNIC finds images whose network card is emulated.
func (l *look) vmNIC() {
	servers := l.Stack.ofImages()
	var bad []where
	for _, i := range l.Stack.Images {
		n := i.servers(servers)
		if model := i.Properties["hw_vif_model"]; n > 0 && slices.Contains(slowNICs, model) {
			bad = append(bad, at("Image", called(i.Name, i.ID), "%s, %s", model, words.Count(n, "server")))
		}
	}
	if len(bad) > 0 {
		l.find(bad, "openstack image set "+names(l.told(bad)[:1])+" --property hw_vif_model=virtio where the guest knows "+
			"it, and make the servers anew", "has an emulated network card")
	}
}
