package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
	"plimsoll.dev/internal/words"
)

// fewDevices are so many of a kind on a NUMA node that each is named; of more, a
// row of marks is drawn.
const fewDevices = 4

// deviceKind is the devices of one kind on a NUMA node.
type deviceKind struct {
	Kind    string
	Devices []v1alpha1.DeviceMap
}

// deviceKinds groups the devices of a NUMA node by their kind, in their order.
func deviceKinds(n v1alpha1.NUMAMap) []deviceKind {
	out := each(n.Devices, func(d v1alpha1.DeviceMap) deviceKind {
		return deviceKind{d.Resource, []v1alpha1.DeviceMap{d}}
	})
	return merged(out, func(k *deviceKind) (string, bool) { return k.Kind, true },
		func(to *deviceKind, k deviceKind) { to.Devices = append(to.Devices, k.Devices...) })
}

// named says that the devices are few enough to be named.
func (k deviceKind) named() bool { return len(k.Devices) <= fewDevices }

// taken is "3 of 8 taken".
func (k deviceKind) taken() string {
	n := 0
	for _, d := range k.Devices {
		if d.Owner != 0 || d.Use != "" {
			n++
		}
	}
	return fmt.Sprintf("%s of %s taken", words.Number(n), words.Number(len(k.Devices)))
}

// deviceUse is how a device is drawn that is no owner's.
func deviceUse(d v1alpha1.DeviceMap) cpuUse { return useOf(v1alpha1.ThreadMap{Use: d.Use}) }

// deviceMark is the mark of a device's owner.
func deviceMark(d v1alpha1.DeviceMap, marks letters) byte {
	if d.Owner > 0 {
		return marks.of(d.Owner)
	}
	return deviceUse(d).Mark
}

// deviceName is a device's id, with its kind where VMs ask for it by that.
func deviceName(d v1alpha1.DeviceMap, marks letters) string {
	if marks == serverLetters && d.Use == "" && !strings.Contains(d.ID, d.Resource) {
		return d.Resource + " " + d.ID
	}
	return d.ID
}

// drawDevices shows the devices of a NUMA node with their owners.
func (t *text) drawDevices(n v1alpha1.NUMAMap, marks letters) {
	var named []string
	tb := table.Table{Bare: true, Indent: machineIndent, Columns: []table.Column{{}, {}, {}}}
	for _, k := range deviceKinds(n) {
		row := ""
		for _, d := range k.Devices {
			mark := string(deviceMark(d, marks))
			if k.named() {
				named = append(named, deviceName(d, marks)+" "+mark)
			}
			row += mark
		}
		if !k.named() {
			tb.Add(k.Kind, row, k.taken())
		}
	}
	if len(named) > 0 {
		t.line(machineIndent+"devices  ", table.Plain, strings.Join(named, ", "))
	}
	if len(tb.Rows) > 0 {
		t.table(tb)
	}
}

// owners is the legend of a machine.
func (t *text) owners(m v1alpha1.MachineMap, by ownedBy, full bool) {
	list := ownersOf(m, by)
	shown := list
	if !full {
		shown = list[:min(ownerRows, len(list))]
	}
	if !t.explained(shown, full) {
		t.ownerTable(shown)
	}
	if n := len(list) - len(shown); n > 0 {
		t.line("    ", table.Faint, fmt.Sprintf("and %s more: -o wide lists them", words.Count(n, "owner")))
	}
}

// ownerTable lists owners that are not explained, or in too little room.
func (t *text) ownerTable(list []owned) {
	tb := table.Table{Indent: "    ", Bare: true, Columns: []table.Column{{Keep: true}, {}, {Keep: true}, {}}}
	if !slices.ContainsFunc(list, func(o owned) bool { return o.QOSClass != "" }) {
		tb.Columns = slices.Delete(tb.Columns, 2, 3)
	}
	add := func(mark, name, class, has string) {
		row := []string{mark, name, class, has}
		if len(tb.Columns) < len(row) {
			row = slices.Delete(row, 2, 3)
		}
		tb.Add(row...)
	}
	for _, o := range list {
		add(o.Mark, o.Name, oneLine(o.QOSClass), o.Has)
		for _, why := range o.Why {
			add("", "", "", "- "+why)
		}
	}
	if len(tb.Rows) > 0 {
		t.table(tb)
	}
}

