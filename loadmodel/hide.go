package loadmodel

import (
	"bytes"
	"encoding/base64"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// hide replaces values by others of the same length.
func hide(o map[string]any) {
	for _, key := range []string{"data", "stringData", "binaryData"} {
		values, _ := o[key].(map[string]any)
		for name, v := range values {
			text, _ := v.(string)
			if key == "data" && o["kind"] == "Secret" || key == "binaryData" {
				decoded, err := base64.StdEncoding.DecodeString(text)
				if err != nil { // which a dump that somebody has worked on may have
					decoded = []byte(text)
				}
				values[name] = base64.StdEncoding.EncodeToString(bytes.Repeat([]byte("x"), len(decoded)))
			} else {
				values[name] = hidden(text)
			}
		}
	}
	if of, _ := o["type"].(string); of != "" && of != "Opaque" {
		o["type"] = "Opaque" // the others' values are validated
	}
}

// behaviour are the annotations that change what the platform does with an object; others are notes of people and
// tools, which may say anything. What ends with a slash is a prefix.
var behaviour = []string{
	"haproxy.router.openshift.io/",
	"kubernetes.io/ingress.class",
	"k8s.v1.cni.cncf.io/networks",
	"service.beta.kubernetes.io/aws-load-balancer-internal",
	"service.beta.kubernetes.io/azure-load-balancer-internal",
	"networking.gke.io/load-balancer-type",
	"volume.beta.kubernetes.io/storage-class",
}

func changesBehaviour(annotation string) bool {
	return slices.ContainsFunc(behaviour, func(b string) bool {
		return annotation == b || strings.HasSuffix(b, "/") && strings.HasPrefix(annotation, b)
	})
}

// hooks are the triggers of a BuildConfig that have a secret in their URL.
var hooks = []string{"github", "gitlab", "bitbucket", "generic"}

// userInfo is the part of an address before the host, as of a repository of git, which may have a password or a token.
var userInfo = regexp.MustCompile(`://[^/\s@]+@`)

// hidden is another text of the same length.
func hidden(text string) string { return strings.Repeat("x", len(text)) }

// anonymous is a text in which no address has a user.
func anonymous(text string) string {
	return userInfo.ReplaceAllStringFunc(text, func(m string) string {
		return "://" + hidden(m[len("://"):len(m)-1]) + "@"
	})
}

// withoutSecrets replaces the values of environment variables, build arguments and webhooks, and the users in
// addresses, by others of the same length, and drops annotations that change nothing, wherever in an object they are.
func withoutSecrets(v any) {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			m, isMap := value.(map[string]any)
			list, _ := value.([]any)
			text, isText := value.(string)
			switch {
			case key == "data" || key == "stringData" || key == "binaryData": // hide has seen to them
			case isMap && key == "annotations":
				maps.DeleteFunc(m, func(name string, _ any) bool { return !changesBehaviour(name) })
				if len(m) == 0 {
					delete(v, key)
				}
			case key == "env" || key == "buildArgs":
				for _, e := range list {
					hideIn(e, "value")
				}
			case isMap && slices.Contains(hooks, key):
				hideIn(m, "secret")
			case isText:
				v[key] = anonymous(text)
			default:
				withoutSecrets(value)
			}
		}
	case []any:
		for i, item := range v {
			if text, ok := item.(string); ok {
				v[i] = anonymous(text)
			}
			withoutSecrets(item)
		}
	}
}

// hideIn replaces a text of an object by another of the same length.
func hideIn(v any, key string) {
	m, _ := v.(map[string]any)
	if text, ok := m[key].(string); ok {
		m[key] = hidden(text)
	}
}
