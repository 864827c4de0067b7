package loadmodel

import (
	"cmp"
	"fmt"
	"strconv"
)

// pods are the batches of the pods of a project.
func (e *expansion) pods(w *Work, p *Project, at string) []Batch {
	total := 0
	if len(p.Pods) > 0 && p.Pods[0].Num == 0 {
		total = p.Pods[0].Total
	}
	var out []Batch
	for i := range p.Pods {
		entry, field := &p.Pods[i], fmt.Sprintf("%s.pods[%d]", at, i)
		count := entry.Num
		switch {
		case e.read.Dialect == Go && entry.Total > 0:
			e.note(w, "total of pods is never used in this dialect: num counts them")
		case i == 0 && total > 0:
			continue
		case entry.Total > 0:
			e.bad(field+".total", "stands beside num", "write total alone in the first entry")
		case total > 0:
			count = total * entry.Num / 100
		}
		if b := e.podsOf(entry, field, count); b != nil {
			out = append(out, *b)
		}
	}
	return out
}

// podsOf are the pods of one entry. They have what the file has, but for the name.
func (e *expansion) podsOf(p *Entry, at string, count int) *Batch {
	if p.Basename == "" {
		e.bad(at+".basename", "is missing", "add basename, a text")
		return nil
	}
	prefix := p.Basename
	if e.read.Dialect == Go {
		prefix += "-pod-"
	}
	e.count("Pod", prefix, count, at)
	for i, s := range p.Storage {
		if s.Type != "none" {
			e.bad(fmt.Sprintf("%s.storage[%d].type", at, i), "volumes of type "+s.Type+" are not made",
				"write type: none, or make a template with a PersistentVolumeClaim")
		}
	}
	body, origin := e.podBody(p, at)
	if body == nil {
		return nil
	}
	env, ok := e.parameters(p.Parameters, at+".parameters")
	if !ok {
		return nil
	}
	setEnv(object(body, "spec"), env)
	meta := object(body, "metadata")
	labels := object(meta, "labels")
	labels["purpose"] = "test"
	return &Batch{Title: "pods " + p.Basename, Field: at, Count: count, Pods: true, Sync: p.Sync,
		items: func(i int) ([]Object, error) { return []Object{named(body, prefix+strconv.Itoa(i), origin)}, nil }}
}

// podBody is the pod of the file, or one of the image.
func (e *expansion) podBody(p *Entry, at string) (body map[string]any, origin string) {
	if p.File == "" {
		if p.Image == "" {
			e.bad(at, "has neither file nor image", "add file: pod.yaml or image: IMAGE")
			return nil, ""
		}
		return map[string]any{"apiVersion": "v1", "kind": "Pod", "spec": map[string]any{"restartPolicy": "Never",
			"containers": []any{map[string]any{"name": "test", "image": p.Image}}}}, ""
	}
	o, ok := e.single(p.File, "Pod", at+".file")
	if !ok {
		return nil, ""
	}
	if p.Image != "" && p.File == builtin {
		setImage(object(o.Body, "spec"), p.Image)
	}
	return o.Body, o.Origin
}

// plain are services or replication controllers of one entry.
func (e *expansion) plain(p *Entry, kind, at string) *Batch {
	o, ok := e.single(cmp.Or(p.File, builtin), kind, at+".file")
	if !ok {
		return nil
	}
	if p.Basename == "" {
		e.bad(at+".basename", "is missing", "add basename, a text")
		return nil
	}
	e.count(kind, p.Basename, p.Num, at)
	if p.Replicas != nil {
		object(o.Body, "spec")["replicas"] = int64(*p.Replicas)
	}
	if p.Image != "" && kind == "ReplicationController" {
		setImage(object(object(object(o.Body, "spec"), "template"), "spec"), p.Image)
	}
	title := map[string]string{"Service": "services ", "ReplicationController": "replication controllers "}[kind]
	return &Batch{Title: title + p.Basename, Field: at, Count: p.Num, Sync: p.Sync,
		items: func(i int) ([]Object, error) {
			return []Object{named(o.Body, p.Basename+strconv.Itoa(i), o.Origin)}, nil
		}}
}

// users are role bindings: an account of OpenShift is a name that its identity provider vouches for.
func (e *expansion) users(u User, at string) *Batch {
	e.count("RoleBinding", u.Role+"-"+u.Basename, u.Num, at)
	return &Batch{Title: "users " + u.Basename, Field: at, Count: u.Num, items: func(i int) ([]Object, error) {
		name := u.Basename + strconv.Itoa(i)
		const group = "rbac.authorization.k8s.io"
		return []Object{named(map[string]any{"apiVersion": group + "/v1", "kind": "RoleBinding",
			"roleRef":  map[string]any{"apiGroup": group, "kind": "ClusterRole", "name": u.Role},
			"subjects": []any{map[string]any{"apiGroup": group, "kind": "User", "name": name}}}, u.Role+"-"+name, "")}, nil
	}}
}
