package workers

import (
	"fmt"
	"path"

	"plimsoll.dev/engine/apiserver"
	"plimsoll.dev/engine/load"
	"plimsoll.dev/loadmodel"
)

// Options of the workers.
type Options struct {
	// Image that has plimsoll as its entry point.
	Image string
	// Elsewhere says that the workers run in another cluster than the one under test; Kubeconfig is then the
	// whole of a kubeconfig of that.
	Elsewhere  bool
	Kubeconfig []byte
	// Resources are those that the work creates objects of, Rules the workers' rights, in the cluster under test.
	Resources []apiserver.Resource
	Rules     []Rule
}

const (
	account = "worker"
	job     = "load"
	mounted = "/etc/plimsoll"
	access  = "/etc/plimsoll-access"
	taskKey = "task.json.gz"
)

// Namespace of the workers of a run.
func Namespace(run string) string { return "plimsoll-load-" + run }

// grace is how long a worker may take to end the requests under way, in seconds.
const grace = 90

// Manifests are what runs the workers, in the order in which they are to be created: those of home, and those of the
// cluster under test.
func Manifests(task *Task, opt Options) (home, target []loadmodel.Object, err error) {
	bundle, err := task.pack()
	if err != nil {
		return nil, nil, err
	}
	m := maker{run: task.Load.RunID, namespace: Namespace(task.Load.RunID)}
	home = []loadmodel.Object{
		m.object("v1", "Namespace", "", m.namespace, map[string]any{}, map[string]any{
			"pod-security.kubernetes.io/enforce": "restricted"}),
		m.object("v1", "ServiceAccount", m.namespace, account, nil, nil),
		m.object("rbac.authorization.k8s.io/v1", "Role", m.namespace, account, map[string]any{"rules": []any{
			Rule{Groups: []string{"batch"}, Resources: []string{"jobs"}, Verbs: []string{"get"}}.Body(),
			Rule{Groups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"create"}}.Body()}}, nil),
		m.binding("RoleBinding", m.namespace, account, "Role"),
		m.object("v1", "ConfigMap", m.namespace, "task", map[string]any{"binaryData": map[string]any{taskKey: bundle}}, nil),
	}
	if opt.Elsewhere {
		home = append(home, m.object("v1", "Secret", m.namespace, "access",
			map[string]any{"data": map[string]any{"kubeconfig": opt.Kubeconfig}}, nil))
	} else {
		var rules []any
		for _, r := range opt.Rules {
			rules = append(rules, r.Body())
		}
		target = []loadmodel.Object{
			m.object("rbac.authorization.k8s.io/v1", "ClusterRole", "", m.namespace, map[string]any{"rules": rules}, nil),
			m.binding("ClusterRoleBinding", "", m.namespace, "ClusterRole"),
		}
	}
	spec := m.job(task, opt)
	return append(home, m.object("batch/v1", "Job", m.namespace, job, map[string]any{"spec": spec}, nil)), target, nil
}

// maker makes the objects of one run.
type maker struct{ run, namespace string }

func (m maker) object(apiVersion, kind, namespace, name string, body, labels map[string]any) loadmodel.Object {
	meta := map[string]any{"name": name}
	all := map[string]any{load.RunLabel: m.run}
	for k, v := range labels {
		all[k] = v
	}
	meta["labels"] = all
	if namespace != "" {
		meta["namespace"] = namespace
	}
	out := map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": meta}
	for k, v := range body {
		out[k] = v
	}
	return loadmodel.Object{APIVersion: apiVersion, Kind: kind, Name: name, Body: out}
}

// binding of a role to the workers' account.
func (m maker) binding(kind, namespace, name, role string) loadmodel.Object {
	return m.object("rbac.authorization.k8s.io/v1", kind, namespace, name, map[string]any{
		"roleRef":  map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": role, "name": name},
		"subjects": []any{map[string]any{"kind": "ServiceAccount", "name": account, "namespace": m.namespace}}}, nil)
}

// job is the Indexed Job's spec. A worker that fails is not run again: its share would be measured twice.
func (m maker) job(task *Task, opt Options) map[string]any {
	args := []any{"load", "worker", path.Join(mounted, taskKey), "--job", m.namespace + "/" + job}
	volumes := []any{map[string]any{"name": "task", "configMap": map[string]any{"name": "task"}}}
	mounts := []any{map[string]any{"name": "task", "mountPath": mounted, "readOnly": true}}
	if opt.Elsewhere {
		args = append(args, "--kubeconfig", path.Join(access, "kubeconfig"))
		volumes = append(volumes, map[string]any{"name": "access", "secret": map[string]any{"secretName": "access"}})
		mounts = append(mounts, map[string]any{"name": "access", "mountPath": access, "readOnly": true})
	}
	labels := map[string]any{load.RunLabel: m.run, "app.kubernetes.io/name": "plimsoll-load"}
	pod := map[string]any{"restartPolicy": "Never", "serviceAccountName": account,
		"terminationGracePeriodSeconds": grace, "volumes": volumes,
		"securityContext": map[string]any{"runAsNonRoot": true, "seccompProfile": map[string]any{"type": "RuntimeDefault"}},
		"topologySpreadConstraints": []any{map[string]any{"maxSkew": 1, "topologyKey": "kubernetes.io/hostname",
			"whenUnsatisfiable": "ScheduleAnyway", "labelSelector": map[string]any{"matchLabels": labels}}},
		"containers": []any{map[string]any{"name": "worker", "image": opt.Image, "args": args, "volumeMounts": mounts,
			"workingDir":               "/", // below which all absolute paths of the configuration are
			"terminationMessagePolicy": "FallbackToLogsOnError",
			"resources": map[string]any{"requests": map[string]any{"cpu": "500m", "memory": "256Mi"},
				"limits": map[string]any{"memory": "2Gi"}},
			"securityContext": map[string]any{"allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true,
				"capabilities": map[string]any{"drop": []any{"ALL"}}}}}}
	return map[string]any{"completionMode": "Indexed", "completions": task.Workers, "parallelism": task.Workers,
		"backoffLimit": 0, "template": map[string]any{"metadata": map[string]any{"labels": labels}, "spec": pod}}
}

// says names an object.
func says(o loadmodel.Object) string { return fmt.Sprintf("%s %s", o.Kind, o.Name) }
