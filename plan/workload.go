package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/node"
	"plimsoll.dev/part"
	"plimsoll.dev/unit"
)

// workload is what is to run, with the growth applied.
type workload struct {
	// pods are the pod types with grown replicas; daemons run once a node.
	pods, daemons []v1alpha1.PodType
	// before are the replicas without growth, by the name of the type.
	before map[string]int
	// masters select control plane nodes; they are no load of the workers.
	masters []v1alpha1.PodType
	// totals over all pods, DaemonSets left out.
	count, cpu, memory, storage derive.Value
	// grown figures of the objects by the name of their maximum.
	objects map[string]derive.Value
}

// workload sums up the pods and counts the objects.
func (p *planner) workload() {
	s := part.New("workload", "Workload")
	p.put(s)
	p.load.before = map[string]int{}
	for _, t := range p.s.Workload.PodTypes {
		p.load.before[t.Name] = t.Replicas
		t = node.Effective(t)
		if t.DaemonSet {
			p.load.daemons = append(p.load.daemons, t)
			continue
		}
		if masterNode(t.NodeSelector) && p.apart().Number > 0 {
			p.load.masters = append(p.load.masters, t)
			continue
		}
		t.Replicas = node.Replicas(t, p.s.Policy.Growth)
		p.load.pods = append(p.load.pods, t)
	}
	p.totals(s)
	p.objects(s)
	p.podTable(s)
	p.checkOvercommit(s)
	p.sayMasters(s)
	p.sayGrowth(s)
	p.sayRequests(s)
	p.sayDisks(s)
	p.saySurvival(s)
	if p.idle() {
		s.Find(v1alpha1.Warning, "workload.empty", "the scenario has no pods: only the platform itself is planned",
			"list pod types, manifests or a snapshot under workload").Field = "workload"
		if len(p.load.masters) == 0 {
			p.lacking = append(p.lacking, "pods: the scenario has none, so that nothing is asked of the nodes")
		}
	}
}

// idle says that the workers have no pods to place, not even those of DaemonSets.
func (p *planner) idle() bool { return p.load.count.Number == 0 && len(p.load.daemons) == 0 }

// arbiter is the role of the node that completes two of the control plane: it runs a member of etcd, and no API server.
const arbiter = "arbiter"

// masterNode says whether labels are those of a control plane node.
func masterNode(labels map[string]string) bool {
	for _, role := range []string{"master", "control-plane", arbiter} {
		if _, ok := labels["node-role.kubernetes.io/"+role]; ok {
			return true
		}
	}
	return false
}

// sayGrowth warns of a growth that was probably meant as a factor.
func (p *planner) sayGrowth(s *part.Part) {
	if g := float64(p.s.Policy.Growth); g >= 1 {
		s.Find(v1alpha1.Warning, "workload.growth",
			fmt.Sprintf("a growth of %.4g %% makes %.4g times the workload", g*100, 1+g),
			"write 30% to plan for 1.3 times the workload").Field = "policy.growth"
	}
}

// sayMasters says what runs on the control plane and is left out.
func (p *planner) sayMasters(s *part.Part) {
	var cpu, memory, pods float64
	for _, t := range p.load.masters {
		n := float64(t.Replicas)
		pods, cpu, memory = pods+n, cpu+n*float64(t.CPU), memory+n*float64(t.Memory)
	}
	if pods > 0 {
		s.Find(v1alpha1.Info, "workload.controlPlane",
			fmt.Sprintf("%s select control plane nodes (%s, %s) and are no load of the workers",
				derive.Of(pods, "pods"), derive.Of(cpu, unit.Millicores), derive.Of(memory, unit.ByteUnit)), "")
	}
}

// replicas is the number of pods of a type with its provenance.
func (p *planner) replicas(t v1alpha1.PodType) derive.Value {
	if p.s.Policy.Growth == 0 || node.OfPlatform(t) {
		return node.PodValue(t, "replicas", float64(t.Replicas), "pods")
	}
	return p.b.Found("workload.replicas["+t.Name+"]", "Pods of "+t.Name+" with growth", float64(t.Replicas), "pods",
		"ceil(replicas * (1 + growth))",
		derive.In("replicas", node.PodValue(t, "replicas", float64(p.load.before[t.Name]), "pods")),
		derive.In("growth", p.growth()))
}

func (p *planner) growth() derive.Value {
	return p.o.Value("policy.growth", float64(p.s.Policy.Growth), unit.Ratio)
}

// total records the sum over the pod types of replicas times one field, or of
// the replicas alone when field is empty.
func (p *planner) total(id, title, unitName, field string, of func(v1alpha1.PodType) float64) derive.Value {
	var sum derive.Terms
	for i, t := range p.load.pods {
		each := of(t)
		if each == 0 {
			continue
		}
		in := []derive.Input{derive.In(fmt.Sprintf("n%d", i+1), p.replicas(t))}
		if field != "" {
			in = append(in, derive.In(fmt.Sprintf("v%d", i+1), node.PodValue(t, field, each, unitName)))
		}
		sum.Product(in...)
	}
	v := p.b.Calc(id, title, unitName, sum.Sum(), sum.In...)
	p.b.Note(id, "", derive.Source{Code: "OCP", Section: "9.4"})
	return v
}

