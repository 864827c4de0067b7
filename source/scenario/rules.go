package scenario

import (
	"fmt"
	"net/netip"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/strict"
	"plimsoll.dev/part"
	"plimsoll.dev/unit"
)

// maxPods of plain Kubernetes is the kubelet's own; OpenShift's is in the tag.
func maxPods(s *v1alpha1.Scenario) strict.Rule {
	return func(any) (any, string, string) {
		if s.Platform.Type != kubernetes {
			return nil, "", ""
		}
		f := facts.Load().Must("k8s.kubelet.maxPods")
		return int(f.Number), f.ID, ""
	}
}

// etcdQuota of plain Kubernetes is etcd's own; OpenShift's operator sets that
// of the release. Before it there is the size that the database can grow to.
func etcdQuota(s *v1alpha1.Scenario) strict.Rule {
	bytes := func(f facts.Fact) any { return unit.Bytes(f.Number) }
	return func(parent any) (any, string, string) {
		id := "ocp.etcd.dbMax"
		if s.Platform.Type == kubernetes {
			id = "k8s.etcd.quota"
		} else if v, fact, why := byRelease(s, "ocp.etcd.quota", bytes)(parent); v != nil {
			return v, fact, why
		}
		f := facts.Load().Must(id)
		return bytes(f), f.ID, ""
	}
}

// byRelease is the value that OpenShift sets in the release. Plain Kubernetes
// takes the tag's default, and keeps nothing back on a node unless told to.
func byRelease(s *v1alpha1.Scenario, quantity string, value func(facts.Fact) any) strict.Rule {
	return func(any) (any, string, string) {
		if s.Platform.Type == kubernetes {
			return nil, "", ""
		}
		f, _, remark, ok := facts.Load().ForRelease(quantity, s.Platform.Release)
		if !ok {
			return nil, "", ""
		}
		return value(f), f.ID, reason(f, remark)
	}
}

// reason is a fact's title and source, with a remark when it is another
// release's.
func reason(f facts.Fact, remark string) string {
	text := f.Title + " (" + f.Source.String() + ")"
	if remark != "" {
		text += "; " + remark
	}
	return text
}

// podOvercommit excepts the memory of pods with huge pages, which is theirs
// alone.
func podOvercommit(parent any) (any, string, string) {
	if p := parent.(*v1alpha1.PodType); len(p.HugePages) == 0 {
		return nil, "", ""
	}
	f := facts.Load().Must("ocp.hugePages.overcommit")
	return overcommitCPUOnly, f.ID, "Huge pages can't be overcommitted (" + f.Source.String() + ")"
}

// notUsed is the reason of a default that is set but doesn't count.
const notUsed = "A daemonSet has one pod on each node"

// replicas of a daemonSet follow from the nodes.
func replicas(parent any) (any, string, string) {
	if !parent.(*v1alpha1.PodType).DaemonSet {
		return nil, "", ""
	}
	return 1, "", notUsed
}

const (
	overcommitAllowed = "allowed"
	overcommitCPUOnly = "cpuOnly"
)

// networkType is the plug-in that the release installs; it is OVN-Kubernetes
// where nothing is published, and on plain Kubernetes.
func networkType(s *v1alpha1.Scenario) strict.Rule {
	const ovn = "OVNKubernetes"
	return func(any) (any, string, string) {
		if s.Platform.Type == kubernetes {
			return nil, "", "" // it has none of its own
		}
		f, _, _, ok := facts.Load().ForRelease("ocp.network.type", s.Platform.Release)
		if !ok {
			return ovn, "", "The catalogue has nothing for the release"
		}
		return f.Text, f.ID, "Network type that OpenShift " + s.Platform.Release + " installs by default (" +
			f.Source.String() + ")"
	}
}

// hostPrefix depends on the address family and on the platform.
func hostPrefix(s *v1alpha1.Scenario) strict.Rule {
	return func(parent any) (any, string, string) {
		p, err := netip.ParsePrefix(parent.(*v1alpha1.ClusterNetwork).CIDR)
		id := ""
		switch {
		case err == nil && p.Addr().Is6():
			id = "ocp.network.hostPrefixIPv6"
		case s.Platform.Type == kubernetes:
			id = "k8s.network.nodeMask"
		default:
			return nil, "", ""
		}
		return int(facts.Load().Must(id).Number), id, ""
	}
}

// publishing follows the provider, as OpenShift's ingress operator does.
func publishing(s *v1alpha1.Scenario) strict.Rule {
	return func(any) (any, string, string) {
		if part.LoadBalanced(s.Platform.Provider) {
			return "LoadBalancerService", "", fmt.Sprintf("Provider %s has load balancers", s.Platform.Provider)
		}
		return "HostNetwork", "", "The provider is not known to have load balancers"
	}
}

// provider is told by the managed service that runs on one provider only.
func provider(s *v1alpha1.Scenario) strict.Rule {
	return func(any) (any, string, string) {
		if p := managed[s.Platform.Service]; p != "" {
			return p, "", s.Platform.Service + " runs there"
		}
		if s.Platform.Service != rosa {
			return nil, "", ""
		}
		return aws, "", "Red Hat OpenShift Service on AWS runs there"
	}
}

// role is the one that most machines of the platform play.
func role(s *v1alpha1.Scenario) strict.Rule {
	return func(any) (any, string, string) {
		if s.Platform.Type != helion {
			return nil, "", ""
		}
		return roles[helion][0], "", "Most hosts of a cloud are computes"
	}
}

// imageDisk is the size of the raw disk of an image that does not say it.
func imageDisk(parent any) (any, string, string) {
	i := parent.(*v1alpha1.Image)
	if i.Size == 0 {
		return nil, "", ""
	}
	return i.Size, "", "An image is taken for raw when its disk's size is not given"
}
