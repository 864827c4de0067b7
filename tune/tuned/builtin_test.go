package tuned

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "plimsoll.dev/internal/seed"
)

// TestFunctions has an example of each function, from TuneD's description of it.
func TestFunctions(t *testing.T) {
	yes, online, present, cpuinfo := true, "0-5", "0-7\n", "processor : 0\nmodel name : AMD EPYC\n"
	m := Machine{Virtual: &yes, Online: &online, Present: &present, CPUInfo: &cpuinfo, Processors: 6,
		Sockets: map[int]string{0: "0", 1: "1", 2: "0", 3: "1", 4: "0", 5: "-1"},
		Run:     func(args []string) (string, bool) { return strings.Join(args, "+"), args[0] != "false" }}
	for text, want := range map[string]string{
		"${f:assertion:same:1:1}":                  "${f:assertion:same:1:1}",
		"${f:assertion_non_equal:differ:1:2}":      "${f:assertion_non_equal:differ:1:2}",
		"${f:calc_isolated_cores}":                 "2,3,4",
		"${f:calc_isolated_cores:2}":               "4",
		"${f:check_net_queue_count:4}":             "4",
		"${f:check_net_queue_count:x}":             "6\n",
		"${f:cpuinfo_check:Intel:i:^model.*AMD:a}": "a",
		"${f:cpuinfo_check:Intel:i:none}":          "none",
		"${f:cpuinfo_check:Intel:i}":               "",
		"${f:cpulist2devs:0-1,4}":                  "cpu0,cpu1,cpu4",
		"${f:cpulist2hex:0-3,35}":                  "00000008,0000000f",
		"${f:cpulist2hex_invert:0-3}":              "00000030",
		"${f:cpulist_invert:0,2-3}":                "1,4,5",
		"${f:cpulist_online:3-9}":                  "3,4,5",
		"${f:cpulist_pack:1,2,3,5}":                "1-3,5",
		"${f:cpulist_present:5-9}":                 "5,6,7",
		"${f:cpulist_unpack:0-5,^3}":               "0,1,2,4,5",
		"${f:cpulist_unpack:0-3, ^3}":              "",
		"${f:exec:a:b}":                            "a+b",
		"${f:exec:false}":                          "${f:exec:false}",
		"${f:hex2cpulist:00000008,0000000f}":       "0,1,2,3,35",
		"${f:kb2s:8}":                              "16",
		"${f:regex_search_ternary:a1:[0-9]$:y:n}":  "y",
		"${f:s2kb:5}":                              "2",
		"${f:s2kb:7}":                              "4",
		"${f:strip: a : b }":                       "a  b",
		"${f:virt_check:vm:metal}":                 "vm",
		"\\${f:strip:x}":                           "${f:strip:x}",
		"${f:strip:a\\:b}":                         "a:b",
		"${f:strip:${f:kb2s:${f:s2kb:4}}}":         "4",
	} {
		e := expander{machine: m, values: map[string]string{}}
		if got, err := e.expand(text); got != want || err != nil {
			t.Errorf("%s is %q (%v), want %q", text, got, err, want)
		}
	}
	for _, f := range builtins {
		if f.does == "" || f.needs != "" && !slices.Contains(
			[]string{"Virtual", "Online", "Present", "Sockets", "Processors", "CPUInfo", "LSCPU", "PMU", "Run"}, f.needs) {
			t.Errorf("%+v", f)
		}
	}
}

// TestListTwin compares masks, packing and taking out with plain sets.
func TestListTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := map[int]bool{}
		var parts []string
		for range rapid.IntRange(0, 6).Draw(t, "parts") {
			a, n := rapid.IntRange(0, 70).Draw(t, "from"), rapid.IntRange(0, 5).Draw(t, "more")
			for c := a; c <= a+n; c++ {
				set[c] = true
			}
			parts = append(parts, strconv.Itoa(a)+"-"+strconv.Itoa(a+n))
		}
		for range rapid.IntRange(0, 2).Draw(t, "out") {
			c := rapid.IntRange(0, 70).Draw(t, "without")
			parts = append(parts, "^"+strconv.Itoa(c))
			set[c] = false
		}
		got, err := cpuList(strings.Join(parts, ","))
		if err != nil {
			t.Fatal(err)
		}
		for c := range 80 {
			if slices.Contains(got, c) != set[c] {
				t.Fatalf("%v of %v: %d", got, parts, c)
			}
		}
		mask, err := maskText(got)
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range []string{packed(got), listText(got, ""), "0x" + mask} {
			if again, err := cpuList(form); err != nil || !slices.Equal(again, got) {
				t.Fatalf("%q is %v, want %v", form, again, got)
			}
		}
	})
}

// TestBounds: what would fill the memory is refused, quickly.
func TestBounds(t *testing.T) {
	for _, list := range []string{"0-99999999", "99999999999999999999", "^0-9999999,1",
		"0x" + strings.Repeat("f", 1<<17)} {
		if _, err := cpuList(list); err == nil {
			t.Errorf("%.20s is read", list)
		}
	}
	text := "[variables]\na=" + strings.Repeat("x", 1000) + "\nb=" + strings.Repeat("${a}", 1000) + "\nc=" +
		strings.Repeat("${b}", 1000) + "\n"
	if f, found := oneDirectory("p", text).Flatten("p", Machine{}); f != nil || findingOf(found, TooLarge) == nil {
		t.Errorf("a variable of 1 GB: %v", found)
	}
}

// TestNumberedVariables: a variable whose name is a number is a count of dollar signs
// to TuneD. What it comes to is left open.
func TestNumberedVariables(t *testing.T) {
	f, found := oneDirectory("p", "[variables]\n2=two\nv=1\n[sysctl]\nk=$$x${v}\nl=$x${v}${2}\n").Flatten("p", Machine{})
	for key, want := range map[string]string{"k": "$$x${v}", "l": "$x1${2}"} {
		i := slices.IndexFunc(f.Sections[0].Options, func(o Option) bool { return o.Key == key })
		if o := f.Sections[0].Options[i]; o.Value != want || (len(o.Unknown) > 0) != (key == "k") {
			t.Errorf("%s is %s, unknown %v", key, o.Value, o.Unknown)
		}
	}
	wantFinding(t, found, NumberedName, "/p/p/tuned.conf", 2)
}
