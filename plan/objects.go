package plan

import (
	"strconv"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/node"
	"plimsoll.dev/part"
)

// objectKind is a kind of object that the platform has a maximum for.
type objectKind struct {
	// name is the last part of the maximum's id: ocp.max.<name>.
	name, title, scope, unit string
	count                    func(v1alpha1.Objects) int
}

// objectKinds are the quantities of workload.objects, in the catalogue's terms.
var objectKinds = []objectKind{
	{"namespaces", "Namespaces", "cluster", "namespaces",
		func(o v1alpha1.Objects) int { return o.Namespaces }},
	{"podsPerNamespace", "Pods in the largest namespace", "namespace", "pods",
		func(o v1alpha1.Objects) int { return o.PodsPerNamespace }},
	{"services", "Services", "cluster", "services", func(o v1alpha1.Objects) int { return o.Services }},
	{"servicesPerNamespace", "Services in the largest namespace", "namespace", "services",
		func(o v1alpha1.Objects) int { return o.ServicesPerNamespace }},
	{"backendsPerService", "Pods behind the largest service", "service", "pods",
		func(o v1alpha1.Objects) int { return o.BackendsPerService }},
	{"deployments", "Deployments", "cluster", "deployments",
		func(o v1alpha1.Objects) int { return o.Deployments }},
	{"deploymentsPerNamespace", "Deployments in the largest namespace", "namespace", "deployments",
		func(o v1alpha1.Objects) int { return o.DeploymentsPerNamespace }},
	{"routes", "Routes", "cluster", "routes", func(o v1alpha1.Objects) int { return o.Routes }},
	{"secrets", "Secrets", "cluster", "secrets", func(o v1alpha1.Objects) int { return o.Secrets }},
	{"configMaps", "Config maps", "cluster", "config maps",
		func(o v1alpha1.Objects) int { return o.ConfigMaps }},
	{"builds", "Builds", "cluster", "builds", func(o v1alpha1.Objects) int { return o.Builds }},
	{"buildConfigs", "Build configs", "cluster", "build configs",
		func(o v1alpha1.Objects) int { return o.BuildConfigs }},
	{"crds", "Custom resource definitions", "cluster", "definitions",
		func(o v1alpha1.Objects) int { return o.CustomResourceDefinitions }},
}

// podsByNamespace counts the workload's pods by the namespace that they name.
func (p *planner) podsByNamespace() map[string]int {
	counts := map[string]int{}
	for _, t := range p.s.Workload.PodTypes {
		if t.Namespace != "" && !t.DaemonSet {
			counts[t.Namespace] += t.Replicas
		}
	}
	return counts
}

// namespacesNamed is the number of namespaces that pod types name.
func (p *planner) namespacesNamed() int {
	names := map[string]bool{}
	for _, t := range p.s.Workload.PodTypes {
		if t.Namespace != "" {
			names[t.Namespace] = true
		}
	}
	return len(names)
}

func (p *planner) podsPerNamespace() int {
	_, most := largest(p.podsByNamespace())
	return max(most, p.s.Workload.Objects.PodsPerNamespace)
}

// objects records the number of objects of each kind, with growth. Custom
// resource definitions do not grow with the workload.
func (p *planner) objects(s *part.Part) {
	p.load.objects = map[string]derive.Value{}
	o := p.s.Workload.Objects
	o.Namespaces, o.PodsPerNamespace = max(o.Namespaces, p.namespacesNamed()), p.podsPerNamespace()
	for _, k := range objectKinds {
		n := k.count(o)
		if n == 0 {
			continue
		}
		now := p.objectValue(k, n)
		if p.s.Policy.Growth > 0 && k.name != "crds" {
			now = p.b.Found("workload."+k.name, k.title+" with growth", float64(node.Grown(n, p.s.Policy.Growth)), k.unit,
				"ceil(count * (1 + growth))", derive.In("count", now), derive.In("growth", p.growth()))
		}
		p.load.objects[k.name] = now
		s.Detail(now)
	}
}

// objectValue is the number of objects before growth; where pod types give the
// number, it is the figure that sums them.
func (p *planner) objectValue(k objectKind, n int) derive.Value {
	byNamespace := p.podsByNamespace()
	switch {
	case k.name == "podsPerNamespace" && n > p.s.Workload.Objects.PodsPerNamespace:
		name, _ := largest(byNamespace)
		return p.namespacePods(name, n)
	case k.name == "namespaces" && n > p.s.Workload.Objects.Namespaces:
		return derive.Given("workload.podTypes[*].namespace", n, k.unit)
	}
	return derive.Given("workload.objects."+k.name, n, k.unit)
}

// namespacePods records the sum of the pods in one namespace.
func (p *planner) namespacePods(namespace string, n int) derive.Value {
	sum := derive.Terms{Texts: []string{"0"}}
	for _, t := range p.s.Workload.PodTypes {
		if t.Namespace == namespace && !t.DaemonSet {
			sum.Product(derive.In("n"+strconv.Itoa(len(sum.In)+1), node.PodValue(t, "replicas", float64(t.Replicas), "pods")))
		}
	}
	return p.b.Found("workload.namespacePods["+namespace+"]", "Pods in namespace "+namespace, float64(n), "pods",
		sum.Sum(), sum.In...)
}
