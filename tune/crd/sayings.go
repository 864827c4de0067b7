package crd

import (
	"net/netip"
	"regexp"
	"strings"
	"time"
)

// saying says in words what a rule or a pattern asks for.
type saying struct {
	// part of the rule's or pattern's text by which it is known.
	part string
	// what is wrong, after the path of the value; of patterns it is the value as such.
	what, fix string
}

// find is the first saying whose part stands in a text.
func find(list []saying, text string) saying {
	for _, s := range list {
		if strings.Contains(text, s.part) {
			return s
		}
	}
	return saying{}
}

const objectName = "use small letters, digits, - and . only, with a letter or digit at both ends of each part"

// ruleSayings are those of the rules in CEL.
var ruleSayings = []saying{
	{"dns1123Subdomain", "is no name that an object can have", objectName},
	{"networkLoadBalancer.eipAllocations", "has eipAllocations, and scope Internal",
		"remove eipAllocations: only load balancers of scope External have such addresses"},
	{"openstack.floatingIP", "has floatingIP, and scope Internal",
		"remove floatingIP: only load balancers of scope External have one"},
	{"'router-'", "makes with the object's name a host name of more than 253 letters", "shorten the domain or the name"},
	{"contains(',')", "holds a comma", "write a name without commas; each name is an item of its own"},
	{"duration('15m')", "is longer than 15m", "write 1ms to 15m"},
	{"duration('1ms')", "is shorter than 1ms", "write 1ms to 15m"},
	{"!self.startsWith('subnet-')", "begins like the id of a subnet", "put it below ids, or write the subnet's name"},
	{"<= 10 : true", "has more than 10 subnets", "write 10 or fewer, ids and names together"},
	{"self.ids.size() > 0", "has neither ids nor names", "write the subnets' ids or names"},
	{"size(self.eipAllocations)",
		"has another number of subnets than of eipAllocations", "write one of each for each zone"},
	{"'OpenStack'", "has openstack, and another type", "write type: OpenStack, or remove openstack"},
	{"has(self.set)", "needs set for type Set, and for no other",
		"write set with type: Set, or remove it with type: Delete"},
	{"isIP", "is no IP address", "write it like 192.0.2.10 or 2001:db8::10"},
	{"2000000", "is neither -1, 0 nor 2000 to 2000000", "write one of them: 0 is the default, -1 as many as fit"},
	{"(?:req", "has a value that HAProxy's format of headers doesn't allow",
		"write text (% as %%) and %[req.hdr(Name)] or %[ssl_c_der], with ,lower or ,base64 behind the name"},
	{"(?:res", "has a value that HAProxy's format of headers doesn't allow",
		"write text (% as %%) and %[res.hdr(Name)] or %[ssl_c_der], with ,lower or ,base64 behind the name"},
	{"exists_one", "has an item twice", "write each once"},
	{"lowerAscii", "is the name of a header that may not be changed", "remove it: cookie, set-cookie, host, proxy and " +
		"strict-transport-security are set otherwise"},
	{"(ms|s|m))+$", "is no duration of minutes, seconds and milliseconds", "write it like 1m30s or 500ms"},
	{"size(label) <= 63", "has a part of more than 63 letters between its points", "shorten it"},
	{"{17}$", "doesn't end in 17 hexadecimal digits", "write it like eipalloc-0123456789abcdef0"},
	{"'eipalloc-'", "doesn't begin with eipalloc-", "write it like eipalloc-0123456789abcdef0"},
	{"x.type=='None'", "has None beside other actions", "write None alone, or leave it out"},
	{"x.type=='Reboot'", "has Reboot beside other actions", "write Reboot alone: it stands for the others"},
	{"'Reload'", "needs reload for type Reload, and for no other",
		"write reload: {serviceName: NAME} with type: Reload alone"},
	{"'Restart'", "needs restart for type Restart, and for no other",
		"write restart: {serviceName: NAME} with type: Restart alone"},
	{"snapshot|slice|scope", "has no ending of a systemd unit", "write it like crio.service"},
	{"[a-zA-Z0-9:._", "is no name of a systemd unit", "write it like crio.service"},
	{"'Partial'", "needs partial for mode Partial, and for no other", "write partial with mode: Partial alone"},
	{"'controlplanemachinesets'", "has mode Partial for controlplanemachinesets", "write mode: All or None"},
	{"'Manual'", "needs manual for mode Manual, and for no other", "write manual with mode: Manual alone"},
	{"'OCPVersion'", "needs ocpVersion for mode OCPVersion, and for no other", "write ocpVersion with that mode alone"},
	{"'RHCOSVersion'", "needs rhcosVersion for mode RHCOSVersion, and for no other",
		"write rhcosVersion with that mode alone"},
	{"[0-9]{12})-", "is no version of RHCOS", "write it like 418.94.202501010000-0"},
	{"'^[0-9]+", "is no version of OpenShift", "write it like 4.18.3"},
	{"contains('//')", "has two slashes one behind the other", "write one"},
	{"'^/[a-zA-Z0-9/._-]+$'", "is no path of letters, digits and / . _ - that begins with a slash",
		"write the whole path"},
}

