package machineconfig

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/tune/pool"
	"plimsoll.dev/tune/sysctl"
	"plimsoll.dev/unit"
)

// token is a condition or an assignment of a udev rule: KEY{sub} op "value".
type token struct{ key, sub, op, value string }

var (
	udevToken = regexp.MustCompile(`^\s*([A-Z_]+)(?:\{([^}]*)\})?\s*(==|!=|\+=|-=|:=|=)\s*"((?:[^"\\]|\\.)*)"\s*,?\s*`)
	echoed    = regexp.MustCompile(`echo\s+([0-9A-Fa-fxX,]+)\s*>\s*\S*rps_cpus`)
	told      = regexp.MustCompile(`rps_cpus[}"']*\s*=+\s*["']?([0-9A-Fa-fxX,]+)|(?i:\bmask)\s+["']([0-9A-Fa-fxX,` +
		`]+)["']|\b([0137]?f{2,8}(?:,f{8})*|(?:[0-9a-f]{8},)+[0-9a-f]{8})\b`)
	cpuWords = regexp.MustCompile(`(?i)\b([0-9]{1,4})[ -](?:v?cpus?|cores)\b`)
)

// tokens reads a line of a rules file; rest is what can't be read.
func tokens(line string) (out []token, rest string) {
	for line != "" {
		m := udevToken.FindStringSubmatch(line)
		if m == nil {
			return out, line
		}
		out = append(out, token{m[1], m[2], m[3], m[4]})
		line = line[len(m[0]):]
	}
	return out, ""
}

// ruleLines joins continued lines and leaves comments out.
func ruleLines(text string) []string {
	var out []string
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", "")) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			out = append(out, line)
		}
	}
	return out
}

// rules checks udev rules that set Receive Packet Steering.
func (c *checker) rules(s subject, f file, text string) {
	at := f.contents.at + ".source"
	var masks []string
	queues, devices := false, false
	for _, line := range ruleLines(text) {
		list, rest := tokens(line)
		if rest != "" {
			c.add(s, ruleSyntaxRule, at, "udev can't read "+short(rest)+" and ignores the line",
				`write KEY=="value", or KEY="value" to assign, with commas between`)
			continue
		}
		found := steering(list)
		if len(found) == 0 {
			continue
		}
		masks = append(masks, found...)
		queues = queues || has(list, "SUBSYSTEM", "queues")
		devices = devices || has(list, "SUBSYSTEM", "net")
		c.breadth(s, at, list)
	}
	if queues && !devices {
		c.add(s, lateQueuesRule, at, "the rule is for queues alone: NICs that were found before it was there, in the "+
			"initial file system, are not told again",
			"add a rule for devices that goes through their queues, as Plimsoll writes it")
	}
	c.masks(s, f, masks, text)
}

// steering are the masks that a rule writes.
func steering(list []token) []string {
	var out []string
	for _, t := range list {
		switch {
		case t.key == "ATTR" && t.op == "=" && strings.HasSuffix(t.sub, "rps_cpus"):
			out = append(out, t.value)
		case t.key == "RUN":
			if m := echoed.FindStringSubmatch(t.value); m != nil {
				out = append(out, m[1])
			}
		}
	}
	return out
}

func has(list []token, key, value string) bool {
	return slices.ContainsFunc(list, func(t token) bool { return t.key == key && t.op == "==" && t.value == value })
}

// breadth says whether a rule takes too few queues or too many devices.
func (c *checker) breadth(s subject, at string, list []token) {
	narrow := false
	for _, t := range list {
		if t.key == "ATTR" && t.op == "=" && strings.Contains(t.sub, "*") {
			c.add(s, oneQueueRule, at, "ATTR{"+t.sub+"} writes the first match alone: one queue of each NIC, "+
				"in the order of the directory", `write a rule for each queue (SUBSYSTEM=="queues", KERNEL=="rx-*"), `+
				`and one for devices that goes through their queues`)
		}
		all := t.value == "*" || t.value == "?*" || t.key == "KERNEL" && t.value == "rx-*" ||
			t.key == "SUBSYSTEMS" && t.value == "net"
		if (t.op == "==" || t.op == "!=") && t.key != "ACTION" && t.key != "SUBSYSTEM" && !all {
			narrow = true
		}
	}
	if !narrow {
		c.add(s, allDevicesRule, at, "the rule takes every network device, the veth of each pod as well, "+
			"which slows pods of one node down", `add DEVPATH!="/devices/virtual/*", or choose by driver or name`)
	}
}

// sysctl checks the settings of a file, and the default mask.
func (c *checker) sysctl(s subject, f file, text string) {
	at := f.contents.at + ".source"
	undone := sysctl.Undone{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		key, value, ok := strings.Cut(line, "=")
		if !ok || strings.HasPrefix(line, "#") || strings.HasPrefix(line, ";") {
			continue
		}
		key, value = strings.TrimSpace(strings.TrimPrefix(key, "-")), strings.TrimSpace(value)
		if i := strings.IndexAny(key, "./"); i >= 0 && key[i] == '/' { // then dots are inside names
			key = strings.NewReplacer("/", ".", ".", "/").Replace(key)
		}
		if key != "net.core.rps_default_mask" {
			if fault, what, fix := sysctl.Judge(key, value, c.release); fault != sysctl.None {
				c.add(s, sysctlRule, at, what+": the setting has no effect",
					cmp.Or(fix, "write a slash for each dot of the interface's name"))
			}
			if what, fix := undone.Add(key, value); what != "" {
				c.add(s, sysctlRule, at, what, fix)
			}
			continue
		}
		if !defaultMask.In(c.release) {
			c.add(s, maskRule, at, "net.core.rps_default_mask is not known to the kernel of "+
				c.release.OpenShift(), "remove it; it exists from 4.13")
		}
		c.masks(s, f, []string{value}, text)
	}
}

