package haproxy

import (
	"fmt"
	"math"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation"

	"plimsoll.dev/facts"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/haproxy/formula"
	"plimsoll.dev/unit"
)

// Input is the traffic that the routers carry, and what they run on. What is left
// out is assumed, and the advice says so.
type Input struct {
	// Release of OpenShift: 3.11, 4.12. Required.
	Release string `json:"release"`
	// Publishing is HostNetwork, the default, or LoadBalancerService.
	Publishing string `json:"publishing,omitempty"`
	// Domain of the cluster, of which each shard gets a part; empty leaves it to be
	// filled in.
	Domain string `json:"domain,omitempty"`
	// NetworkLoadBalancer says that a network load balancer of AWS stands before the routers.
	NetworkLoadBalancer bool `json:"networkLoadBalancer,omitempty"`
	// BareMetal says that the routers' nodes are not virtual.
	BareMetal bool `json:"bareMetal,omitempty"`
	// Traffic is the mix, one entry a kind. Required.
	Traffic []Traffic `json:"traffic"`
	// ChangesPerHour are the changes of routes and their end points that make a router
	// reload; 0 is all the time.
	ChangesPerHour float64 `json:"changesPerHour,omitempty"`
	// LargestHeader of a request or an answer in bytes, below 256 MiB; 0 is not known.
	LargestHeader unit.Bytes `json:"largestHeader,omitempty"`
	// Threads of each router; 0 leaves them to the advice.
	Threads int `json:"threads,omitempty"`
	// Cores that a router may use; 0 is not known.
	Cores int `json:"cores,omitempty"`
	// CPUs of the NUMA node on which the network interface sits; with them the advice
	// pins. Empty is not known.
	CPUs unit.CPUSet `json:"cpus,omitzero"`
	// Memory is the limit of a router pod; 0 is none.
	Memory unit.Bytes `json:"memory,omitempty"`
	// NIC is the speed of the network interface; 0 is not known.
	NIC unit.BitRate `json:"nic,omitempty"`
	// MTU in bytes; 0 is Ethernet's.
	MTU int `json:"mtu,omitempty"`
	// HardStop is how long connections may outlive a reload at most, up to 24 days; 0 is not decided.
	HardStop unit.Duration `json:"hardStop,omitempty"`
	// Utilisation of a router that is planned with, 0.05 to 1; 0 is 0.65.
	Utilisation unit.Factor `json:"utilisation,omitempty"`
	// Spare routers of a shard; nil is 1.
	Spare *int `json:"spare,omitempty"`
	// RoutesPerRouter from which the ingress is split into shards; 0 is the guide's.
	RoutesPerRouter int `json:"routesPerRouter,omitempty"`
}

// Traffic is one kind of request.
type Traffic struct {
	// Name of the kind. Required.
	Name string `json:"name"`
	// Encryption of the route: none, the default, edge, passthrough or re-encrypt.
	Encryption string `json:"encryption,omitempty"`
	// RequestsPerSecond at the peak.
	RequestsPerSecond float64 `json:"requestsPerSecond"`
	// RequestsPerConnection on average; 1 closes after each. 0 keeps them all open.
	RequestsPerConnection float64 `json:"requestsPerConnection,omitempty"`
	// Resumption is the share of new TLS connections that resume a session; nil is all, as measured.
	Resumption *unit.Factor `json:"resumption,omitempty"`
	// Connections of clients that are open at the peak.
	Connections int `json:"connections,omitempty"`
	// Lifetime of the longest connections, such as WebSockets; 0 is none that are long.
	Lifetime unit.Duration `json:"lifetime,omitempty"`
	// PageSize is the mean size of an answer; 0 is that of the measurements.
	PageSize unit.Bytes `json:"pageSize,omitempty"`
	// Routes of the kind; 0 is 1.
	Routes int `json:"routes,omitempty"`
}

// Encryptions are the kinds of a route.
func Encryptions() []string { return []string{"none", "edge", "passthrough", "re-encrypt"} }

// Bounds that keep figures finite; no router is near them.
const (
	mostRequests = 1e9
	mostCount    = 1 << 30
	mostSeconds  = 10 * 365 * 86400
	leastNIC     = 1_000_000
)

