package audit

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/unit"
)

// Stack is what was seen of an OpenStack cloud: the rows that its clients list.
type Stack struct {
	// Rules by which Nova places; those of hcg-4.0 and starlingx have the limits of the document as well.
	Rules nova.Rules
	// Tried says that the loss of each host was, by a placement of all servers that stands beside; Untried why that
	// placement says nothing of it.
	Tried   bool
	Untried string

	Servers     []VM
	Flavors     []Flavor
	Images      []Image
	Hypervisors []Hypervisor
	Computes    []Daemon
	Volumers    []Daemon
	Agents      []Agent
	Groups      []ServerGroup
	Volumes     []CinderVolume
	Networks    []NeutronNetwork
	Subnets     []struct{ ID string }
	Routers     []NeutronRouter
	Ports       []Port
	RuleRows    []struct{ SecurityGroup string }
	Health      []CephCheck
	Room        []CephRoom
	Tree        []CephNode

	names map[string]int // of servers, how many have each
}

// VM is a server of Nova.
type VM struct{ ID, Name, Status, Host, Flavor, Image, ImageID string }

// holds says whether it holds something on its host.
func (v VM) holds() bool {
	return v.Host != "" && v.Status != "DELETED" && v.Status != "SHELVED_OFFLOADED"
}

// Flavor of Nova; memory in MiB, disks in GiB.
type Flavor struct {
	ID, Name   string
	VCPUs, RAM float64
	Properties map[string]string
}

// api is the flavor as package flavor reads it.
func (f *Flavor) api() *v1alpha1.Flavor {
	return &v1alpha1.Flavor{Name: f.Name, VCPUs: int(f.VCPUs), RAM: unit.Bytes(f.RAM) * unit.MiB, Properties: f.Properties}
}

// Image of Glance.
type Image struct {
	ID, Name, DiskFormat string
	Properties           map[string]string
}

// Hypervisor is a host as Nova's scheduler knows it. Today's Nova tells neither its CPUs nor its memory in a list.
type Hypervisor struct {
	Hostname, Host, State, Type                       string
	VCPUs, VCPUsUsed, MemoryMB, MemoryMBUsed, Threads *float64
}

// name of its host.
func (h Hypervisor) name() string { return cmp.Or(h.Host, h.Hostname) }

// is says whether a host of servers is this one: the hypervisor may have the name with its domain.
func (h Hypervisor) is(host string) bool {
	short, _, _ := strings.Cut(h.Hostname, ".")
	return host == h.Host || host == h.Hostname || h.Host == "" && host == short
}

// Daemon is a service of Nova or Cinder on a host.
type Daemon struct{ Binary, Host, Status, State string }

func (d Daemon) down() bool    { return strings.EqualFold(d.State, "down") }
func (d Daemon) enabled() bool { return !strings.EqualFold(d.Status, "disabled") }
func (d Daemon) path() string  { return d.Binary + "/" + d.Host }

// Agent of Neutron on a host.
type Agent struct {
	AgentType, Host string
	Alive, Enabled  *bool
}

// ServerGroup keeps servers together or apart.
type ServerGroup struct {
	ID, Name, Policy string
	MaxServerPerHost float64
	Members          []string
}

// CinderVolume of Cinder.
type CinderVolume struct{ ID, Name, Status string }

// NeutronNetwork is a network of Neutron.
type NeutronNetwork struct{ Name, RouterType, PhysicalNetwork string }

// NeutronRouter is a router of Neutron.
type NeutronRouter struct {
	ID, Name        string
	HA, Distributed *bool
}

// Port of Neutron.
type Port struct {
	ID, DeviceID   string
	SecurityGroups []string
}

// CephCheck is something that Ceph says of itself.
type CephCheck struct {
	Code, Severity, Message string
	Muted                   bool
}

// CephRoom is what a Ceph cluster has of a class of devices and what of it is used, in bytes; without a class that is
// of all.
type CephRoom struct {
	Class                 string
	TotalBytes, UsedBytes float64
}

// CephNode is a bucket of the CRUSH map, or an OSD, whose weight is its size in TiB.
type CephNode struct {
	ID                              float64
	Name, Type, Status, DeviceClass string
	CrushWeight                     float64
	// Reweight is 0 of an OSD that is out; nil where it isn't told.
	Reweight *float64
	Children []string
}

// path is the id, as parents name their children.
func (n CephNode) path() string { return strconv.FormatFloat(n.ID, 'f', -1, 64) }

