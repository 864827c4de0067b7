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
	x.metadata(meta)
	for _, part := range []string{"spec", "status", "scheduling", "allowedTopologies"} {
		x.walk(o[part], part)
	}
}

// local is the name of something in the object's namespace.
func (x *object) local(name string) string {
	switch stem, ok := strings.CutSuffix(name, "-"+x.node); {
	case ok && x.node != "": // a static pod, or one for a node
		return x.local(stem) + "-" + x.name(x.node)
	case loadmodel.IsSystem(x.namespace) && x.node != "":
		return strings.ReplaceAll(name, x.node, x.name(x.node))
	case loadmodel.IsSystem(x.namespace):
		return name
	}
	if stem, ok := strings.CutSuffix(name, "-"+x.hash); ok && x.hash != "" {
		return x.name(stem) + "-" + x.hash
	}
	return x.name(name)
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
	x.walk(meta["labels"], "labels")
	annotations, _ := meta["annotations"].(map[string]any)
	set(annotations, "machine.openshift.io/machine", func(s string) string {
		namespace, name, _ := strings.Cut(s, "/")
		return namespace + "/" + x.name(name)
	})
	for _, o := range owners {
		o, _ := o.(map[string]any)
		if o["kind"] == "Node" || x.kind == "Machine" {
			set(o, "name", x.name)
		} else {
			set(o, "name", x.local)
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
		}
		x.names(v, key)
		for k, e := range v {
			x.walk(e, k)
		}
	}
}

// pairs are labels and their values; what has no texts as values is a selector of another form.
func (x *object) pairs(m map[string]any) {
	for key := range m {
		if key == "deploymentconfig" || key == "deployment" { // of OpenShift's own controllers
			set(m, key, x.local)
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
	set(m, "claimName", x.local)
	set(m, "image", x.image)
	set(m, "reference", x.image)
	set(m, "providerID", func(s string) string {
		scheme, _, _ := strings.Cut(s, "://")
		return scheme + "://" + x.name(s)
	})
	switch key {
	case "containers", "initContainers", "containerStatuses", "initContainerStatuses", "volumes", "scaleTargetRef":
		set(m, "name", x.local)
	case "nodeRef":
		set(m, "name", x.name)
	case "claimRef":
		namespace, _ := m["namespace"].(string)
		set(m, "name", (&object{Names: x.Names, namespace: namespace}).local)
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
