package audit

import (
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
			bad = append(bad, at("Server", called(v.Name, v.ID), "%s", note))
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
			note = sharing(on)
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

// sharing names servers that share a host.
func sharing(on map[string][]string) string {
	var out []string
	for host, names := range on {
		if len(names) > 1 {
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
			bad = append(bad, at("Flavor", called(f.Name, ""), "%s: %s", words.Count(servers[f.Name], "server"),
				wrong[0].Error()))
		}
	}
	if len(bad) > 0 {
		l.find(bad, "make another flavor with what is right, and resize the servers to it",
			"an extra spec has a value that Nova refuses")
	}
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
	var bad []where
	for _, f := range used {
		if f.fast() && !f.dedicated() {
			bad = append(bad, at("Flavor", called(f.Name, ""), "%s", words.Count(servers[f.Name], "server")))
		}
	}
	if len(bad) > 0 {
		l.find(bad, "openstack flavor set "+names(l.told(bad)[:1])+" --property hw:cpu_policy=dedicated; servers have it "+
			"when they are resized or made anew", "asks for huge pages or a NUMA topology, and shares its CPUs")
	}
}

// vmPages finds flavors whose pages are of no fixed size.
func (l *look) vmPages() {
	used, servers := l.Stack.used()
	var bad []where
	for _, f := range used {
		if size := f.Properties["hw:mem_page_size"]; size == "large" || size == "any" {
			bad = append(bad, at("Flavor", called(f.Name, ""), "%s, %s", size, words.Count(servers[f.Name], "server")))
		}
	}
	if len(bad) > 0 {
		l.find(bad, "openstack flavor set "+names(l.told(bad)[:1])+" --property hw:mem_page_size=2MB, or 1GB where hosts "+
			"have such pages", "leaves the size of its pages to each host")
	}
}

// vmThreads finds dedicated flavors that say nothing of the threads of a core, on hosts that have several.
func (l *look) vmThreads() {
	known, several := false, false
	for _, h := range l.Stack.Hypervisors {
		if h.Threads != nil {
			known, several = true, several || *h.Threads > 1
		}
	}
	switch {
	case l.Stack.Rules == nova.HCG40:
		l.notApplicable("with the rules of hcg-4.0 dedicated servers have their cores alone")
		return
	case !known:
		l.notSeen("hypervisors: whether cores have several threads isn't told by their list (openstack hypervisor show " +
			"HOST -f json, one after the other in a list)")
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
			bad = append(bad, at("Flavor", called(f.Name, ""), "%s", words.Count(servers[f.Name], "server")))
		}
	}
	if len(bad) > 0 {
		l.find(bad, "openstack flavor set "+names(l.told(bad)[:1])+" --property hw:cpu_thread_policy=require (whole cores "+
			"for one server) or isolate (a core for each vCPU)", "says nothing of the threads of a core")
	}
}

// slowNICs are models that are emulated device by device.
var slowNICs = []string{"e1000", "e1000e", "rtl8139", "ne2k_pci", "pcnet", "lan9118"}

// vmNIC finds images whose network card is emulated.
func (l *look) vmNIC() {
	servers, told := l.Stack.ofImages(), false
	var bad []where
	for _, i := range l.Stack.Images {
		n := servers[i.Name] + servers[i.ID]
		told = told || i.Properties != nil
		if model := i.Properties["hw_vif_model"]; n > 0 && slices.Contains(slowNICs, model) {
			bad = append(bad, at("Image", called(i.Name, i.ID), "%s, %s", model, words.Count(n, "server")))
		}
	}
	if !told && len(servers) > 0 {
		l.notSeen("images: their properties aren't told by their list (openstack image show IMAGE -f json, one after the " +
			"other in a list)")
	}
	if len(bad) > 0 {
		l.find(bad, "openstack image set "+names(l.told(bad)[:1])+" --property hw_vif_model=virtio where the guest knows "+
			"it, and make the servers anew", "has an emulated network card")
	}
}
