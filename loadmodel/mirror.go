package loadmodel

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/internal/words"
)

// mirrored are the kinds that a mirror makes anew, in the order of their creation: what is made by
// hand, and not what controllers make of it.
var mirrored = []string{"ResourceQuota", "LimitRange", "Secret", "ConfigMap", "ServiceAccount", "PersistentVolumeClaim",
	"Service", "ReplicationController", "ReplicaSet", "Deployment", "DeploymentConfig", "StatefulSet", "DaemonSet", "Job",
	"CronJob", "Route", "Ingress", "NetworkPolicy", "PodDisruptionBudget", "HorizontalPodAutoscaler", "ImageStream",
	"BuildConfig", "Pod"}

// Mirrored says whether a mirror makes objects of a kind anew.
func Mirrored(kind string) bool { return slices.Contains(mirrored, kind) }

// MirrorOptions of a mirror.
type MirrorOptions struct {
	// KeepImages leaves the images of containers; otherwise a pause image takes their place, so that
	// nothing is pulled and nothing runs.
	KeepImages bool
	// System takes the namespaces of the platform, too.
	System bool
}

// Mirror is a configuration, with a template for each namespace, that makes the objects of a cluster
// anew. The names of secrets and config maps stay, and how long their values are; the values don't.
type Mirror struct {
	// Config is the configuration, as YAML has it; Templates are by the names of their files.
	Config    map[string]any
	Templates map[string]map[string]any
	// Objects by kind, and Left those that were left out, by kind.
	Objects, Left map[string]int

	opt    MirrorOptions
	spaces map[string][]map[string]any
}

// NewMirror is one without objects.
func NewMirror(opt MirrorOptions) *Mirror {
	return &Mirror{Templates: map[string]map[string]any{}, Objects: map[string]int{}, Left: map[string]int{}, opt: opt,
		spaces: map[string][]map[string]any{}}
}

// Add an object of the cluster. What is not made anew is counted, and not kept.
func (m *Mirror) Add(o map[string]any) {
	kind, _ := o["kind"].(string)
	space := namespaceOf(o)
	switch {
	case kind == "Namespace" || kind == "Project" || kind == "Node" || kind == "Event":
	case !slices.Contains(mirrored, kind), owned(o), space == "", !m.opt.System && IsSystem(space), made(o, kind):
		m.Left[kind]++
	default:
		m.Objects[kind]++
		m.spaces[space] = append(m.spaces[space], mirror(o, kind, m.opt))
	}
}

// Finish makes the configuration and its templates of what was added: the Go program's Cluster Mirror does
// the same with namespaces, pods and templates.
func (m *Mirror) Finish() {
	projects := []any{}
	for _, space := range slices.Sorted(maps.Keys(m.spaces)) {
		list := m.spaces[space]
		slices.SortStableFunc(list, func(a, b map[string]any) int {
			return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(nameOf(a), nameOf(b)))
		})
		file := space + ".json"
		m.Templates[file] = map[string]any{"apiVersion": "template.openshift.io/v1", "kind": "Template",
			"metadata": map[string]any{"name": space}, "objects": list}
		projects = append(projects, map[string]any{"num": 1, "basename": space + "-",
			"templates": []any{map[string]any{"num": 1, "file": file}}})
	}
	m.Config = map[string]any{"provider": "local", "ClusterLoader": map[string]any{"cleanup": true, "projects": projects}}
}

func rank(o map[string]any) int { return slices.Index(mirrored, o["kind"].(string)) }

func nameOf(o map[string]any) string      { return metaText(o, "name") }
func namespaceOf(o map[string]any) string { return metaText(o, "namespace") }

func metaText(o map[string]any, key string) string {
	meta, _ := o["metadata"].(map[string]any)
	text, _ := meta[key].(string)
	return text
}

// owned says that a controller has made an object.
func owned(o map[string]any) bool {
	meta, _ := o["metadata"].(map[string]any)
	owners, _ := meta["ownerReferences"].([]any)
	return len(owners) > 0
}

// made says that each namespace gets such an object by itself.
func made(o map[string]any, kind string) bool {
	name := nameOf(o)
	switch kind {
	case "ServiceAccount":
		return name == "default" || name == "builder" || name == "deployer" || name == "pipeline"
	case "ConfigMap":
		return name == "kube-root-ca.crt" || name == "openshift-service-ca.crt"
	case "Secret":
		of, _ := o["type"].(string)
		return of == "kubernetes.io/service-account-token" || strings.Contains(name, "-dockercfg-")
	}
	return false
}

// IsSystem says whether a namespace is the platform's own.
func IsSystem(namespace string) bool {
	return namespace == "default" || namespace == "openshift" || strings.HasPrefix(namespace, "openshift-") ||
		strings.HasPrefix(namespace, "kube-")
}

// certificates of a Route, and what names the secret of one, which has no certificate when it is made anew.
var certificates = []string{"key", "certificate", "caCertificate", "destinationCACertificate", "externalCertificate"}

