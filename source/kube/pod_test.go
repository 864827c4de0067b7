package kube

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPods reads one pod each. The first ones are the examples of the documents.
func TestPods(t *testing.T) {
	tests := []struct{ name, spec, want string }{
		{"OCP 7.3, first", `
  containers:
  - name: nginx
    image: nginx`,
			"p x1 BestEffort cpu=0 mem=0"},
		{"OCP 7.3, second", `
  containers:
  - name: nginx
    image: nginx
    resources:
      limits:
        memory: "200Mi"
      requests:
        memory: "100Mi"`,
			"p x1 Burstable cpu=0 mem=100Mi memLimit=200Mi"},
		{"OCP 7.3, third", `
  containers:
  - name: nginx
    image: nginx
    resources:
      limits:
        memory: "200Mi"
        cpu: "2"
        example.com/device: "1"
      requests:
        memory: "200Mi"
        cpu: "2"
        example.com/device: "1"`,
			"p x1 Guaranteed cpu=2 mem=200Mi cpuLimit=2 memLimit=200Mi example.com/device=1"},
		{"OCP 6.1", `
  containers:
  - name: cpumanager
    image: gcr.io/google_containers/pause-amd64:3.0
    resources:
      requests:
        cpu: 1
        memory: "1G"
      limits:
        cpu: 1
        memory: "1G"
  nodeSelector:
    cpumanager: "true"`,
			"p x1 Guaranteed cpu=1 mem=1G cpuLimit=1 memLimit=1G on:cpumanager=true"},
		{"OCP 13.2", `
  containers:
  - securityContext:
      privileged: true
    image: rhel7:latest
    name: example
    volumeMounts:
    - mountPath: /dev/hugepages
      name: hugepage
    resources:
      limits:
        hugepages-2Mi: 100Mi
        memory: "1Gi"
        cpu: "1"
  volumes:
  - name: hugepage
    emptyDir:
      medium: HugePages`,
			"p x1 Guaranteed cpu=1 mem=1Gi cpuLimit=1 memLimit=1Gi pages-2Mi=100Mi"},
		{"one container without limits is not Guaranteed", `
  containers:
  - resources: {limits: {cpu: 1, memory: 1Gi}}
  - {}`,
			"p x1 Burstable cpu=1 mem=1Gi containers=2"},
		{"an init container counts for the class", `
  initContainers: [{}]
  containers:
  - resources: {limits: {cpu: 1, memory: 1Gi}}`,
			"p x1 Burstable cpu=1 mem=1Gi cpuLimit=1 memLimit=1Gi"},
		{"devices do not count for the class", `
  containers:
  - resources: {limits: {nvidia.com/gpu: 2, hugepages-1Gi: 4Gi}}`,
			"p x1 BestEffort cpu=0 mem=0 pages-1Gi=4Gi nvidia.com/gpu=2"},
		{"requests of zero are none", `
  containers:
  - resources: {requests: {cpu: 0, memory: 0}}`,
			"p x1 BestEffort cpu=0 mem=0"},
		{"the largest init container or the sum", `
  initContainers:
  - resources: {requests: {cpu: 3, memory: 100Mi}}
  - resources: {requests: {cpu: 1, memory: 50Mi}}
  containers:
  - resources: {requests: {cpu: 1, memory: 200Mi, ephemeral-storage: 1Gi}}
  - resources: {requests: {cpu: 500m, memory: 100Mi}}`,
			"p x1 Burstable cpu=3 mem=300Mi disk=1Gi containers=2"},
		{"sidecars run beside what comes after them", `
  initContainers:
  - {restartPolicy: Always, resources: {requests: {cpu: 1}}}
  - {resources: {requests: {cpu: 2}}}
  - {restartPolicy: Always, resources: {requests: {cpu: 500m}}}
  containers:
  - resources: {requests: {cpu: 1}}`,
			"p x1 Burstable cpu=3 mem=0 containers=3"},
		{"overhead is added", `
  overhead: {cpu: 250m, memory: 120Mi}
  containers:
  - resources: {limits: {cpu: 1, memory: 1Gi}}`,
			"p x1 Guaranteed cpu=1250m mem=1144Mi cpuLimit=1250m memLimit=1144Mi"},
		{"resources of the pod take the place of the containers'", `
  resources: {requests: {cpu: 3}, limits: {cpu: 4, memory: 2Gi}}
  containers:
  - resources: {requests: {cpu: 1, memory: 1Gi}}`,
			"p x1 Burstable cpu=3 mem=1Gi cpuLimit=4 memLimit=2Gi"},
		{"CPU is rounded up to a millicore", `
  containers:
  - resources: {requests: {cpu: 100u}}
  - resources: {requests: {cpu: 100u}}`,
			"p x1 Burstable cpu=2m mem=0 containers=2"},
		{"a host port is one per node", `
  containers:
  - ports: [{containerPort: 80, hostPort: 8080}]`,
			"p x1 BestEffort cpu=0 mem=0 perNode=1"},
		{"ports of the host network are host ports", `
  hostNetwork: true
  containers:
  - ports: [{containerPort: 80}]`,
			"p x1 BestEffort cpu=0 mem=0 perNode=1"},
		{"ports alone are not", `
  containers:
  - ports: [{containerPort: 80}]`,
			"p x1 BestEffort cpu=0 mem=0"},
		{"tolerations without those that every pod gets", `
  containers: [{}]
  tolerations:
  - {key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, tolerationSeconds: 300}
  - {key: infra, operator: Exists, effect: NoSchedule}
  - {key: team, value: a}
  - {operator: Exists}`,
			"p x1 BestEffort cpu=0 mem=0 tolerates:infra:NoSchedule tolerates:team=a: tolerates::"},
		{"a generated volume", `
  containers: [{}]
  volumes:
  - name: scratch
    ephemeral: {volumeClaimTemplate: {spec: {resources: {requests: {storage: 5Gi}}}}}`,
			"p x1 BestEffort cpu=0 mem=0 storage=5Gi"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			inv := manifests(t, "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:"+test.spec)
			if diff := cmp.Diff([]string{test.want}, lines(inv)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(inv.Skipped) > 0 {
				t.Errorf("skipped %q", skips(inv))
			}
		})
	}
}

