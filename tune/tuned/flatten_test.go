package tuned

import (
	"strings"
	"testing"
)

// TestSection8_06_child_net_resets_devices: a child [net] without devices makes the
// inherited mtu hit all network cards.
func TestSection8_06_child_net_resets_devices(t *testing.T) {
	parent := "[net]\ndevices=eth0\nmtu=9000\n"
	f, found := oneDirectory("parent", parent, "child", "[main]\ninclude=parent\n[net]\ntxqueuelen=10\n").Flatten("child",
		Machine{})
	s := f.Section("net")
	if s.Devices != "*" || s.Option("mtu").Value != "9000" || s.Attribute("devices").Overrides[0].Value != "eth0" {
		t.Errorf("net is %+v", s)
	}
	wantFinding(t, found, DevicesReset, "/p/child/tuned.conf", 3)
	if x := findingOf(found, DevicesReset); !strings.Contains(x.Message, "mtu") ||
		!strings.Contains(x.Remedy, "devices=eth0") {
		t.Errorf("%s (%s)", x.Message, x.Remedy)
	}
	f, found = oneDirectory("parent", parent, "child", "[main]\ninclude=parent\n[net]\ndevices=eth0\n").Flatten("child",
		Machine{})
	if f.Section("net").Devices != "eth0" || findingOf(found, DevicesReset) != nil {
		t.Errorf("devices are repeated: %+v, %v", f.Section("net"), found)
	}
}

// TestSection8_09_diamond_include_order: parents before children, each file once, in
// the order of the first visit.
func TestSection8_09_diamond_include_order(t *testing.T) {
	s := oneDirectory("base", "[sysctl]\nk=base\n", "left", "[main]\ninclude=base\n[sysctl]\nk=left\n",
		"right", "[main]\ninclude=base\n[sysctl]\nk=right\n", "top", "[main]\ninclude=left,right\n")
	f := flatten(t, s, "top", Machine{})
	if got := layers(f); got != "base left right top" {
		t.Errorf("a diamond: %s", got)
	}
	o := f.Section("sysctl").Option("k")
	if o.Value != "right" || len(o.Overrides) != 2 || o.Overrides[0].Value != "left" || o.Overrides[1].Value != "base" {
		t.Errorf("k is %+v", o)
	}
	loop := oneDirectory("a", "[main]\ninclude=b\n[sysctl]\nk=a\n", "b", "[main]\ninclude=a\n[sysctl]\nk=b\n")
	f, found := loop.Flatten("a", Machine{})
	if layers(f) != "b a" || valueOf(f, "sysctl", "k") != "a" || findingOf(found, SecondVisit) == nil {
		t.Errorf("a loop: %s, %v", layers(f), found)
	}
}

// TestShadowing: a later directory shadows an earlier one; a profile that includes
// its own name gets the earlier copy, and so does the second visit of a diamond.
func TestShadowing(t *testing.T) {
	vendor := directory("/usr/lib/tuned", "base", "[sysctl]\nv=1\n", "x", "[main]\ninclude=base\n", "y",
		"[main]\ninclude=base\n")
	own := NewSet(vendor, directory("/etc/tuned", "base", "[main]\ninclude=base\n[sysctl]\na=1\n"))
	f := flatten(t, own, "base", Machine{})
	if len(f.Layers) != 2 || f.Layers[0].Place.File != "/usr/lib/tuned/base/tuned.conf" ||
		f.Layers[1].Place.File != "/etc/tuned/base/tuned.conf" {
		t.Errorf("layers are %+v", f.Layers)
	}
	shadow := NewSet(vendor, directory("/etc/tuned", "base", "[sysctl]\na=1\n"))
	if f := flatten(t, shadow, "base", Machine{}); len(f.Layers) != 1 || valueOf(f, "sysctl", "v") != "(no option)" {
		t.Errorf("the vendor's copy is not shadowed: %+v", f.Layers)
	}
	if f := flatten(t, shadow, "x y", Machine{}); len(f.Layers) != 4 ||
		f.Layers[2].Place.File != "/usr/lib/tuned/base/tuned.conf" {
		t.Errorf("the second visit: %+v", f.Layers)
	}
}

// TestMergeAttributes: replace, drop, type and enabled, and what is said of them.
func TestMergeAttributes(t *testing.T) {
	parent := "[sysctl]\na=1\nb=2\nc=3\n[x]\ntype=vm\ntransparent_hugepages=never\n[disk]\nenabled=0\nreadahead=1\n"
	child := "[main]\ninclude=parent\n[sysctl]\ndrop=a, nosuch\nb=5\n[x]\n[disk]\n"
	f, found := oneDirectory("parent", parent, "child", child).Flatten("child", Machine{})
	s := f.Section("sysctl")
	if s.Option("a") != nil || s.Option("b").Value != "5" || s.Option("c").Value != "3" || len(s.Lost) != 1 ||
		s.Lost[0].How != "drop" {
		t.Errorf("sysctl is %+v", s)
	}
	if f.Section("x").Type != "x" || !f.Section("disk").Enabled {
		t.Errorf("%+v", f.Sections)
	}
	wantFinding(t, found, DropUnknown, "/p/child/tuned.conf", 4)
	wantFinding(t, found, TypeReset, "/p/child/tuned.conf", 6)
	wantFinding(t, found, EnabledReset, "/p/child/tuned.conf", 7)
	wantFinding(t, found, UnknownPlugin, "/p/child/tuned.conf", 6)
	f, found = oneDirectory("parent", parent, "child",
		"[main]\ninclude=parent\n[sysctl]\nreplace=1\nb=5\n").Flatten("child", Machine{})
	s = f.Section("sysctl")
	if len(s.Options) != 1 || s.Options[0].Overrides[0].Value != "2" || len(s.Lost) != 2 {
		t.Errorf("replaced sysctl is %+v", s)
	}
	wantFinding(t, found, Replaced, "/p/child/tuned.conf", 4)
	if f.Sections[0].Name != "sysctl" {
		t.Error("a replaced section leaves its place")
	}
}

