package main

import "fmt"

// machines are the instance types of the nodes: CPUs and GiB.
var machines = []struct {
	name         string
	cpus, memory int
}{{"m6i.4xlarge", 16, 64}, {"m6i.8xlarge", 32, 128}, {"r6i.4xlarge", 16, 128}}

// node is the i-th node; the first three are the control plane.
func (s *snapshot) node(i int) object {
	m := machines[i%len(machines)]
	role, taints := "worker", []object(nil)
	if i < 3 {
		m, role = machines[0], "master"
		taints = []object{{"effect": "NoSchedule", "key": "node-role.kubernetes.io/master"}}
	}
	name := nodeName(i)
	zone := "eu-central-1" + string(rune('a'+i%3))
	meta := s.meta("", name, object{
		"beta.kubernetes.io/arch": "amd64", "kubernetes.io/arch": "amd64", "kubernetes.io/hostname": name,
		"kubernetes.io/os": "linux", "node-role.kubernetes.io/" + role: "", "node.kubernetes.io/instance-type": m.name,
		"node.openshift.io/os_id": "rhcos", "topology.kubernetes.io/region": "eu-central-1",
		"topology.kubernetes.io/zone": zone,
	})
	meta["annotations"] = object{
		"machine.openshift.io/machine":                    "openshift-machine-api/" + name,
		"machineconfiguration.openshift.io/currentConfig": "rendered-" + role + "-" + s.text(32),
		"machineconfiguration.openshift.io/state":         "Done",
		"k8s.ovn.org/node-subnets": fmt.Sprintf(`{"default":["10.%d.%d.0/23"]}`, 128+i/128,
			i%128*2),
		"volumes.kubernetes.io/controller-managed-attach-detach": "true",
	}
	spec := object{"providerID": "aws:///" + zone + "/i-" + s.text(17)}
	if taints != nil {
		spec["taints"] = taints
	}
	return object{"apiVersion": "v1", "kind": "Node", "metadata": meta, "spec": spec,
		"status": s.nodeStatus(i, m.cpus, m.memory)}
}

func nodeName(i int) string {
	return fmt.Sprintf("ip-10-0-%d-%d.eu-central-1.compute.internal", i/250, i%250+1)
}

func (s *snapshot) nodeStatus(i, cpus, memory int) object {
	kib := memory<<20 - s.r.IntN(1<<18) // firmware keeps some
	resources := func(cpu string, kib int) object {
		return object{"cpu": cpu, "ephemeral-storage": "125277164Ki", "hugepages-1Gi": "0", "hugepages-2Mi": "0",
			"memory": fmt.Sprintf("%dKi", kib), "pods": "250"}
	}
	var images []object
	for range 40 {
		hash := s.text(60)
		images = append(images, object{"names": []string{"quay.io/example/image@sha256:" + hash},
			"sizeBytes": 50_000_000 + s.r.IntN(900_000_000)})
	}
	return object{
		"addresses": []object{{"address": fmt.Sprintf("10.0.%d.%d", i/250, i%250+1), "type": "InternalIP"},
			{"address": nodeName(i), "type": "Hostname"}},
		"capacity":        resources(fmt.Sprint(cpus), kib),
		"allocatable":     resources(fmt.Sprintf("%dm", cpus*1000-500), kib-1126400),
		"conditions":      conditions("MemoryPressure=False", "DiskPressure=False", "PIDPressure=False", "Ready=True"),
		"daemonEndpoints": object{"kubeletEndpoint": object{"Port": 10250}},
		"images":          images,
		"nodeInfo": object{"architecture": "amd64", "bootID": s.uid(), "containerRuntimeVersion": "cri-o://1.30.4",
			"kernelVersion": "5.14.0-427.37.1.el9_4.x86_64", "kubeletVersion": "v1.30.4", "machineID": s.text(32),
			"operatingSystem": "linux", "osImage": "Red Hat Enterprise Linux CoreOS", "systemUUID": s.uid()},
	}
}