func (p *planner) totals(s *part.Part) {
	p.load.count = p.total("workload.pods", "Pods", "pods", "", func(v1alpha1.PodType) float64 { return 1 })
	p.load.cpu = p.total("workload.cpu", "CPU requested", unit.Millicores, "cpu",
		func(t v1alpha1.PodType) float64 { return float64(t.CPU) })
	p.load.memory = p.total("workload.memory", "Memory requested", unit.ByteUnit, "memory",
		func(t v1alpha1.PodType) float64 { return float64(t.Memory) })
	p.load.storage = p.total("workload.storage", "Persistent storage", unit.ByteUnit, "storage",
		func(t v1alpha1.PodType) float64 { return float64(t.Storage) })
	s.Show(p.load.count, p.load.cpu, p.load.memory, p.load.storage)
	containers := p.total("workload.containers", "Containers, without the pause containers", "containers", "containers",
		func(t v1alpha1.PodType) float64 { return float64(max(1, t.Containers)) })
	each := p.c.Must("ocp.kubelet.containersPerPod").Value()
	all := p.b.Calc("workload.processes", "Containers that run, with one pause container a pod", "containers",
		"containers + pods * (containersPerPod - 1)", derive.In("containers", containers), derive.In("pods", p.load.count),
		derive.In("containersPerPod", each))
	p.b.Note("workload.processes", "", derive.Source{Code: "OCP", Section: "2.1"})
	s.Show(all)
	s.Detail(containers)
}

// podTable lists the pod types, the largest CPU total first when there are many.
func (p *planner) podTable(s *part.Part) {
	t := s.Table("workload.podTypes", "Pod types", part.Left("Pod type"), part.Right("Pods"), part.Right("CPU"),
		part.Right("Memory"), part.Right("Storage"), part.Left("QoS"), part.Left("Overcommit"))
	list := slices.Clone(p.load.pods)
	const many = 12
	if len(list) > many {
		slices.SortStableFunc(list, func(a, b v1alpha1.PodType) int {
			return cmp.Compare(int64(b.CPU)*int64(b.Replicas), int64(a.CPU)*int64(a.Replicas))
		})
	}
	for _, d := range slices.Concat(list, p.load.daemons) {
		count := part.Num(derive.Of(float64(d.Replicas), ""))
		if d.DaemonSet {
			count = part.Text("every node")
		}
		t.Rows = append(t.Rows, []v1alpha1.Cell{part.Text(d.Name), count,
			part.Num(derive.Of(float64(d.CPU), unit.Millicores)), part.Num(derive.Of(float64(d.Memory), unit.ByteUnit)),
			part.Num(derive.Of(float64(d.Storage), unit.ByteUnit)), part.Text(QOSClass(d)), part.Text(node.OvercommitOf(d))})
	}
}

// QOSClass is the class of a pod type: as given, else by Kubernetes' rules from
// its requests and limits (OCP 7.3).
func QOSClass(t v1alpha1.PodType) string {
	switch {
	case t.QOSClass != "":
		return t.QOSClass
	case t.CPU == 0 && t.Memory == 0 && t.CPULimit == nil && t.MemoryLimit == nil:
		return "BestEffort"
	case t.CPULimit != nil && t.MemoryLimit != nil && *t.CPULimit == t.CPU && *t.MemoryLimit == t.Memory && t.CPU > 0 &&
		t.Memory > 0:
		return "Guaranteed"
	}
	return "Burstable"
}

// checkOvercommit names the pods that an overcommit must spare.
func (p *planner) checkOvercommit(s *part.Part) {
	over := p.s.Policy.Overcommit
	if over.Memory <= 1 && over.CPU <= 1 {
		return
	}
	var spared []string
	for _, t := range p.load.pods {
		if node.OvercommitOf(t) != "allowed" {
			spared = append(spared, t.Name)
		}
	}
	if len(spared) > 0 {
		s.Find(v1alpha1.Info, "workload.overcommit.spared",
			fmt.Sprintf("%s: counted in full where overcommit is not allowed", list(spared)),
			"").Sources = []derive.Source{{Code: "OCP", Section: "9.4"}}
	}
	if over.Memory > 1 && len(spared) < len(p.load.pods) {
		s.FindAt(v1alpha1.Warning, "workload.overcommit.memory", "policy.overcommit.memory",
			fmt.Sprintf("memory is overcommitted %.3g times; a pod that uses what it requested takes it from "+
				"another, and the kubelet evicts", float64(over.Memory)),
			"overcommit CPU only, or mark pods that hold on to their memory with overcommit: cpuOnly",
			derive.Source{Code: "OCP", Section: "9.3"})
	}
}

// list joins names for a sentence and cuts long lists.
func list(names []string) string { return words.Some(names, 5) }

// largest is the key with the largest number, the first by name among equals.
func largest(counts map[string]int) (string, int) {
	best, most := "", 0
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		if counts[k] > most {
			best, most = k, counts[k]
		}
	}
	return best, most
}
