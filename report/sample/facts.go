package sample

import (
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/limit"
	"plimsoll.dev/unit"
)

// Facts is the small catalogue that the sample's figures come from, with the
// real figures of the documents. The samples do not use the built-in catalogue,
// so that they stay as they are when it grows.
func Facts() *facts.Catalogue { return facts.New(list()) }

func list() []facts.Fact {
	tested := func(id, title string, number float64, noun, section string) facts.Fact {
		return published(id, title, number, noun, limit.Tested, "OCP", section)
	}
	return []facts.Fact{
		doubted(tested("ocp.max.nodes/4.4", "Nodes in a cluster", 250, "nodes", "9.2"), "ocp.max.nodes/4.x"),
		doubted(tested("ocp.max.nodes/4.x", "Nodes in a cluster", 2000, "nodes", "9.1"), "ocp.max.nodes/4.4"),
		noted(tested("ocp.max.pods/4.4", "Pods in a cluster", 62500, "pods", "9.2"),
			"Test pods; how many real pods fit depends on their needs."),
		noted(tested("ocp.max.podsPerNode/4.4", "Pods on a node", 500, "pods", "9.2"),
			"Reached with 100 workers of 500 pods each and maxPods set to 500."),
		tested("ocp.max.namespaces/4.4", "Namespaces (projects) in a cluster", 10000, "namespaces", "9.2"),
		tested("ocp.max.podsPerNamespace/4.4", "Pods in a namespace", 25000, "pods", "9.2"),
		tested("ocp.max.services/4.4", "Services in a cluster", 10000, "services", "9.2"),
		tested("ocp.max.servicesPerNamespace/4.4", "Services in a namespace", 5000, "services", "9.2"),
		tested("ocp.max.backendsPerService/4.4", "Back ends of a service", 5000, "back ends", "9.2"),
		tested("ocp.max.builds/4.4", "Builds in a cluster", 10000, "builds", "9.2"),
		tested("ocp.max.deploymentsPerNamespace/4.4", "Deployments in a namespace", 2000, "deployments", "9.2"),
		published("ocp.max.secrets/4.10", "Secrets in a cluster", 80000, "secrets", limit.Tested,
			"OpenShift 4.10 docs", "Planning your environment according to object maximums"),
		published("ocp.kubelet.maxPods", "Default of maxPods", 250, "pods", limit.Hard, "OCP", "2.1"),
		published("ocp.kubelet.containersPerPod", "Containers of a pod with one container", 2, "containers", limit.Hard, "OCP", "2.1"),
		published("ocp.systemReserved.cpu/4.4", "CPU reserved by the system", 500, unit.Millicores, limit.Hard, "OCP", "2.3"),
		published("ocp.evictionHard.memory", "Memory kept free by eviction", float64(100*unit.MiB), unit.ByteUnit, limit.Hard, "Kubernetes docs", "Reserve Compute Resources"),
		published("ocp.systemPods.max", "System pods on a node", 15, "pods", limit.Measured, "OCP", "9.1"),
		published("ocp.controlPlane.cores/100", "Cores of a control plane machine for 100 workers", 8000, unit.Millicores, limit.Recommended, "OCP", "2.3"),
		published("ocp.controlPlane.cores/250", "Cores of a control plane machine for 250 workers", 16000, unit.Millicores, limit.Recommended, "OCP", "2.3"),
		published("ocp.controlPlane.memory/250", "Memory of a control plane machine for 250 workers", 96e9, unit.ByteUnit, limit.Recommended, "OCP", "2.3"),
		published("ocp.network.hostPrefix", "Default of hostPrefix", 23, unit.Bits, limit.Hard, "OCP", "1.1"),
		published("ocp.etcd.dbMax", "Size at which etcd stops writing", 7e9, unit.ByteUnit, limit.Hard, "OCP", "2.4"),
		published("ocp.etcd.peerRoundTrip", "p99 round trip between etcd peers", 0.05, unit.Seconds, limit.Recommended, "OCP", "2.4"),
		published("ocp.prometheus.storagePerDay/50", "Prometheus storage a day at 50 nodes", 6.3e9, unit.ByteUnit, limit.Measured, "OCP", "8.1"),
		published("ocp.prometheus.storagePerDay/100", "Prometheus storage a day at 100 nodes", 13e9, unit.ByteUnit, limit.Measured, "OCP", "8.1"),
		published("ocp.router.requests/edge/keep-alive/LoadBalancerService", "Requests/s of one router", 16729, "requests/s", limit.Measured, "OCP", "11.1"),
		published("ocp.scale.batchMax", "Machines to add at once", 50, "machines", limit.Recommended, "OCP", "3.1"),
	}
}

func published(id, title string, number float64, unitName string, kind limit.Kind, code, section string) facts.Fact {
	return facts.Fact{
		ID: id, Quantity: id, Title: title, Platform: "openshift", Number: number, Unit: unitName,
		Kind: kind, Grade: facts.Stated, Source: derive.Source{Code: code, Section: section},
	}
}

func noted(f facts.Fact, note string) facts.Fact {
	f.Notes = append(f.Notes, note)
	return f
}

func doubted(f facts.Fact, other string) facts.Fact {
	f.Grade, f.Contradicts = facts.Doubtful, []string{other}
	return f
}
