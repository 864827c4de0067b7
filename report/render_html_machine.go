package report

import (
	"fmt"
	"strconv"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/report/chart"
	"plimsoll.dev/unit"
)

// pageMachines bounds the machines that a page draws, openMachines those that it shows at once.
const (
	pageMachines = 24
	openMachines = 2
)

func (h *webpage) machines(x Machines) {
	h.f("<p class=\"sub\">%s</p>\n", machineKey(x.All, keptPage))
	drawn := x.Shown[:min(pageMachines, len(x.Shown))]
	draw := func(list []v1alpha1.MachineMap) {
		for _, m := range list {
			h.machine(m, x)
		}
	}
	draw(drawn[:min(openMachines, len(drawn))])
	if n := len(drawn) - openMachines; n > 0 {
		h.fold(words.Count(n, "more machine"), func() { draw(drawn[openMachines:]) })
	}
	if n := len(x.Shown) - pageMachines; n > 0 {
		h.f("<p class=\"sub\">and %s more, as the JSON has them</p>\n", words.Count(n, "machine"))
	}
}

func (h *webpage) machine(m v1alpha1.MachineMap, x Machines) {
	h.f("<article class=\"machine\" aria-label=\"Machine %s\">\n<h3>%s: %s</h3>\n"+
		"<p class=\"sub\">%s</p>\n<div class=\"sockets\">", m.Node, m.Node, m.Layout, m.Policies)
	for i, n := range m.NUMANodes {
		if i == 0 || n.Socket != m.NUMANodes[i-1].Socket {
			if i > 0 {
				h.f("</div>")
			}
			h.f("<div class=\"socket\"><p class=\"sub\">Socket %s</p>\n", strconv.Itoa(n.Socket))
		}
		h.numa(m, n, x.beside(m, n))
	}
	if len(m.NUMANodes) > 0 {
		h.f("</div>")
	}
	h.f("</div>\n")
	if ofServers(m) {
		h.servers(ownersOf(m, x.By))
	} else {
		h.bareGrid(ownerGrid(m, x.By))
	}
	h.f("</article>\n")
}

// servers is the legend of a compute host.
func (h *webpage) servers(list []owned) {
	if len(list) == 0 {
		return
	}
	h.f("<ul class=\"vms\">")
	for i, o := range list {
		h.f("<li><span class=\"cpu %s\">%s</span><div><p><b>%s</b> %s</p>\n", ownerClass(i+1), o.Mark, o.Name, o.Has)
		h.notes(o.Why)
		h.f("</div></li>")
	}
	h.f("</ul>\n")
}

// ownerGrid is the legend of a machine of pods.
func ownerGrid(m v1alpha1.MachineMap, by ownedBy) Grid {
	list := ownersOf(m, by)
	if len(list) == 0 {
		return newTable("Owners on "+m.Node, []string{"Owners"}, [][]string{{"no container has anything of its own"}})
	}
	g := newTable("Owners on "+m.Node, []string{"Mark", "Container", "QoS", "Owns"}, nil)
	for _, o := range list {
		g.row(o.Mark, o.Name, o.QOSClass, o.Has)
	}
	return g
}

func (h *webpage) numa(m v1alpha1.MachineMap, n v1alpha1.NUMAMap, beside []numaLine) {
	h.f("<div class=\"numa\"><p><b>NUMA %s</b>", strconv.Itoa(n.ID))
	if cores := n.Cores; len(cores) > 0 {
		line := coreLine{first: cpuNumbers(cores[0]), last: cpuNumbers(cores[len(cores)-1])}
		h.f(" <span class=\"sub\">CPUs %s</span>", line.numbers())
	}
	h.f("</p>\n")
	large := ofServers(m) && cpuCount(m) <= largeCPUs
	name := ""
	if large {
		name = "large"
	}
	h.f("<div%s role=\"img\" aria-label=\"%s\">", classes("cores", name), saysOf(m, n))
	for i, c := range n.Cores {
		if i == 0 || c.Cache != n.Cores[i-1].Cache {
			if i > 0 {
				h.f("</span>")
			}
			h.f("<span class=\"cache\">")
		}
		h.f("<span class=\"core\">")
		for _, th := range c.Threads {
			h.thread(m, th, large)
		}
		h.f("</span>")
	}
	if len(n.Cores) > 0 {
		h.f("</span>")
	}
	h.f("</div>\n")
	for _, x := range n.Memory {
		if x.Total > 0 {
			h.f("<div class=\"pages-row\"><span>%s</span>%s<span class=\"sub\">%s</span></div>\n", x.Resource,
				raw(memoryStack(x, lettersOf(m))), memoryText(x))
		}
	}
	h.devices(m, n)
	for _, l := range beside {
		h.f("<p class=\"beside\"><b>%s</b>", l.Lead)
		for i, p := range l.Parts {
			h.f(" <span>")
			for _, owner := range p.Owners {
				h.cpu(ownerClass(owner), "", "", string(lettersOf(m).of(owner)))
				h.f(" ")
			}
			h.f("%s", p.Text)
			if i < len(l.Parts)-1 {
				h.f(",")
			}
			h.f("</span>")
		}
		h.f("</p>\n")
	}
	h.f("</div>\n")
}

