package loadmodel

import (
	"encoding/json"
	"maps"
)

// Conversion makes an object of Kubernetes of one of OpenShift.
type Conversion struct {
	APIVersion, Kind string
	body             func(map[string]any) map[string]any
}

// Convert is how a kind of OpenShift is made on Kubernetes, where there is an equal.
func Convert(apiVersion, kind string) (Conversion, bool) {
	switch apiVersion + " " + kind {
	case "apps.openshift.io/v1 DeploymentConfig":
		return Conversion{"apps/v1", "Deployment", deployment}, true
	case "route.openshift.io/v1 Route":
		return Conversion{"networking.k8s.io/v1", "Ingress", ingress}, true
	}
	return Conversion{}, false
}

// Object is o as Kubernetes has it.
func (c Conversion) Object(o Object) Object {
	o.Body = c.body(copyOf(o.Body))
	o.APIVersion, o.Kind = c.APIVersion, c.Kind
	o.Body["apiVersion"], o.Body["kind"] = c.APIVersion, c.Kind
	return o
}

// copyOf is a body that shares nothing with the original.
func copyOf(body map[string]any) map[string]any {
	text, err := json.Marshal(body)
	out := map[string]any{}
	if err != nil || json.Unmarshal(text, &out) != nil {
		return maps.Clone(body)
	}
	return out
}

// deployment of a DeploymentConfig: the pods, their number and their labels; images that a change of
// an image stream would fill in stay as they stand, strategies are the defaults.
func deployment(body map[string]any) map[string]any {
	spec := object(body, "spec")
	template := object(spec, "template")
	selector, _ := spec["selector"].(map[string]any)
	if len(selector) == 0 {
		selector = maps.Clone(object(object(template, "metadata"), "labels"))
	}
	for _, c := range containers(object(template, "spec")) {
		if image, _ := c["image"].(string); image == "" || image == " " {
			c["image"] = "image-stream"
		}
	}
	replicas, ok := spec["replicas"]
	if !ok {
		replicas = 1
	}
	body["spec"] = map[string]any{"replicas": replicas, "selector": map[string]any{"matchLabels": selector},
		"template": template}
	return body
}

// ingress of a Route: its host, its path and the service behind it.
func ingress(body map[string]any) map[string]any {
	spec := object(body, "spec")
	service, _ := object(spec, "to")["name"].(string)
	path, _ := spec["path"].(string)
	if path == "" {
		path = "/"
	}
	backend := map[string]any{"service": map[string]any{"name": service, "port": port(spec)}}
	rule := map[string]any{"http": map[string]any{"paths": []any{
		map[string]any{"path": path, "pathType": "Prefix", "backend": backend}}}}
	if host, _ := spec["host"].(string); host != "" {
		rule["host"] = host
	}
	body["spec"] = map[string]any{"rules": []any{rule}}
	return body
}

func port(route map[string]any) map[string]any {
	switch target := object(route, "port")["targetPort"].(type) {
	case string:
		return map[string]any{"name": target}
	case float64:
		return map[string]any{"number": target}
	}
	return map[string]any{"number": 80}
}