// masks judges the masks of a file by their form, the CPUs of the nodes, and the
// text around them.
func (c *checker) masks(s subject, f file, masks []string, text string) {
	at := f.contents.at + ".source"
	prose := c.comments(s)
	cpus, whose := c.cpus(s, prose+"\n"+text)
	if len(masks) > 0 {
		c.counts(s, at)
	}
	seen := map[string]bool{}
	for _, mask := range masks {
		if seen[mask] {
			continue
		}
		seen[mask] = true
		m, err := parseMask(mask)
		if err != nil {
			what, fix := cutFix(err)
			c.add(s, maskRule, at, what, fix)
			continue
		}
		if cpus > 0 && !m.fits(cpus) {
			right, _ := Mask(cpus, nil)
			r := maskRule
			r.Severity = v1alpha1.Warning
			c.add(s, r, at, fmt.Sprintf("the mask %s is wider than the CPUs (%s): unless more are possible there, "+
				"the kernel refuses it and the old mask stays", mask, whose), "write "+right)
		}
		for _, other := range toldMasks(prose) {
			if o, err := parseMask(other); err == nil && !o.equal(m) {
				c.add(s, maskDiffersRule, at, fmt.Sprintf("the content says mask %s, the text around it %s", mask, other),
					"decode what was encoded, and make both the same")
			}
		}
	}
}

// toldMasks are the masks that a text names.
func toldMasks(text string) []string {
	var out []string
	for _, m := range told.FindAllStringSubmatch(text, -1) {
		if mask := m[1] + m[2] + m[3]; !slices.Contains(out, mask) {
			out = append(out, mask)
		}
	}
	return out
}

// comments are the comments and annotations of an object.
func (c *checker) comments(s subject) string {
	var b strings.Builder
	for line := range strings.Lines(string(s.Tree.Source)) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "#") {
			b.WriteString(line + "\n")
		}
	}
	for _, k := range slices.Sorted(maps.Keys(s.Value.Metadata.Annotations)) {
		b.WriteString(s.Value.Metadata.Annotations[k] + "\n")
	}
	return b.String()
}

// counts tells of nodes with different numbers of CPUs, for which no mask is right.
func (c *checker) counts(s subject, at string) {
	seen := map[int]bool{}
	for _, n := range c.reached(s) {
		if q, err := unit.ParseCPU(n.Status.Capacity["cpu"]); err == nil {
			seen[int(q.Cores())] = true
		}
	}
	if list := slices.Sorted(maps.Keys(seen)); len(list) > 1 {
		c.add(s, cpuCountsRule, at, "the nodes that get it have "+join(list)+" CPUs: a mask for the largest is refused by "+
			"the others, one for the smallest leaves CPUs out", "make a pool and a MachineConfig for each number of CPUs")
	}
}

// cpus is the number of CPUs of the smallest node that gets the MachineConfig, else
// the one that a text names; 0 when nobody says.
func (c *checker) cpus(s subject, text string) (n int, whose string) {
	for _, node := range c.reached(s) {
		if have := pool.CPUs(&node); have > 0 && (n == 0 || have < n) {
			n, whose = have, fmt.Sprintf("node %s has %d CPUs", node.Metadata.Name, have)
		}
	}
	if n > 0 {
		return n, whose
	}
	for _, m := range cpuWords.FindAllStringSubmatch(text, -1) {
		if have, err := strconv.Atoi(m[1]); err == nil && have > 0 && have <= MaxCPUs {
			return have, fmt.Sprintf("the text tells of %d CPUs", have)
		}
	}
	return 0, ""
}

// routeFile checks a route file of network-scripts.
func (c *checker) routeFile(s subject, f file, text string) {
	at := f.contents.at + ".source"
	_, device, _ := strings.Cut(strings.TrimPrefix(f.path, scriptsDir), "-")
	if !c.writes(scriptsDir + "ifcfg-" + device) {
		c.add(s, routeFileRule, f.at+".path", f.path+" is read by NetworkManager's ifcfg plug-in only, "+
			"and only beside an ifcfg-"+device, routeFileFix(keyfiles.In(c.release), device))
	}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0][0] == '#' || strings.Contains(words[0], "=") {
			continue
		}
		to, err := netip.ParsePrefix(words[0])
		if _, host := netip.ParseAddr(words[0]); host == nil {
			continue
		}
		switch {
		case words[0] == "default" || err == nil && to.Bits() == 0:
			c.add(s, routeRule, at, words[0]+" is a default route: it replaces the way to everything, the API server included",
				"write the network of the external system")
		case err != nil:
			c.add(s, routeRule, at, short(words[0])+" is no network", "write an address and a length, such as 192.0.2.0/24")
		case to != to.Masked():
			c.add(s, routeRule, at, words[0]+" is an address within a network", "write "+to.Masked().String())
		}
		if !slices.Contains(words, "via") {
			c.add(s, onLinkRule, at, "the route to "+words[0]+" has no gateway: it is taken for a network on the same layer-2 "+
				"segment, and is a black hole where it is not", "check that the segment is shared, or write via and the gateway")
		}
	}
}

func routeFileFix(keyfile bool, device string) string {
	if keyfile {
		return "write " + keyfilesDir + device + ".nmconnection with mode 0600, or an NMState policy"
	}
	return "check on a node that ifcfg-" + device + " exists"
}

// writes says whether any of the MachineConfigs writes a path.
func (c *checker) writes(path string) bool {
	return slices.ContainsFunc(c.configs, func(s subject) bool {
		return slices.ContainsFunc(s.c.files, func(f file) bool { return f.path == path })
	})
}
