package scenario

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/netip"
	"os"
	"path"
	"regexp"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/yamlpos"
)

func (v *validator) network() {
	n := v.s.Network
	for i := range n.ClusterNetwork {
		v.clusterNetwork(fmt.Sprintf("network.clusterNetwork[%d]", i), &n.ClusterNetwork[i])
	}
	if n.ClusterMTU != nil && *n.ClusterMTU > n.NICMTU && v.good("network.clusterMTU", "network.nicMTU") {
		v.bad("network.clusterMTU", fmt.Sprintf("%d exceeds the network interfaces' MTU of %d", *n.ClusterMTU, n.NICMTU),
			"lower it, or remove it and the plan derives it")
	}
	if v.s.Platform.Type == kubernetes && n.Type == "OpenShiftSDN" && v.good("network.type", "platform.type") {
		v.bad("network.type", "OpenShiftSDN is a part of OpenShift", "write OVNKubernetes, or platform.type: openshift")
	}
}

// clusterNetwork demands that the nodes' shares are smaller than the block.
func (v *validator) clusterNetwork(at string, n *v1alpha1.ClusterNetwork) {
	p, err := netip.ParsePrefix(n.CIDR)
	if err != nil || !v.good(at) {
		return
	}
	switch longest := p.Addr().BitLen(); {
	case n.HostPrefix > longest:
		v.bad(at+".hostPrefix", fmt.Sprintf("%d is longer than an address", n.HostPrefix), fmt.Sprintf("at most %d", longest))
	case n.HostPrefix < p.Bits():
		share := fmt.Sprintf("shares of /%d", n.HostPrefix)
		if !v.given(at + ".hostPrefix") {
			share += ", the default"
		}
		v.bad(at+".hostPrefix", fmt.Sprintf("%s can't be divided into %s", n.CIDR, share),
			fmt.Sprintf("write a hostPrefix of %d or longer", p.Bits()))
	}
}

// services checks the amounts of storage, monitoring and router.
func (v *validator) services() {
	s := v.s
	for i, u := range s.Storage.Uses {
		v.bytes(fmt.Sprintf("storage.uses[%d].size", i), u.Size, leastBytes, "Gi")
	}
	v.bytes("storage.etcdQuota", s.Storage.EtcdQuota, leastBytes, "G")
	v.bytes("storage.logsPerNodePerDay", s.Storage.LogsPerNodePerDay, leastBytes, "M")
	v.bytes("monitoring.alertmanagerSize", s.Monitoring.AlertmanagerSize, leastBytes, "Gi")
	if s.Router.CPU != nil {
		v.cores("router.cpu", *s.Router.CPU)
	}
	if s.Router.Memory != nil {
		v.memory("router.memory", *s.Router.Memory)
	}
}

// files checks the paths of the files that the workload is read from.
func (v *validator) files() {
	for at, name := range v.named() {
		v.file(at, name)
	}
}

// named are the files of the workload by the fields that name them.
func (v *validator) named() map[string]string {
	w := v.s.Workload
	out := map[string]string{"workload.snapshot": w.Snapshot, "workload.flavorFile": w.FlavorFile,
		"workload.serverFile": w.ServerFile, "workload.imageFile": w.ImageFile}
	for i, name := range w.Manifests {
		out[fmt.Sprintf("workload.manifests[%d]", i)] = name
	}
	maps.DeleteFunc(out, func(at, _ string) bool { return !v.given(at) })
	return out
}

// exist demands that the files with which nothing else is wrong are there.
func (v *validator) exist() {
	named := v.named()
	for i, t := range v.s.Hardware.NodeTypes {
		if at := fmt.Sprintf("hardware.nodeTypes[%d].topologyFile", i); v.given(at) {
			named[at] = t.TopologyFile
		}
	}
	for at, name := range named {
		if _, err := os.Stat(pathBeside(v.tree, name)); v.good(at) && errors.Is(err, fs.ErrNotExist) {
			v.bad(at, yamlpos.Quote(name)+": no such file or directory", "name a file relative to this file")
		}
	}
}

var (
	address  = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]+://`)
	absolute = regexp.MustCompile(`^([/\\~]|[A-Za-z]:[/\\])`)
)

func (v *validator) file(at, name string) {
	if !v.good(at) {
		return
	}
	clean := path.Clean(strings.ReplaceAll(name, `\`, "/"))
	switch {
	case name == "":
		v.bad(at, "is empty", "write the path of a file")
	case address.MatchString(name):
		v.bad(at, yamlpos.Quote(name)+" is an address, not a file", "download it first")
	case v.allowOutside:
	case absolute.MatchString(name):
		v.bad(at, yamlpos.Quote(name)+" is an absolute path", "write it relative to the directory of this file")
	case clean == ".." || strings.HasPrefix(clean, "../"):
		v.bad(at, yamlpos.Quote(name)+" leads out of the directory of this file",
			"put the scenario beside or above the files that it names")
	}
}
