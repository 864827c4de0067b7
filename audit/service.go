package audit

import (
	"reflect"
	"slices"
	"strings"
)

// emptyService finds services whose selector no pod has: what is sent to them arrives nowhere. Those whose workload is
// scaled to nothing, or waits for nodes of its own, are meant so; those of the platform nobody else can change.
func (l *look) emptyService() {
	if state, why := l.state("deploymentconfigs"); state == NotSeen {
		l.notSeen("%s", why)
		return
	}
	sets := map[string][]map[string]string{} // the labels of each namespace's pods, equal ones once
	seen := map[string]map[uintptr]bool{}
	keep := func(namespace string, labels map[string]string) {
		at := reflect.ValueOf(labels).Pointer()
		if seen[namespace] == nil {
			seen[namespace] = map[uintptr]bool{}
		}
		if !seen[namespace][at] {
			seen[namespace][at] = true
			sets[namespace] = append(sets[namespace], labels)
		}
	}
	for i := range l.Pods {
		if p := &l.Pods[i]; !p.ended() {
			keep(p.Namespace, p.Labels)
		}
	}
	for i := range l.Workloads {
		w := &l.Workloads[i]
		if w.Kind == "DaemonSet" || w.Spec.Replicas != nil && *w.Spec.Replicas == 0 {
			keep(w.Metadata.Namespace, w.Spec.Template.Metadata.Labels)
		}
	}
	var bad []where
	for i := range l.Services {
		s := &l.Services[i]
		selects := len(s.Spec.Selector) > 0 && s.Spec.Type != "ExternalName" && !ofPlatform(s.Metadata.Namespace)
		if selects && !anyHas(sets[s.Metadata.Namespace], s.Spec.Selector) {
			bad = append(bad, at("Service", s.path(), ""))
		}
	}
	if len(bad) > 0 {
		namespace, name, _ := strings.Cut(names(l.told(bad)[:1]), "/")
		l.find(bad, "compare the selector with the labels of the pods: "+l.tell("-n %s get service %s -o wide", namespace,
			name)+" and "+l.tell("-n %s get pods --show-labels", namespace)+"; delete services that nobody uses",
			"no pod has the labels that the selector asks for")
	}
}

// anyHas says whether one of some sets of labels has all that a selector asks for.
func anyHas(sets []map[string]string, selector map[string]string) bool {
	return slices.ContainsFunc(sets, func(labels map[string]string) bool {
		for k, v := range selector {
			if has, ok := labels[k]; !ok || has != v {
				return false
			}
		}
		return true
	})
}