// mirror is an object without what the server has written, and without what must not leave the cluster.
func mirror(o map[string]any, kind string, opt MirrorOptions) map[string]any {
	out := copyOf(o)
	meta := map[string]any{"name": nameOf(o)}
	for _, key := range []string{"labels", "annotations"} {
		if m, ok := object(out, "metadata")[key].(map[string]any); ok && len(m) > 0 {
			meta[key] = m
		}
	}
	out["metadata"] = meta
	delete(out, "status")
	if kind == "Secret" || kind == "ConfigMap" {
		hide(out)
	}
	withoutSecrets(out)
	spec := object(out, "spec")
	switch kind {
	case "Service":
		for _, key := range []string{"clusterIP", "clusterIPs", "healthCheckNodePort", "loadBalancerIP"} {
			if spec[key] != "None" {
				delete(spec, key)
			}
		}
		ports, _ := spec["ports"].([]any)
		for _, p := range ports {
			if p, ok := p.(map[string]any); ok {
				delete(p, "nodePort")
			}
		}
	case "PersistentVolumeClaim":
		delete(spec, "volumeName")
	case "Job":
		selected(out, spec)
	case "Route":
		tls, _ := spec["tls"].(map[string]any)
		for _, key := range certificates {
			delete(tls, key)
		}
	case "Pod":
		bare(spec)
	}
	if !opt.KeepImages {
		pauses(out, kind == "Job" || kind == "CronJob")
	}
	if len(spec) == 0 {
		delete(out, "spec")
	}
	return out
}

// ofController are the labels by which the Job controller finds the pods of one Job, by its UID.
var ofController = []string{"controller-uid", "job-name", "batch.kubernetes.io/controller-uid",
	"batch.kubernetes.io/job-name"}

// selected leaves it to the server how a Job finds its pods, if it was the server that chose.
func selected(o, spec map[string]any) {
	if manual, _ := spec["manualSelector"].(bool); manual {
		return
	}
	delete(spec, "selector")
	delete(spec, "manualSelector")
	template, _ := spec["template"].(map[string]any)
	for _, has := range []map[string]any{o, template} {
		meta, _ := has["metadata"].(map[string]any)
		labels, _ := meta["labels"].(map[string]any)
		for _, name := range ofController {
			delete(labels, name)
		}
		if meta["labels"] != nil && len(labels) == 0 {
			delete(meta, "labels")
		}
	}
}

// bare takes from a pod what the scheduler and admission have put in.
func bare(spec map[string]any) {
	for _, key := range []string{"nodeName", "serviceAccountName", "serviceAccount", "imagePullSecrets"} {
		delete(spec, key)
	}
	drop := func(v any) bool {
		m, _ := v.(map[string]any)
		name, _ := m["name"].(string)
		return strings.HasPrefix(name, "kube-api-access-") || strings.HasPrefix(name, "default-token-")
	}
	if volumes, ok := spec["volumes"].([]any); ok {
		spec["volumes"] = slices.DeleteFunc(volumes, drop)
	}
	for _, c := range append(containers(spec), containersIn(spec, "initContainers")...) {
		if mounts, ok := c["volumeMounts"].([]any); ok {
			c["volumeMounts"] = slices.DeleteFunc(mounts, drop)
		}
	}
}

// running are the fields of a container that are made for its own image.
var running = []string{"imagePullPolicy", "command", "args", "livenessProbe", "readinessProbe", "startupProbe",
	"lifecycle"}

// waits is an image that only waits; with the argument -v it tells its version and ends. Source: kubernetes,
// build/pause/linux/pause.c.
const waits = "registry.k8s.io/pause:3.10"

// pauses replaces images wherever there are containers, and takes their commands and probes away. What ends is a
// container of a Job. Init containers would never end and are left out, but for those that run beside the others.
func pauses(v any, ends bool) {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			list, ok := value.([]any)
			switch {
			case ok && key == "containers":
				waiting(list, ends)
			case ok && key == "initContainers":
				list = slices.DeleteFunc(list, func(c any) bool {
					m, _ := c.(map[string]any)
					return m["restartPolicy"] != "Always"
				})
				if v[key] = list; len(list) == 0 {
					delete(v, key)
				}
				waiting(list, false)
			default:
				pauses(value, ends)
			}
		}
	case []any:
		for _, item := range v {
			pauses(item, ends)
		}
	}
}

// waiting makes containers wait, or end at once.
func waiting(list []any, ends bool) {
	for _, c := range list {
		c, ok := c.(map[string]any)
		if !ok || c["image"] == nil {
			continue
		}
		c["image"] = waits
		for _, gone := range running {
			delete(c, gone)
		}
		if ends {
			c["args"] = []any{"-v"}
		}
	}
}

// Summary says what the mirror makes.
func (m *Mirror) Summary() string {
	objects, left := 0, 0
	for _, n := range m.Objects {
		objects += n
	}
	for _, n := range m.Left {
		left += n
	}
	return fmt.Sprintf("%s of %s; %s made by controllers or the platform, or of other kinds",
		words.Count(objects, "object"), words.Count(len(m.Templates), "namespace"),
		words.Count(left, "other is", "others are"))
}
