package cloud

import (
	"fmt"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/unit"
)

// Builders of scenarios. The reference host is the document's: two sockets of eight
// cores, 64 GB.

func ref[T any](v T) *T { return &v }

// compute is a node type of so many hosts.
func compute(topology, memory string, count int) v1alpha1.NodeType {
	m, err := unit.ParseBytes(memory)
	if err != nil {
		panic(err)
	}
	return v1alpha1.NodeType{Name: "compute", Role: "compute", Topology: topology, Memory: m, Count: &count}
}

// dual is the document's reference host with hyperthreading, single without.
const (
	dual   = "2 sockets x 8 cores x 2 threads"
	single = "2 sockets x 8 cores"
)

// scenario with a node type, the rules and servers, each of a flavor of its own.
func scenario(rules nova.Rules, t v1alpha1.NodeType, servers ...server) *v1alpha1.Scenario {
	s := &v1alpha1.Scenario{}
	s.Platform.Type = "helion"
	s.Scheduling.Rules = string(rules)
	s.Hardware.NodeTypes = []v1alpha1.NodeType{t}
	for _, sv := range servers {
		name := fmt.Sprintf("f-%s", sv.Name)
		ram, err := unit.ParseBytes(sv.ram)
		if err != nil {
			panic(err)
		}
		f := v1alpha1.Flavor{Name: name, VCPUs: sv.vcpus, RAM: ram, Properties: map[string]string{}, Disk: sv.disk}
		for _, p := range strings.Fields(sv.specs) {
			key, value, _ := strings.Cut(p, "=")
			f.Properties[key] = value
		}
		s.Workload.Flavors = append(s.Workload.Flavors, f)
		sv.Flavor = name
		s.Workload.Servers = append(s.Workload.Servers, sv.Server)
	}
	return s
}

// server is a number of VMs and their flavor.
type server struct {
	v1alpha1.Server
	vcpus int
	ram   string
	specs string
	disk  unit.Bytes
}

// vms are so many VMs of a size; specs are extra specs, separated by spaces.
func vms(name string, count, vcpus int, ram, specs string) server {
	return server{Server: v1alpha1.Server{Name: name, Count: count}, vcpus: vcpus, ram: ram, specs: specs}
}

const pinned = "hw:cpu_policy=dedicated"

func (s server) with(edit func(*v1alpha1.Server)) server { edit(&s.Server); return s }

// made places a scenario that must be understood.
func made(t testing.TB, s *v1alpha1.Scenario, opt Options) *v1alpha1.ServerPlacement {
	t.Helper()
	c, problems := New(s, poolsOf(s))
	if len(problems) > 0 {
		t.Fatalf("problems: %v", problems)
	}
	return Make(c, opt)
}

// placed is the number of VMs that run, by server.
func placed(p *v1alpha1.ServerPlacement) []int {
	var n []int
	for _, o := range p.ServerTypes {
		n = append(n, o.Placed)
	}
	return n
}

// where is the hosts of each VM, by name.
func where(p *v1alpha1.ServerPlacement) map[string]string {
	at := map[string]string{}
	for _, v := range p.Servers {
		at[v.Name] = v.Host
	}
	return at
}
