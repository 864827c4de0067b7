package main

import (
	"fmt"
	"strings"
)

// workload is what pods are made from.
type workload struct {
	kind, namespace, name string
	cpu, memory           int // requests: millicores and MiB
	replicas              int
	limited, sidecar      bool // has limits; has a second container
}

func (a workload) labels() object {
	return object{"app": a.name, "app.kubernetes.io/name": a.name, "app.kubernetes.io/part-of": a.namespace}
}

func (a workload) daemonSet(s *snapshot) object {
	return object{"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": s.meta(a.namespace, a.name, a.labels()),
		"spec": object{"selector": object{"matchLabels": object{"app": a.name}},
			"template": object{"metadata": object{"labels": a.labels()}, "spec": a.podSpec(s, "")}},
		"status": object{"currentNumberScheduled": s.nodes, "desiredNumberScheduled": s.nodes, "numberReady": s.nodes}}
}

func (a workload) deployment(s *snapshot) object {
	return object{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": s.meta(a.namespace, a.name, a.labels()),
		"spec": object{"progressDeadlineSeconds": 600, "replicas": a.replicas, "revisionHistoryLimit": 10,
			"selector": object{"matchLabels": object{"app": a.name}},
			"strategy": object{"rollingUpdate": object{"maxSurge": "25%", "maxUnavailable": "25%"}, "type": "RollingUpdate"},
			"template": object{"metadata": object{"labels": a.labels()}, "spec": a.podSpec(s, "")}},
		"status": object{"availableReplicas": a.replicas, "readyReplicas": a.replicas, "replicas": a.replicas,
			"updatedReplicas": a.replicas,
			"conditions":      conditions("Available=True", "Progressing=True")}}
}

func (a workload) service(s *snapshot) object {
	return object{"apiVersion": "v1", "kind": "Service", "metadata": s.meta(a.namespace, a.name, a.labels()),
		"spec": object{"clusterIP": fmt.Sprintf("172.30.%d.%d", s.r.IntN(256), s.r.IntN(256)),
			"internalTrafficPolicy": "Cluster",
			"ipFamilies":            []string{"IPv4"},
			"ports":                 []object{{"name": "http", "port": 80, "protocol": "TCP", "targetPort": 8080}},
			"selector":              object{"app": a.name}, "sessionAffinity": "None", "type": "ClusterIP"},
		"status": object{"loadBalancer": object{}}}
}

func (a workload) configMap(s *snapshot) object {
	return object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": s.meta(a.namespace, a.name, a.labels()),
		"data": object{"application.yaml": s.text(200 + s.r.IntN(1800))}}
}

func (s *snapshot) pod(a placedPod) object {
	owner, name := a.kind, a.name
	if owner == "Deployment" {
		owner, name = "ReplicaSet", a.name+"-"+s.text(10)
	}
	meta := s.meta(a.namespace, name+"-"+s.text(5), a.labels())
	ip := fmt.Sprintf("10.%d.%d.%d", 128+a.node/128, a.node%128*2, 2+s.r.IntN(250))
	meta["generateName"] = name + "-"
	meta["ownerReferences"] = []object{{"apiVersion": "apps/v1", "blockOwnerDeletion": true, "controller": true,
		"kind": owner, "name": name, "uid": s.uid()}}
	meta["annotations"] = object{
		"k8s.ovn.org/pod-networks": fmt.Sprintf(
			`{"default":{"ip_addresses":["%s/`+
				`23"],"mac_address":"0a:58:0a:80:02:0b","gateway_ips":["10.128.2.1"],"ip_address":"%s/`+
				`23","gateway_ip":"10.128.2.1"}}`, ip, ip),
		"k8s.v1.cni.cncf.io/network-status": "[{\n    \"name\": \"ovn-kubernetes\",\n    \"interface\": \"eth0\",\n" +
			"    \"ips\": [\n        \"" +
			ip + "\"\n    ],\n    \"default\": true,\n    \"dns\": {}\n}]",
		"openshift.io/scc": "restricted-v2", "seccomp.security.alpha.kubernetes.io/pod": "runtime/default",
	}
	return object{"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": a.podSpec(s, nodeName(a.node)),
		"status": s.podStatus(a, ip)}
}

