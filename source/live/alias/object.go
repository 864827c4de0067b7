package alias

import (
	"strings"

	"plimsoll.dev/loadmodel"
)

// object is one object on its way.
type object struct {
	*Names
	kind, namespace, node string
	hash                  string // that its ReplicaSet ends with
}

// common are kinds whose objects the platform, or everybody, names alike.
var common = map[string]bool{"MachineConfigPool": true, "PriorityClass": true, "RuntimeClass": true,
	"StorageClass": true, "CSIDriver": true, "ClusterVersion": true, "Network": true}

// Object puts pseudonyms into an object, as encoding/json makes it.
func (n *Names) Object(o map[string]any) {
	meta, _ := o["metadata"].(map[string]any)
	spec, _ := o["spec"].(map[string]any)
	labels, _ := meta["labels"].(map[string]any)
	x := &object{Names: n}
	x.kind, _ = o["kind"].(string)
	x.namespace, _ = meta["namespace"].(string)
	x.node, _ = spec["nodeName"].(string)
	for key := range hashes {
		if hash, _ := labels[key].(string); hash != "" && strings.HasSuffix(key, "template-hash") {
			x.hash = hash
		}
	}
	if node, _ := meta["name"].(string); x.kind == "Node" {
		n.nodes[node] = true
	}
	if x.node != "" {
		n.nodes[x.node] = true
	}
	x.metadata(meta)
	for _, part := range []string{"spec", "status", "scheduling", "allowedTopologies"} {
		x.walk(o[part], part)
	}
}

// local is the name of the object in its namespace.
func (x *object) local(name string) string {
	switch stem, ok := strings.CutSuffix(name, "-"+x.node); {
	case platformHas(x.namespace):
		return x.withoutNodes(name)
	case ok && x.node != "": // a static pod, or one for a node
		return x.local(stem) + "-" + x.name(x.node)
	}
	if stem, ok := strings.CutSuffix(name, "-"+x.hash); ok && x.hash != "" {
		return x.name(stem) + "-" + x.hash
	}
	return x.name(name)
}

// withoutNodes is a name that the platform has given, with pseudonyms for the nodes that are named in it.
func (n *Names) withoutNodes(name string) string {
	for from := 0; from < len(name); from++ {
		if from > 0 && name[from-1] != '-' {
			continue
		}
		for to := len(name); to > from; to = max(from, strings.LastIndexByte(name[:to], '-')) {
			if node := name[from:to]; n.nodes[node] {
				return name[:from] + n.name(node) + n.withoutNodes(name[to:])
			}
		}
	}
	return name
}

// platformHas says whether the platform has named what is in a namespace: in its namespace default there is what
// people put there.
func platformHas(namespace string) bool {
	return loadmodel.IsSystem(namespace) && namespace != "default"
}

// other is the name of something else in a namespace, or within the object: it has nothing to do with the object's
// node.
func (n *Names) other(namespace string) func(string) string {
	return (&object{Names: n, namespace: namespace}).local
}

// own is the name of the object itself.
func (x *object) own(name string) string {
	switch {
	case x.kind == "Namespace":
		return x.Names.namespace(name)
	case common[x.kind]:
		return name
	case x.namespace == "" || x.kind == "Machine":
		return x.name(name)
	}
	return x.local(name)
}

func (x *object) metadata(meta map[string]any) {
	owners, _ := meta["ownerReferences"].([]any)
	set(meta, "name", func(name string) string {
		for _, o := range owners { // the claim of a volume that a pod brings
			o, _ := o.(map[string]any)
			pod, _ := o["name"].(string)
			if volume, ok := strings.CutPrefix(name, pod+"-"); ok && o["kind"] == "Pod" {
				return x.local(pod) + "-" + x.local(volume)
			}
		}
		return x.own(name)
	})
	set(meta, "generateName", func(s string) string { return x.own(strings.TrimRight(s, "-.")) + "-" })
	if !common[x.kind] { // by which two snapshots could be laid beside each other
		set(meta, "uid", x.digest)
	}
	x.walk(meta["labels"], "labels")
	annotations, _ := meta["annotations"].(map[string]any)
	set(annotations, "machine.openshift.io/machine", func(s string) string {
		namespace, name, _ := strings.Cut(s, "/")
		return namespace + "/" + x.name(name)
	})
	for _, o := range owners {
		o, _ := o.(map[string]any)
		set(o, "uid", x.digest)
		if o["kind"] == "Node" || x.kind == "Machine" {
			set(o, "name", x.name)
		} else {
			set(o, "name", (&object{Names: x.Names, namespace: x.namespace, hash: x.hash}).local)
		}
	}
	set(meta, "namespace", x.Names.namespace)
}

// set gives a text of a mapping its pseudonym, where there is one.
func set(m map[string]any, key string, pseudonym func(string) string) {
	if s, ok := m[key].(string); ok && s != "" {
		m[key] = pseudonym(s)
	}
}

// each is set for the texts of a list.
func each(v any, pseudonym func(string) string) {
	list, _ := v.([]any)
	for i := range list {
		if s, ok := list[i].(string); ok {
			list[i] = pseudonym(s)
		}
	}
}

// walk goes through what stands under a key.
func (x *object) walk(v any, key string) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			x.walk(e, key)
		}
	case map[string]any:
		switch key {
		case "labels", "matchLabels", "nodeSelector", "selector":
			x.pairs(v)
		default:
			x.names(v, key)
		}
		for k, e := range v {
			x.walk(e, k)
		}
	}
}

// pairs are labels and their values; what has no texts as values is a selector of another form.
func (x *object) pairs(m map[string]any) {
	for key := range m {
		if key == "deploymentconfig" || key == "deployment" { // of OpenShift's own controllers
			set(m, key, x.other(x.namespace))
			continue
		}
		set(m, key, func(value string) string { return x.label(key, value) })
	}
}

// names are the texts of a mapping, under a key, that name something.
func (x *object) names(m map[string]any, key string) {
	for _, one := range []string{"nodeName", "nominatedNodeName", "volumeName"} {
		set(m, one, x.name)
	}
	set(m, "claimName", x.other(x.namespace))
	set(m, "image", x.image)
	set(m, "reference", x.image)
	set(m, "providerID", func(s string) string {
		scheme, _, _ := strings.Cut(s, "://")
		return scheme + "://" + x.name(s)
	})
	switch key {
	case "containers", "initContainers", "containerStatuses", "initContainerStatuses", "volumes", "resourceClaims",
		"claims", "metadata", "scaleTargetRef": // metadata is that of a claim's template
		set(m, "name", x.other(x.namespace))
	case "ports":
		set(m, "hostIP", x.address)
	case "nodeRef":
		set(m, "name", x.name)
	case "claimRef":
		namespace, _ := m["namespace"].(string)
		set(m, "name", x.other(namespace))
		set(m, "namespace", x.Names.namespace)
	case "images":
		each(m["names"], x.image)
	case "addresses":
		if kind, _ := m["type"].(string); strings.HasSuffix(kind, "IP") {
			set(m, "address", x.address)
		} else {
			set(m, "address", x.name)
		}
	}
	each(m["namespaces"], x.Names.namespace)
	label, _ := m["key"].(string)
	if key == "matchFields" {
		each(m["values"], x.name) // of nodes
	} else if label != "" {
		each(m["values"], func(value string) string { return x.label(label, value) })
		set(m, "value", func(value string) string { return x.label(label, value) })
	}
}
