package netjobs

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"plimsoll.dev/bench/network"
	"plimsoll.dev/engine/load"
	"plimsoll.dev/engine/netmeter"
	"plimsoll.dev/loadmodel"
)

// Options of a run.
type Options struct {
	RunID string
	// Image that has plimsoll as its entry point.
	Image string
	// Between says which nodes the pods are on, one of Ways; ClientNode and ServerNode name them, if that is "nodes".
	Between                string
	ClientNode, ServerNode string
	// HostNetwork has both pods in their nodes' network namespaces, Service the client reach the server by a
	// cluster IP.
	HostNetwork, Service bool
	// External is the address of a server outside the cluster, in place of one in it.
	External string
	// CPUs that each pod has to itself where the kubelet's CPU manager is static; they are requested in any case.
	CPUs       int
	Parameters network.Parameters
	Congestion string
	// Patience is how long pods may take to begin.
	Patience time.Duration
}

// Ways in which client and server can be placed.
func Ways() []string { return []string{"same-node", "same-zone", "across-zones", "nodes"} }

// Check finds all that is wrong with the options.
func (o Options) Check() []error {
	var out []error
	bad := func(format string, args ...any) { out = append(out, fmt.Errorf(format, args...)) }
	if o.Image == "" {
		bad("a cluster needs an --image to run; the Containerfile in the source makes one")
	}
	if o.CPUs < 1 || o.CPUs > 1024 {
		bad("%d CPUs for each pod (1 to 1024)", o.CPUs)
	}
	switch {
	case !slices.Contains(Ways(), o.Between):
		bad("--between %q is not one of %s", o.Between, strings.Join(Ways(), ", "))
	case o.Between == "nodes" && (o.ClientNode == "" || o.ServerNode == "" && o.External == ""):
		bad("--between nodes needs --nodes CLIENT:SERVER")
	case o.Between != "nodes" && o.ClientNode+o.ServerNode != "":
		bad("--nodes stands beside --between nodes")
	case o.External != "" && o.Service:
		bad("--service is of a server in the cluster: it can't stand beside --external")
	case o.HostNetwork && o.Between == "same-node" && o.External == "":
		bad("two pods in the host network of one node speak by its loopback device: nothing of a network is measured")
	}
	return out
}

const (
	clientName = "client"
	serverName = "server"
	hostTopic  = "kubernetes.io/hostname"
	zoneTopic  = "topology.kubernetes.io/zone"
	// leftOver is how long Jobs may run beyond what is measured before the cluster ends them, in seconds.
	leftOver = 900
)

// Namespace of a run.
func Namespace(run string) string { return "plimsoll-bench-" + run }

// Manifests are all objects of a run in the order in which they are to be created. The client reaches the
// server by name.
func Manifests(o Options) []loadmodel.Object {
	at := o.External
	objects := o.server()
	if at == "" {
		at = net.JoinHostPort(serverName+"."+Namespace(o.RunID)+".svc", strconv.Itoa(netmeter.Port))
	}
	return append(objects, o.client(at))
}

// server is what must be there before the client begins.
func (o Options) server() []loadmodel.Object {
	security := "restricted"
	if o.HostNetwork {
		security = "privileged"
	}
	out := []loadmodel.Object{o.object("v1", "Namespace", "", Namespace(o.RunID), nil,
		map[string]any{"pod-security.kubernetes.io/enforce": security})}
	if o.External != "" {
		return out
	}
	pod := o.pod(serverName, o.ServerNode, "bench", "network", "server", "--listen", fmt.Sprintf(":%d", netmeter.Port))
	container := pod["containers"].([]any)[0].(map[string]any)
	// A startup probe, and no readiness probe: it is over when the measurement begins.
	container["startupProbe"] = map[string]any{"tcpSocket": map[string]any{"port": netmeter.Port},
		"periodSeconds": 1, "failureThreshold": 60}
	container["ports"] = []any{map[string]any{"name": "bench", "containerPort": netmeter.Port}}
	spec := map[string]any{"selector": o.labels(serverName),
		"ports": []any{map[string]any{"name": "bench", "port": netmeter.Port, "targetPort": netmeter.Port}}}
	if !o.Service {
		spec["clusterIP"] = "None" // a name for the pod's own address
	}
	return append(out, o.job(serverName, pod),
		o.object("v1", "Service", Namespace(o.RunID), serverName, map[string]any{"spec": spec}, nil))
}