func (a workload) podSpec(s *snapshot, node string) object {
	containers := []object{a.container(s, a.name, a.cpu, a.memory)}
	if a.sidecar {
		containers = append(containers, a.container(s, "proxy", 10, 64))
	}
	spec := object{
		"containers": containers, "dnsPolicy": "ClusterFirst", "enableServiceLinks": true,
		"preemptionPolicy": "PreemptLowerPriority",
		"imagePullSecrets": []object{{"name": "default-dockercfg-x7k2p"}}, "priority": 0, "restartPolicy": "Always",
		"schedulerName": "default-scheduler", "serviceAccount": "default", "serviceAccountName": "default",
		"terminationGracePeriodSeconds": 30,
		"securityContext": object{"fsGroup": 1000640000, "seLinuxOptions": object{"level": "s0:c25,c20"},
			"seccompProfile": object{"type": "RuntimeDefault"}},
		"tolerations": []object{
			{"effect": "NoExecute", "key": "node.kubernetes.io/not-ready", "operator": "Exists", "tolerationSeconds": 300},
			{"effect": "NoExecute", "key": "node.kubernetes.io/unreachable", "operator": "Exists", "tolerationSeconds": 300},
		},
		"volumes": []object{{"configMap": object{"defaultMode": 420, "name": a.name}, "name": "config"}, tokenVolume()},
	}
	if a.kind == "DaemonSet" {
		spec["nodeSelector"] = object{"kubernetes.io/os": "linux"}
		spec["tolerations"] = []object{{"operator": "Exists"}}
	}
	if node != "" {
		spec["nodeName"] = node
	}
	return spec
}

// tokenVolume is the volume that every pod gets for its service account.
func tokenVolume() object {
	file := []object{{"key": "ca.crt", "path": "ca.crt"}}
	return object{"name": "kube-api-access-9xk2w", "projected": object{"defaultMode": 420, "sources": []object{
		{"serviceAccountToken": object{"expirationSeconds": 3607, "path": "token"}},
		{"configMap": object{"items": file, "name": "kube-root-ca.crt"}},
		{"downwardAPI": object{
			"items": []object{{"fieldRef": object{"apiVersion": "v1", "fieldPath": "metadata.namespace"}, "path": "namespace"}},
		}},
		{"configMap": object{"items": file, "name": "openshift-service-ca.crt"}},
	}}}
}

func (a workload) container(s *snapshot, name string, cpu, memory int) object {
	resources := object{"requests": object{"cpu": fmt.Sprintf("%dm", cpu), "memory": fmt.Sprintf("%dMi", memory)}}
	if a.limited {
		resources["limits"] = object{"cpu": fmt.Sprintf("%dm", 2*cpu), "memory": fmt.Sprintf("%dMi", 2*memory)}
	}
	probe := func(path string) object {
		return object{"failureThreshold": 3, "httpGet": object{"path": path, "port": "http", "scheme": "HTTP"},
			"periodSeconds": 10, "successThreshold": 1, "timeoutSeconds": 1}
	}
	var env []object
	for _, key := range []string{"LOG_LEVEL", "DATABASE_URL", "QUEUE_URL", "FEATURES"} {
		env = append(env, object{"name": key, "value": strings.ToLower(key) + "-" + a.name})
	}
	return object{
		"env": env, "image": "quay.io/example/" + a.name + "@sha256:" + s.text(60), "imagePullPolicy": "IfNotPresent",
		"livenessProbe": probe("/healthz"), "readinessProbe": probe("/readyz"), "name": name, "resources": resources,
		"ports": []object{{"containerPort": 8080, "name": "http", "protocol": "TCP"}},
		"securityContext": object{"allowPrivilegeEscalation": false, "capabilities": object{"drop": []string{"ALL"}},
			"runAsNonRoot": true, "runAsUser": 1000640000},
		"terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
		"volumeMounts": []object{
			{"mountPath": "/etc/app", "name": "config", "readOnly": true},
			{"mountPath": "/var/run/secrets/kubernetes.io/serviceaccount", "name": "kube-api-access-9xk2w", "readOnly": true},
		},
	}
}

func (s *snapshot) podStatus(a placedPod, ip string) object {
	running := a.phase == "Running"
	return object{
		"conditions": conditions("PodReadyToStartContainers=True", "Initialized=True", "Ready=True", "ContainersReady=True",
			"PodScheduled=True"),
		"containerStatuses": []object{{"containerID": "cri-o://" + s.text(64), "image": "quay.io/example/" + a.name,
			"imageID":   "quay.io/example/" + a.name + "@sha256:" + s.text(60),
			"lastState": object{}, "name": a.name, "ready": running, "restartCount": s.r.IntN(3), "started": running,
			"state": object{"running": object{"startedAt": "2026-06-01T12:00:00Z"}}}},
		"hostIP": "10.0.0.1", "phase": a.phase, "podIP": ip, "podIPs": []object{{"ip": ip}}, "qosClass": "Burstable",
		"startTime": "2026-06-01T12:00:00Z",
	}
}

// conditions are made from "Type=Status".
func conditions(list ...string) []object {
	var out []object
	for _, c := range list {
		kind, status, _ := strings.Cut(c, "=")
		out = append(out, object{"lastProbeTime": nil, "lastTransitionTime": "2026-06-01T12:00:00Z", "status": status,
			"type": kind})
	}
	return out
}