// stackAdders take the rows of a cloud's exports.
var stackAdders = map[string]func(*Cloud, []byte) error{
	"Server":            into(func(c *Cloud) *[]VM { return &c.Stack.Servers }),
	"Flavor":            into(func(c *Cloud) *[]Flavor { return &c.Stack.Flavors }),
	"Image":             into(func(c *Cloud) *[]Image { return &c.Stack.Images }),
	"Hypervisor":        into(func(c *Cloud) *[]Hypervisor { return &c.Stack.Hypervisors }),
	"ComputeService":    into(func(c *Cloud) *[]Daemon { return &c.Stack.Computes }),
	"VolumeService":     into(func(c *Cloud) *[]Daemon { return &c.Stack.Volumers }),
	"NetworkAgent":      into(func(c *Cloud) *[]Agent { return &c.Stack.Agents }),
	"ServerGroup":       into(func(c *Cloud) *[]ServerGroup { return &c.Stack.Groups }),
	"Volume":            into(func(c *Cloud) *[]CinderVolume { return &c.Stack.Volumes }),
	"NeutronNetwork":    into(func(c *Cloud) *[]NeutronNetwork { return &c.Stack.Networks }),
	"Subnet":            into(func(c *Cloud) *[]struct{ ID string } { return &c.Stack.Subnets }),
	"Router":            into(func(c *Cloud) *[]NeutronRouter { return &c.Stack.Routers }),
	"Port":              into(func(c *Cloud) *[]Port { return &c.Stack.Ports }),
	"SecurityGroupRule": into(func(c *Cloud) *[]struct{ SecurityGroup string } { return &c.Stack.RuleRows }),
	"CephCheck":         into(func(c *Cloud) *[]CephCheck { return &c.Stack.Health }),
	v1alpha1.KindSeen:   taking((*Cloud).sees),
	"CephRoom":          into(func(c *Cloud) *[]CephRoom { return &c.Stack.Room }),
	"CephNode":          into(func(c *Cloud) *[]CephNode { return &c.Stack.Tree }),
}

// hcgCounts says whether the limits of Helion OpenStack Carrier Grade do.
func (c *Cloud) hcgCounts() bool { return c.Stack.Rules != nova.Nova }

// ofHCG are the rules that are about nothing else.
var ofHCG = []string{rulesPerPort.ID, portsPerVM.ID}

// plain are names that a shell takes as they are, and clients for no option.
var plain = regexp.MustCompile(`^[A-Za-z0-9_.][A-Za-z0-9._:@/-]*$`)

// called is how a thing is told, also in commands: by its name where that is plain, else by its id.
func called(name, id string) string {
	if id != "" && !plain.MatchString(name) {
		return id
	}
	return strings.ReplaceAll(name, " ", "_")
}

// vm is how a server is told: by its id where another has the same name.
func (s *Stack) vm(v VM) string {
	if s.names == nil {
		s.names = map[string]int{}
		for _, o := range s.Servers {
			s.names[o.Name]++
		}
	}
	if s.names[v.Name] > 1 {
		return cmp.Or(v.ID, v.Name)
	}
	return called(v.Name, v.ID)
}

// onHosts are the servers of each host, by its name.
func (s *Stack) onHosts() map[string][]VM {
	out := map[string][]VM{}
	for _, v := range s.Servers {
		if v.holds() {
			out[v.Host] = append(out[v.Host], v)
		}
	}
	return out
}

// ofImages counts the servers that boot from each image, by its name or id.
func (s *Stack) ofImages() map[string]int {
	out := map[string]int{}
	for _, v := range s.Servers {
		if of := cmp.Or(v.ImageID, v.Image); of != "" && !strings.HasPrefix(of, "N/A") {
			out[of]++
		}
	}
	return out
}

// servers that boot from an image, of those of [Stack.ofImages]: its name counts where no server has its id.
func (i Image) servers(of map[string]int) int {
	if n := of[i.ID]; i.ID != "" && n > 0 {
		return n
	}
	return of[i.Name]
}

// used are the flavors that servers have, with how many have each.
func (s *Stack) used() ([]*Flavor, map[string]int) {
	servers := map[string]int{}
	for _, v := range s.Servers {
		servers[v.Flavor]++
	}
	var out []*Flavor
	for i := range s.Flavors {
		if f := &s.Flavors[i]; servers[f.Name] > 0 {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b *Flavor) int { return strings.Compare(a.Name, b.Name) })
	return out, servers
}
