package kubetest

import (
	"fmt"
	"strings"
)

// owner is a deployment or a stateful set.
type owner struct {
	name, space, kind, by, text string
	pairs                       []string
}

// sizes are what one container of an owner requests, and its limits: Burstable,
// BestEffort and Guaranteed pods come in turn.
var sizes = []string{
	`"limits": {
                                "memory": "512Mi"
                            },
                            "requests": {
                                "cpu": "250m",
                                "memory": "256Mi"
                            }`,
	``,
	`"limits": {
                                "cpu": "1",
                                "memory": "2Gi"
                            },
                            "requests": {
                                "cpu": "1",
                                "memory": "2Gi"
                            }`,
	`"requests": {
                                "cpu": "100m",
                                "memory": "128Mi"
                            }`,
}

func newOwner(i int, space string) owner {
	o := owner{name: fmt.Sprintf("app-%05d", i), space: space, kind: "ReplicaSet", text: deploymentText}
	o.by = o.name + fmt.Sprintf("-%x", 0x5d8f7c9b6+i)
	if i%5 == 4 {
		o.kind, o.by, o.text = "StatefulSet", o.name, statefulSetText
	}
	o.pairs = []string{"<name>", o.name, "<space>", space, "<by>", o.by, "<kind>", o.kind,
		"<hash>", o.by[strings.LastIndex(o.by, "-")+1:], "<ownerUID>", uid("owner", i),
		"<resources>", wrap(sizes[i%len(sizes)]), "<annotations>", "", "<tolerations>", tolerations}
	return o
}

// wrap puts the braces around a container's resources as kubectl prints them.
func wrap(size string) string {
	if size == "" {
		return "{}"
	}
	return "{\n                            " + size + "\n                        }"
}

// pod writes pod number n, which is the owner's i-th.
func (s *snapshot) pod(o owner, n, i int, node string) {
	name, phase, volume := fmt.Sprintf("%s-%s", o.by, suffix(n)), "Running", emptyDir
	switch {
	case o.kind == "ReplicaSet" && n%FinishedEvery == 0:
		phase = "Failed"
	case o.kind == "StatefulSet":
		name = fmt.Sprintf("%s-%d", o.by, i)
		volume = strings.ReplaceAll(claimVolume, "<claim>", "data-"+name)
		s.item(claimText, append([]string{"<claim>", "data-" + name}, o.pairs...)...)
	}
	s.podItem(n, append([]string{"<pod>", name, "<phase>", phase, "<node>", node, "<volume>", volume}, o.pairs...))
}

// static writes a mirror pod of the control plane.
func (s *snapshot) static(n int, node string, i int) {
	name := []string{"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"}[i]
	s.podItem(n, []string{"<pod>", name + "-" + node, "<name>", name, "<space>", "openshift-" + name, "<by>", node,
		"<kind>", "Node",
		"<hash>", "static", "<ownerUID>", uid("static", n), "<phase>", "Running", "<node>", node, "<volume>", emptyDir,
		"<resources>", wrap(sizes[0]), "<annotations>",
		"\n                    \"kubernetes.io/config.mirror\": \"" + uid("mirror", n) + "\",",
		"<tolerations>", strings.ReplaceAll(everything, "<effect>", "NoExecute")})
}

// daemon writes a pod of daemon set i.
func (s *snapshot) daemon(n int, node string, i int) {
	name := []string{"node-exporter", "ovnkube-node", "dns-default", "tuned", "multus"}[i]
	s.podItem(n, []string{"<pod>", name + "-" + suffix(n), "<name>", name, "<space>", "openshift-" + name, "<by>", name,
		"<kind>", "DaemonSet",
		"<hash>", "daemon", "<ownerUID>", uid("daemon", i), "<phase>", "Running", "<node>", node, "<volume>", emptyDir,
		"<resources>", wrap(sizes[3]), "<annotations>", "", "<tolerations>", everything})
}

func (s *snapshot) podItem(n int, pairs []string) {
	pairs = append(pairs, "<uid>", uid("pod", n), "<ip>", fmt.Sprintf("10.%d.%d.%d", 128+n/62500, n/250%250, n%250+2),
		"<token>", suffix(n*31+7), "<n>", fmt.Sprint(n))
	// Values hold names themselves, so they are filled in first.
	for i := 1; i < len(pairs); i += 2 {
		if strings.Contains(pairs[i], "<") {
			pairs[i] = strings.NewReplacer(pairs...).Replace(pairs[i])
		}
	}
	s.item(podText, pairs...)
}

// suffix is a random-looking end of a pod's name.
func suffix(n int) string {
	const letters = "bcdfghjklmnpqrstvwxz2456789"
	var b [5]byte
	for i := range b {
		b[i] = letters[n%len(letters)]
		n = n/len(letters) + 11*i
	}
	return string(b[:])
}