func TestAffinity(t *testing.T) {
	const demand = "requiredDuringSchedulingIgnoredDuringExecution"
	node := func(terms string) string {
		return "nodeAffinity: {" + demand + ": {nodeSelectorTerms: [" + terms + "]}}"
	}
	anti := func(term string) string { return "podAntiAffinity: {" + demand + ": [{" + term + "}]}" }
	tests := []struct{ name, affinity, want, skipped string }{
		{"a single value", node("{matchExpressions: [{key: disk, operator: In, values: [ssd]}]}"), "on:disk=ssd", ""},
		{"a role", node("{matchExpressions: [{key: node-role.kubernetes.io/infra, operator: Exists}]}"),
			"on:node-role.kubernetes.io/infra=", ""},
		{"several values", node("{matchExpressions: [{key: disk, operator: In, values: [ssd, nvme]}]}"), "",
			"required node affinity disk In ssd,nvme"},
		{"a negation", node("{matchExpressions: [{key: gpu, operator: DoesNotExist}]}"), "",
			"required node affinity gpu DoesNotExist"},
		{"alternatives", node("{matchExpressions: [{key: a, operator: Exists}]}, {matchExpressions: " +
			"[{key: b, operator: Exists}]}"), "", "required node affinity with 2 alternatives"},
		{"preferred", "nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: {}}]}",
			"", ""},
		{"itself, by host", anti("topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: web}}"),
			"perNode=1", ""},
		{"itself, by expression", anti("topologyKey: kubernetes.io/hostname, labelSelector: {matchExpressions: [{key: " +
			"app, operator: In, values: [web, db]}, {key: tier, operator: Exists}]}"), "perNode=1", ""},
		{"everything", anti("topologyKey: kubernetes.io/hostname, labelSelector: {}"), "perNode=1", ""},
		{"itself in its namespace", anti("topologyKey: kubernetes.io/hostname, namespaces: " +
			"[shop], labelSelector: {matchLabels: {app: web}}"), "perNode=1", ""},
		{"in another namespace", anti("topologyKey: kubernetes.io/hostname, namespaces: " +
			"[other], labelSelector: {matchLabels: {app: web}}"), "", "required pod anti-affinity by kubernetes.io/hostname"},
		{"itself in all namespaces", anti("topologyKey: kubernetes.io/hostname, namespaceSelector: " +
			"{}, labelSelector: {matchLabels: {app: web}}"), "perNode=1", ""},
		{"in chosen namespaces", anti("topologyKey: kubernetes.io/hostname, namespaceSelector: {matchLabels: {a: " +
			"b}}, labelSelector: {matchLabels: {app: web}}"), "", "required pod anti-affinity by kubernetes.io/hostname"},
		{"itself, for it lacks a label",
			anti("topologyKey: kubernetes.io/hostname, labelSelector: {matchExpressions: [{key: " +
				"gone, operator: DoesNotExist}]}"), "perNode=1", ""},
		{"others", anti("topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: db}}"), "",
			"required pod anti-affinity by kubernetes.io/hostname"},
		{"not itself", anti("topologyKey: kubernetes.io/hostname, labelSelector: {matchExpressions: [{key: " +
			"app, operator: NotIn, values: [web]}]}"), "", "required pod anti-affinity by kubernetes.io/hostname"},
		{"by zone", anti("topologyKey: topology.kubernetes.io/zone, labelSelector: {matchLabels: {app: web}}"), "",
			"required pod anti-affinity by topology.kubernetes.io/zone"},
		{"pod affinity", "podAffinity: {" + demand + ": [{topologyKey: kubernetes.io/hostname}]}", "",
			"required pod affinity"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			inv := manifests(t, "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: shop, labels: {app: web, tier: "+
				"front}}\nspec: {containers: [{}], affinity: {"+test.affinity+"}}")
			want := strings.TrimSpace("shop/p x1 BestEffort cpu=0 mem=0 " + test.want)
			if diff := cmp.Diff([]string{want}, lines(inv)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			var skipped []string
			if test.skipped != "" {
				skipped = []string{"a.yaml:1: Pod shop/p: not counted: " + test.skipped}
			}
			if diff := cmp.Diff(skipped, skips(inv)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestNotCounted are demands of a pod that the plan does not know.
func TestNotCounted(t *testing.T) {
	inv := manifests(t, `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 3
  template:
    spec:
      nodeName: node-7
      runtimeClassName: kata
      nodeSelector: {kubernetes.io/hostname: node-7, disk: ssd}
      resourceClaims: [{name: gpu}]
      topologySpreadConstraints:
      - {topologyKey: kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule, maxSkew: 1}
      - {topologyKey: zone, whenUnsatisfiable: ScheduleAnyway, maxSkew: 1}
      containers: [{}]
`)
	if diff := cmp.Diff([]string{"shop/web x3 BestEffort cpu=0 mem=0 on:disk=ssd"}, lines(inv)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	const at = "a.yaml:1: Deployment shop/web: not counted: "
	want := []string{
		at + "node selector kubernetes.io/hostname=node-7 (3)",
		at + "resource claims (dynamic resource allocation) (3)",
		at + "spread constraint by kubernetes.io/hostname (3)",
		at + "that the pod is bound to node node-7 (3)",
		at + "the overhead and the nodes of runtime class kata, which is not in the input (3)",
	}
	if diff := cmp.Diff(want, skips(inv)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