// explained lists owners with the sentences on each below it, and reports whether
// there are any. Long names stand on a line of their own.
func (t *text) explained(list []owned, full bool) bool {
	name, some := 0, false
	for _, o := range list {
		name, some = max(name, table.Width(oneLine(o.Name))), some || len(o.Why) > 0
	}
	if !some {
		return false
	}
	indent := len("    A  ") + name + len("  ")
	long := t.width > 0 && t.width-indent < legendRoom
	if long {
		indent = len("    A  ")
	}
	told := map[string]string{}
	for i := 0; i < len(list); {
		o, lead := list[i], "    "+list[i].Mark+"  "
		if long {
			t.line(lead, table.Plain, o.Name)
			lead = ""
		} else {
			lead += oneLine(o.Name)
		}
		t.line(lead+strings.Repeat(" ", indent-table.Width(lead)), table.Plain, o.Has)
		notes := whyOf(o, told, full)
		var alike []string
		for i++; i < len(list) && !full && list[i].Has == o.Has && slices.Equal(list[i].Why, o.Why); i++ {
			alike = append(alike, list[i].Mark+" "+list[i].Name)
		}
		if len(alike) > 0 {
			notes = append(slices.Clone(notes), "alike: "+strings.Join(alike, ", "))
		}
		for _, s := range notes {
			t.line(strings.Repeat(" ", indent)+"- ", table.Faint, s)
		}
	}
	return true
}

// legendRoom is the least width of the explanations in a legend.
const legendRoom = 30

// whyOf are the sentences on an owner; the default output refers to an owner of
// which the same was told.
func whyOf(o owned, told map[string]string, full bool) []string {
	key := strings.Join(o.Why, "\n")
	if first := told[key]; first != "" && !full && len(o.Why) > 0 {
		return []string{"as " + first}
	}
	told[key] = o.Mark
	return o.Why
}

// ownersOf are the owners of a machine, as by says, else by what the machine knows.
func ownersOf(m v1alpha1.MachineMap, by ownedBy) []owned {
	if by != nil {
		return by(m)
	}
	var out []owned
	for i, o := range m.Owners {
		out = append(out, owned{Mark: string(lettersOf(m).of(i + 1)), Name: ownerName(o), QOSClass: o.QOSClass,
			Has: ownerText(o)})
	}
	return out
}

// ownerName is the VM's name, or the container's, with its pod's where that says
// more.
func ownerName(o v1alpha1.Owner) string {
	if o.Server != "" {
		return o.Server
	}
	pod := o.Pod[strings.LastIndexByte(o.Pod, '/')+1:]
	if o.Container == "" || pod == o.Container || strings.HasPrefix(pod, o.Container+"-") {
		return o.Pod
	}
	return o.Pod + "/" + o.Container
}

// ownerText is what an owner has, for all formats alike.
func ownerText(o v1alpha1.Owner) string {
	var parts []string
	if !o.CPUs.IsEmpty() {
		parts = append(parts, "cpu "+o.CPUs.String())
	}
	if len(o.Affinity) > 0 {
		parts = append(parts, "NUMA "+strings.Trim(strings.ReplaceAll(fmt.Sprint(o.Affinity), " ", ","), "[]"))
	}
	parts = append(parts, o.Memory...)
	for _, name := range slices.Sorted(maps.Keys(o.Devices)) {
		ids := strings.Join(o.Devices[name], " ")
		if !strings.HasPrefix(ids, shortKey(name)) {
			ids = shortKey(name) + " " + ids
		}
		parts = append(parts, ids)
	}
	return strings.Join(parts, ", ")
}