// Problems says what is wrong with the input, every one, as "field: what (what
// would be right)".
func (in Input) Problems() []string {
	var out []string
	bad := func(wrong bool, field, what, fix string) {
		if wrong {
			out = append(out, field+": "+what+" ("+fix+")")
		}
	}
	if _, err := parseVersion(in.Release); err != nil {
		bad(true, "release", err.Error(), "write 3.11 or 4.12")
	}
	bad(!slices.Contains([]string{"", "HostNetwork", "LoadBalancerService"}, in.Publishing), "publishing",
		fmt.Sprintf("%q is no way to publish a router", in.Publishing), "HostNetwork or LoadBalancerService")
	bad(in.Domain != "" && len(validation.IsDNS1123Subdomain(in.Domain)) > 0, "domain",
		fmt.Sprintf("%q is no domain", in.Domain), "write it as ocp.example.com")
	bad(len(in.Traffic) == 0, "traffic", "there is none", "list at least one kind of request")
	c := facts.Load()
	bad(in.ChangesPerHour != 0 && !within(in.ChangesPerHour, 3600.0/mostSeconds, mostRequests), "changesPerHour",
		"it is out of range", "0 for all the time, or one in 10 years and more")
	threads := c.Must("ocp.router.threadsMax")
	bad(in.Threads < 0 || float64(in.Threads) > threads.Number, "threads",
		fmt.Sprintf("%d threads can't be set", in.Threads), fmt.Sprintf("1 to %.0f", threads.Number))
	bad(in.Utilisation != 0 && !within(float64(in.Utilisation), 0.05, 1), "utilisation", "it is no share to plan with",
		"0.05 to 1")
	header, longest := c.Must(bufferMax).Number-c.Must("ocp.router.maxRewriteSize").Number-formula.PageSize,
		c.Must("ocp.router.timeMax")
	bad(!within(float64(in.LargestHeader), 0, header), "largestHeader", "no buffer of HAProxy holds it",
		fmt.Sprintf("0 to %.0f bytes", header))
	bad(in.NIC > 0 && in.NIC < leastNIC, "nic", "it is out of range", "1 Mbit/s or more")
	for field, n := range map[string]int64{"cores": int64(in.Cores), "memory": int64(in.Memory) >> 20,
		"mtu": int64(in.MTU), "nic": int64(in.NIC) >> 20, "routesPerRouter": int64(in.RoutesPerRouter)} {
		bad(n < 0 || n > mostCount, field, "it is out of range", "0 or more")
	}
	bad(in.Spare != nil && (*in.Spare < 0 || *in.Spare > 1000), "spare", "it is out of range", "0 to 1000")
	bad(!within(float64(in.HardStop), 0, longest.Number), "hardStop", "HAProxy can't count so long a time", "0 to 24 days")
	bad(in.MTU > 0 && in.MTU < 576, "mtu", fmt.Sprintf("%d bytes leave no room", in.MTU), "576 or more")
	names := map[string]bool{}
	for i, t := range in.Traffic {
		at := fmt.Sprintf("traffic[%d]", i)
		out = append(out, t.problems(at)...)
		bad(t.Name != "" && names[t.Name], at+".name", fmt.Sprintf("%q stands twice", t.Name),
			"give each kind a name of its own")
		names[t.Name] = true
	}
	slices.Sort(out)
	return out
}

func (t Traffic) problems(at string) []string {
	var out []string
	bad := func(wrong bool, field, what, fix string) {
		if wrong {
			out = append(out, at+"."+field+": "+what+" ("+fix+")")
		}
	}
	bad(t.Name == "", "name", "it is missing", "name the kind")
	bad(t.Encryption != "" && !slices.Contains(Encryptions(), t.Encryption), "encryption",
		fmt.Sprintf("%q is no kind of route", t.Encryption), "none, edge, passthrough or re-encrypt")
	bad(!within(t.RequestsPerSecond, 0, mostRequests), "requestsPerSecond", "it is out of range", "0 or more")
	bad(t.RequestsPerConnection != 0 && !within(t.RequestsPerConnection, 1, mostRequests), "requestsPerConnection",
		"a connection carries at least one", "1 or more, or leave it out")
	bad(t.Resumption != nil && !within(float64(*t.Resumption), 0, 1), "resumption", "it is not a share", "0 to 1")
	bad(t.Connections < 0 || t.Connections > mostCount, "connections", "it is out of range", "0 or more")
	bad(t.Routes < 0 || t.Routes > 1_000_000, "routes", "it is out of range", "1 to 1000000")
	bad(t.Lifetime < 0 || t.Lifetime > mostSeconds, "lifetime", "it is out of range", "0 to 10 years")
	bad(t.PageSize < 0 || t.PageSize > mostCount, "pageSize", "it is out of range", "0 to 1Gi")
	return out
}

// within says whether a number is one, between two others.
func within(v, low, high float64) bool { return !math.IsNaN(v) && v >= low && v <= high }

// version is a release of OpenShift as far as its routers differ.
type version struct {
	text  string
	three bool
	// minor of a release 4.
	minor release.Release
}

func parseVersion(text string) (version, error) {
	if len(text) > 2 && text[:2] == "3." {
		return version{text: text, three: true}, nil
	}
	minor, err := release.Parse(text)
	return version{text: text, minor: minor}, err
}