// patternSayings are those of patterns.
var patternSayings = []saying{
	{part: "|ms|s|m|h))+)$", fix: "write 0 or a duration like 1h30m, 10s or 500ms"},
	{part: "|ms|s|m|h))+$", fix: "write a duration like 1h30m, 10s or 500ms"},
	{part: "{1,2})%|[0-9]+)$", fix: "write a whole number, or a share of 0% to 100%"},
	{part: "Managed|Unmanaged", fix: "write Managed, Unmanaged, Force or Removed"},
	{part: "runc|crun", fix: "write crun or runc"},
	{part: "^runc$", fix: "write runc, or leave it out"},
	{part: "[numkMGTPE]", fix: "write a quantity like 8Ki or 20G"},
	{part: "^subnet-", fix: "write the id of a subnet, like subnet-0123456789abcdef0"},
	{part: "[QXE]", fix: "write text (% as %%) and HAProxy's variables, like %[src]"},
	{part: "application|audio", fix: "write a media type like text/html or application/json"},
	{part: "25[0-5])/", fix: "write a network like 10.0.0.0/16 or 2001:db8::/48"},
	{part: "`a-z|~]", fix: "write letters, digits and the signs that names of headers and cookies may have, no blank"},
	{part: "{0,61}", fix: "use letters, digits, - and . only, with a letter or digit at both ends of each part"},
}

// format is a form of text that API servers check.
type format struct {
	name, fix string
	ok        func(string) bool
}

var formats = map[string]format{
	"duration": {"duration", "write it like 30s, 5m or 1h", isDuration},
	"ipv4": {"IPv4 address", "write it like 192.0.2.10", func(s string) bool {
		a, err := netip.ParseAddr(s)
		return err == nil && a.Is4()
	}},
	"ipv6": {"IPv6 address", "write it like 2001:db8::10", func(s string) bool {
		a, err := netip.ParseAddr(s)
		return err == nil && a.Is6()
	}},
}

// worded finds a number with a unit in a text, as API servers read durations that Go doesn't.
var worded = regexp.MustCompile(`(\d+)\s*([A-Za-zµ]+)`)

// isDuration says whether API servers take a text for a duration: as Go does, or with a unit in words somewhere ("2
// hours"). What a program makes of it is another question.
func isDuration(text string) bool {
	if _, err := time.ParseDuration(text); err == nil {
		return true
	}
	for _, m := range worded.FindAllStringSubmatch(text, -1) {
		if len(m[1]) > 18 {
			return false
		}
		unit := strings.ToLower(m[2])
		if within([]string{"ns", "us", "µs", "ms", "s", "m", "h", "hr", "d", "w", "wk"}, unit) {
			return true
		}
		for _, word := range []string{"nano", "micro", "milli", "sec", "min", "hour", "day", "week"} {
			if strings.HasPrefix(unit, word) {
				return true
			}
		}
	}
	return false
}