// TestVariablesFollowTheMerge: a child's variable counts in the parent's value; the
// include of the same load knows none.
func TestVariablesFollowTheMerge(t *testing.T) {
	parent := "[variables]\nsize=1\n[sysctl]\nk=${size}\nl=\\${size}\nm=${none}\n"
	f, found := oneDirectory("parent", parent, "child", "[main]\ninclude=parent\n[variables]\nsize=2\n").Flatten("child",
		Machine{})
	if valueOf(f, "sysctl", "k") != "2" || valueOf(f, "sysctl", "l") != "${size}" ||
		valueOf(f, "sysctl", "m") != "${none}" || f.Section("variables") != nil {
		t.Errorf("%+v", f.Sections)
	}
	wantFinding(t, found, Undefined, "/p/parent/tuned.conf", 6)
	f, found = oneDirectory("parent", parent, "child", "[main]\ninclude=${p}\n[variables]\np=parent\n").Flatten("child",
		Machine{})
	if f != nil {
		t.Error("include knows the variables of the same load")
	}
	wantFinding(t, found, NotFound, "/p/child/tuned.conf", 2)
}

// TestRefusals: what TuneD loads nothing for, and which finding says so.
func TestRefusals(t *testing.T) {
	for _, c := range []struct{ load, text, rule string }{
		{"p", "[main]\ninclude=none\n", "tuned.notFound"},
		{"p", "[main]\ninclude=\n", "tuned.notFound"},
		{"p", "[main]\ninclude=${f:strip:a}\n", "tuned.notFound"},
		{"p", "[main]\nx\n", "tuned.unreadable"},
		{"p", "[variables]\nv=${f:assertion:is set:1:2}\n", "tuned.assertion"},
		{"p", "[variables]\nv=${f}\n", "tuned.crash"},
		{"p", "[net]\ndevices=${f:regex_search_ternary:a:(:1:2}\n", "tuned.crash"},
		{"-none", "", "tuned.crash"},
		{"none", "", "tuned.notFound"},
		{"a/b", "", "tuned.notFound"},
		{"", "", "tuned.notFound"},
	} {
		f, found := oneDirectory("p", c.text).Flatten(c.load, Machine{})
		hit := false
		for _, x := range found {
			hit = hit || x.ID == c.rule && x.Severity == "error"
		}
		if f != nil || !hit {
			t.Errorf("%q with %q: loaded %v, %v; want %s", c.load, c.text, f != nil, found, c.rule)
		}
	}
	if f := flatten(t, oneDirectory("p", "[main]\ninclude=-none\n"), "p", Machine{}); len(f.Layers) != 1 {
		t.Errorf("an optional profile: %+v", f.Layers)
	}
}

// TestMachineUnknown: what is not told of the machine leaves the text, with a
// finding; a program is never run by itself.
func TestMachineUnknown(t *testing.T) {
	text := "[sysctl]\na=${f:virt_check:1:2}\nb=${f:exec:date}\nc=${f:cpulist_online:1}\n" +
		"d=${f:regex_search_ternary:ab:(?<=a)b:1:2}\ne=${f:cpulist2hx:1}\n"
	f, found := oneDirectory("p", text).Flatten("p", Machine{})
	for i, line := range strings.Split(strings.TrimSpace(text), "\n")[1:] {
		key, want, _ := strings.Cut(line, "=")
		if got := valueOf(f, "sysctl", key); got != want {
			t.Errorf("%s is %s, want %s", key, got, want)
		}
		rule := []string{"tuned.needsMachine", "tuned.notRun", "tuned.needsMachine", "tuned.regex",
			"tuned.unknownFunction"}[i]
		hit := false
		for _, x := range found {
			hit = hit || x.ID == rule && x.Place.Line == i+2
		}
		if !hit {
			t.Errorf("no finding %s at line %d: %v", rule, i+2, found)
		}
	}
	if x := findingOf(found, UnknownFunction); x == nil || x.Remedy != "use cpulist2hex" {
		t.Errorf("unknown function: %+v", x)
	}
}

// TestKernelArguments: + adds, - takes out what was added before, in the order of
// the keys; quotes keep blanks.
func TestKernelArguments(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"[bootloader]\ncmdline_a=+quiet rhgb\ncmdline_b=-quiet\ncmdline_c=nohz=on  x=\"1 2\"\n", `rhgb nohz=on  x="1 2"`},
		{"[bootloader]\ncmdline_b=-quiet\ncmdline_a=quiet\n", "quiet"},
		{"[bootloader]\ncmdline=\\+x\n", "+x"},
		{"[variables]\nc=1-3\n[bootloader]\ncmdline=isolcpus=${c}\ncmdline_b=-isolcpus=1-3\n", "isolcpus=1-3"},
		{"[sysctl]\nk=1\n", ""},
		{"[bootloader]\nenabled=0\ncmdline=a\n", ""},
		{"[bootloader]\ncmdline=a\n[b2]\ntype=bootloader\npriority=-1\ncmdline=b\n", "a"},
	} {
		if got := Kernel(flatten(t, oneDirectory("p", c.text), "p", Machine{})).Text; got != c.want {
			t.Errorf("%q: %s, want %s", c.text, got, c.want)
		}
	}
}
