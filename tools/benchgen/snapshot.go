package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
)

// object is a Kubernetes object. Maps print with sorted keys, as kubectl does.
type object = map[string]any

// daemons run a pod on every node: their CPU in millicores and memory in MiB.
var daemons = []struct {
	namespace, name string
	cpu, memory     int
}{
	{"openshift-ovn-kubernetes", "ovnkube-node", 80, 1630},
	{"openshift-multus", "multus", 10, 65},
	{"openshift-multus", "multus-additional-cni-plugins", 10, 10},
	{"openshift-multus", "network-metrics-daemon", 20, 120},
	{"openshift-dns", "dns-default", 60, 110},
	{"openshift-dns", "node-resolver", 5, 21},
	{"openshift-ingress-canary", "ingress-canary", 10, 20},
	{"openshift-image-registry", "node-ca", 10, 10},
	{"openshift-machine-config-operator", "machine-config-daemon", 40, 100},
	{"openshift-monitoring", "node-exporter", 9, 47},
	{"openshift-network-diagnostics", "network-check-target", 10, 15},
	{"openshift-network-operator", "iptables-alerter", 10, 65},
	{"openshift-cluster-csi-drivers", "aws-ebs-csi-driver-node", 30, 150},
	{"openshift-cluster-node-tuning-operator", "tuned", 10, 50},
	{"openshift-cluster-storage-operator", "csi-snapshot-webhook-agent", 10, 20},
}

// snapshot is a made-up cluster. kubectl prints kind by kind; the pods come
// last and are made one by one, so that the largest cluster needs no memory.
type snapshot struct {
	r       *rand.Rand
	nodes   int
	objects map[string][]object // by kind
	pods    []placedPod
}

// placedPod is a pod of a workload on the node with the given number.
type placedPod struct {
	workload
	node  int
	phase string
}

// kinds in the order in which kubectl was asked for them; pods follow.
var kinds = []string{"Node", "Namespace", "DaemonSet", "Deployment", "Service", "ConfigMap"}

// writeSnapshot writes what "kubectl get nodes,namespaces,daemonsets,
// deployments,services,configmaps,pods -A -o json" would print of a cluster.
func writeSnapshot(w io.Writer, nodes, pods int) error {
	s := &snapshot{r: rand.New(rand.NewPCG(seed, 2)), nodes: nodes, objects: map[string][]object{}}
	for i := range nodes {
		s.put(s.node(i))
	}
	s.daemonSets()
	s.applications(pods - nodes*len(daemons))
	fmt.Fprint(w, "{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n")
	for _, kind := range kinds {
		for _, o := range s.objects[kind] {
			if err := item(w, o, ",\n"); err != nil {
				return err
			}
		}
	}
	for i, p := range s.pods {
		end := ",\n"
		if i == len(s.pods)-1 {
			end = "\n"
		}
		if err := item(w, s.pod(p), end); err != nil {
			return err
		}
	}
	_, err := fmt.Fprint(w, "    ],\n    \"kind\": \"List\",\n    \"metadata\": {\n"+
		"        \"resourceVersion\": \"\"\n    }\n}\n")
	return err
}

// item writes an object as kubectl indents it.
func item(w io.Writer, o object, end string) error {
	text, err := json.MarshalIndent(o, "        ", "    ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "        %s%s", text, end)
	return err
}

func (s *snapshot) put(o object) {
	kind := o["kind"].(string)
	s.objects[kind] = append(s.objects[kind], o)
}

func (s *snapshot) daemonSets() {
	seen := map[string]bool{}
	for _, d := range daemons {
		if !seen[d.namespace] {
			seen[d.namespace] = true
			s.namespace(d.namespace)
		}
		owner := workload{kind: "DaemonSet", namespace: d.namespace, name: d.name, cpu: d.cpu, memory: d.memory}
		s.put(owner.daemonSet(s))
		for node := range s.nodes {
			s.pods = append(s.pods, placedPod{owner, node, "Running"})
		}
	}
}

// applications makes deployments with their services and config maps, 20 in a
// namespace, until all pods are placed. Two pods in a hundred have ended.
func (s *snapshot) applications(pods int) {
	var namespace string
	for i := 0; pods > 0; i++ {
		if i%20 == 0 {
			namespace = fmt.Sprintf("team-%04d", i/20)
			s.namespace(namespace)
		}
		app := s.application(namespace, i)
		app.replicas = min(pods, 1+int(s.r.ExpFloat64()*8))
		s.put(app.deployment(s))
		s.put(app.configMap(s))
		if s.r.IntN(10) < 7 {
			s.put(app.service(s))
		}
		for range app.replicas {
			phase := "Running"
			if s.r.IntN(50) == 0 {
				phase = "Succeeded"
			}
			pods--
			node := 3 + pods%(s.nodes-3) // the first three are the control plane
			s.pods = append(s.pods, placedPod{app, node, phase})
		}
	}
}

func (s *snapshot) application(namespace string, i int) workload {
	cpu := pick(s.r, 20, 50, 100, 100, 200, 300, 500, 1000)
	return workload{
		kind: "Deployment", namespace: namespace,
		name: fmt.Sprintf("%s-%05d", pick(s.r, "web", "api", "worker", "cache", "auth", "report"), i),
		cpu:  cpu, memory: cpu * pick(s.r, 1, 2, 2, 4), limited: s.r.IntN(3) > 0, sidecar: s.r.IntN(4) == 0,
	}
}

// namespace makes a namespace and the config maps that every namespace has.
func (s *snapshot) namespace(name string) {
	s.put(object{"apiVersion": "v1", "kind": "Namespace", "metadata": s.meta("", name, nil),
		"spec": object{"finalizers": []string{"kubernetes"}}, "status": object{"phase": "Active"}})
	for _, ca := range []string{"kube-root-ca.crt", "openshift-service-ca.crt"} {
		s.put(object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": s.meta(name, ca, nil),
			"data": object{"ca-bundle.crt": s.text(1400)}})
	}
}

// meta is an object's metadata. The time of creation is drawn, not taken from
// the clock.
func (s *snapshot) meta(namespace, name string, labels object) object {
	m := object{
		"creationTimestamp": fmt.Sprintf("2026-%02d-%02dT%02d:%02d:00Z", 1+s.r.IntN(6), 1+s.r.IntN(28), s.r.IntN(24),
			s.r.IntN(60)),
		"name":            name,
		"resourceVersion": fmt.Sprint(100000000 + s.r.IntN(900000000)),
		"uid":             s.uid(),
	}
	if namespace != "" {
		m["namespace"] = namespace
	}
	if len(labels) > 0 {
		m["labels"] = labels
	}
	return m
}

func (s *snapshot) uid() string {
	a, b := s.r.Uint64(), s.r.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x", a>>32, a>>16&0xffff, a&0xfff, b>>48, b&0xffffffffffff)
}

const letters = "abcdefghijklmnopqrstuvwxyz0123456789"

// text draws n letters and digits, with a line break after each 64.
func (s *snapshot) text(n int) string {
	b := make([]byte, n)
	for i := range b {
		if i%65 == 64 {
			b[i] = '\n'
			continue
		}
		b[i] = letters[s.r.IntN(len(letters))]
	}
	return string(b)
}