// client measures against an address.
func (o Options) client(at string) loadmodel.Object {
	args := []string{"bench", "network", "--server", at, "--exit-zero", "--quiet", "-o", "json",
		"--repetitions", strconv.Itoa(o.Parameters.Repetitions), "--duration", o.Parameters.Duration.String(),
		"--warmup", o.Parameters.Warmup.String()}
	for _, c := range o.Parameters.Cells {
		args = append(args, "--cell", c.Name())
	}
	if o.Congestion != "" {
		args = append(args, "--congestion", o.Congestion)
	}
	pod := o.pod(clientName, o.ClientNode, args...)
	if o.External == "" && o.Between != "nodes" {
		pod["affinity"] = o.affinity()
	}
	return o.job(clientName, pod)
}

// affinity of the client to the server.
func (o Options) affinity() map[string]any {
	term := func(topic string) []any {
		return []any{map[string]any{"topologyKey": topic,
			"labelSelector": map[string]any{"matchLabels": o.labels(serverName)}}}
	}
	near := func(topic string) map[string]any {
		return map[string]any{"requiredDuringSchedulingIgnoredDuringExecution": term(topic)}
	}
	switch o.Between {
	case "same-node":
		return map[string]any{"podAffinity": near(hostTopic)}
	case "same-zone":
		return map[string]any{"podAffinity": near(zoneTopic), "podAntiAffinity": near(hostTopic)}
	}
	return map[string]any{"podAntiAffinity": near(zoneTopic)}
}

func (o Options) labels(end string) map[string]any {
	return map[string]any{load.RunLabel: o.RunID, "app.kubernetes.io/name": "plimsoll-bench",
		"app.kubernetes.io/component": end}
}

// pod of an end, on a node if that is given. Its requests are its limits and whole CPUs, so that a static CPU manager
// gives it CPUs of its own.
func (o Options) pod(end, node string, args ...string) map[string]any {
	list := make([]any, len(args))
	for i, a := range args {
		list[i] = a
	}
	resources := map[string]any{"cpu": strconv.Itoa(o.CPUs), "memory": "512Mi"}
	pod := map[string]any{"restartPolicy": "Never", "automountServiceAccountToken": false,
		"securityContext": map[string]any{"runAsNonRoot": true, "seccompProfile": map[string]any{"type": "RuntimeDefault"}},
		"containers": []any{map[string]any{"name": end, "image": o.Image, "args": list,
			"terminationMessagePolicy": "FallbackToLogsOnError",
			"resources":                map[string]any{"requests": resources, "limits": resources},
			"securityContext": map[string]any{"allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true,
				"capabilities": map[string]any{"drop": []any{"ALL"}}}}}}
	if o.HostNetwork {
		pod["hostNetwork"], pod["dnsPolicy"] = true, "ClusterFirstWithHostNet"
	}
	if node != "" {
		pod["affinity"] = map[string]any{"nodeAffinity": map[string]any{
			"requiredDuringSchedulingIgnoredDuringExecution": map[string]any{"nodeSelectorTerms": []any{map[string]any{
				"matchFields": []any{map[string]any{"key": "metadata.name", "operator": "In", "values": []any{node}}}}}}}}
	}
	return pod
}

// job of an end. A client that came before its server is started again; the cluster ends both in the end, also where
// whoever started them is gone.
func (o Options) job(end string, pod map[string]any) loadmodel.Object {
	again := 0
	if end == clientName {
		again = 4
	}
	deadline := int(o.Parameters.Time().Seconds()) + leftOver
	return o.object("batch/v1", "Job", Namespace(o.RunID), end, map[string]any{"spec": map[string]any{
		"backoffLimit": again, "activeDeadlineSeconds": deadline,
		"template": map[string]any{"metadata": map[string]any{"labels": o.labels(end)}, "spec": pod}}}, nil)
}

func (o Options) object(apiVersion, kind, namespace, name string, body, labels map[string]any) loadmodel.Object {
	all := map[string]any{load.RunLabel: o.RunID}
	for k, v := range labels {
		all[k] = v
	}
	meta := map[string]any{"name": name, "labels": all}
	if namespace != "" {
		meta["namespace"] = namespace
	}
	out := map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": meta}
	for k, v := range body {
		out[k] = v
	}
	return loadmodel.Object{APIVersion: apiVersion, Kind: kind, Name: name, Body: out}
}