// cpu writes a square with a mark, and what it is for a pointer.
func (h *webpage) cpu(class, name, number, mark string) {
	h.f("<span class=\"cpu %s\"", class)
	h.given(" title=\"%s\"", name)
	h.f(">")
	h.given("<small>%s</small>", number)
	h.f("%s</span>", mark)
}

func (h *webpage) thread(m v1alpha1.MachineMap, th v1alpha1.ThreadMap, large bool) {
	u := useOf(th)
	mark, class, name, number := string(u.Mark), u.Class, "CPU "+strconv.Itoa(th.CPU), ""
	if u.Says != "" {
		name += ": " + u.Says
	}
	if th.Use == "exclusive" {
		mark, class = string(lettersOf(m).of(th.Owner)), ownerClass(th.Owner)
		if th.Owner > 0 && th.Owner <= len(m.Owners) {
			name += ": " + ownerName(m.Owners[th.Owner-1])
		}
	}
	if large {
		number = strconv.Itoa(th.CPU)
	}
	h.cpu(class, name, number, mark)
}

// devices are named each, or drawn as a row where they are many of a kind.
func (h *webpage) devices(m v1alpha1.MachineMap, n v1alpha1.NUMAMap) {
	kinds := deviceKinds(n)
	if len(kinds) == 0 {
		return
	}
	marks := lettersOf(m)
	square := func(d v1alpha1.DeviceMap, name string) {
		class := deviceUse(d).Class
		if d.Owner > 0 {
			class = ownerClass(d.Owner)
		}
		h.cpu(class, name, "", string(deviceMark(d, marks)))
	}
	h.f("<ul class=\"devices\">")
	for _, k := range kinds {
		if k.named() {
			for _, d := range k.Devices {
				h.f("<li>")
				square(d, "")
				h.f(" %s</li>", deviceName(d, marks))
			}
			continue
		}
		h.f("<li>%s ", k.Kind)
		for _, d := range k.Devices {
			square(d, d.ID)
		}
		h.f(" <span class=\"sub\">%s</span></li>", k.taken())
	}
	h.f("</ul>\n")
}

// memoryStack draws reserved, owned and free memory.
func memoryStack(m v1alpha1.NUMAMemory, marks letters) string {
	parts := []chart.Part{
		{Name: "system", Share: ratio(m.Reserved, m.Total), Label: "reserved " + unit.FormatResource(m.Resource, m.Reserved)},
	}
	for _, u := range m.Used {
		parts = append(parts, chart.Part{Share: ratio(u.Size, m.Total),
			Label: string(marks.of(u.Owner)) + " " + unit.FormatResource(m.Resource, u.Size), Kind: max(1, u.Owner)})
	}
	free := max(0, m.Total-m.Reserved-usedMemory(m))
	if m.Unassigned {
		return ""
	}
	return chart.Stack(append(parts, chart.Part{Name: "free", Share: ratio(free, m.Total),
		Label: "free " + unit.FormatResource(m.Resource, free)}))
}

// largeCPUs is the number of CPUs up to which those of a compute host are drawn
// large, with their numbers.
const largeCPUs = 64

func cpuCount(m v1alpha1.MachineMap) int {
	sum := 0
	for _, n := range m.NUMANodes {
		for _, c := range n.Cores {
			sum += len(c.Threads)
		}
	}
	return sum
}

// saysOf is the drawing of a NUMA node in words.
func saysOf(m v1alpha1.MachineMap, n v1alpha1.NUMAMap) string {
	uses := map[string]int{}
	for _, c := range n.Cores {
		for _, th := range c.Threads {
			uses[th.Use]++
		}
	}
	parts := []string{fmt.Sprintf("%d exclusive", uses["exclusive"])}
	if ofServers(m) {
		uses["free"] += uses["shared"]
	} else {
		parts = append(parts, fmt.Sprintf("%d shared, %d reserved", uses["shared"], uses["reserved"]))
	}
	for _, u := range cpuUses {
		if u.Says != "" && uses[u.Use] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", uses[u.Use], u.Says))
		}
	}
	return words.Count(len(n.Cores), "core") + ": " + strings.Join(parts, ", ") + " CPUs; the table below says whose"
}

// ownerClass is the colour of an owner.
func ownerClass(owner int) string { return "own k" + strconv.Itoa(max(0, owner-1)%chart.Kinds) }
