package audit

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/unit"
)

// Cloud is what was seen of a cluster. Objects stand by namespace and name once all were added and [Cloud.Sort] was
// called.
type Cloud struct {
	// Name of the cluster, or of the file that it was read from, and Now, by which ages are judged: when it was read.
	Name string
	Now  time.Time
	// OpenShift is its release, as "4.14.9", and empty on other clusters. Release is what its rules are.
	OpenShift string
	Release   release.Release

	Nodes       []Node
	Pods        []Pod
	Namespaces  []Object
	Pools       []Pool
	Machines    []Machine
	MachineSets []MachineSet
	Checks      []HealthCheck
	Kubelets    []KubeletConfig
	Profiles    []Profile
	Routers     []Router
	Budgets     []Budget
	Claims      []Claim
	Volumes     []Volume
	Classes     []StorageClass
	Drivers     []CSINode
	Services    []Service
	Workloads   []Workload
	Network     *Network
	Scheduler   *Scheduler
	Registry    *Registry
	Monitoring  *string // config.yaml of cluster-monitoring-config; nil where there is none

	// Stack is what was seen of an OpenStack cloud; nil of clusters.
	Stack *Stack

	// Etcd is what was measured of etcd; nil where nobody said where to ask.
	Etcd *Etcd

	// Settings are the objects that the checks of manifests judge.
	Settings []*object.Object

	mu    sync.Mutex
	texts map[string]string // labels and names that come again
	sets  map[string]map[string]string
	kinds map[string]bool // kinds of which there is an object
	// columns that some row of a cloud's exports has, "Server.host".
	columns map[string]bool
	seen    *v1alpha1.Seen
	// hidden are resources of which only the platform's were given, and why.
	hidden map[string]string
	// Unread are objects that could not be understood, by their kind.
	Unread map[string]string
}

// New is a cluster of which nothing was seen yet.
func New(name string, now time.Time) *Cloud {
	return &Cloud{Name: name, Now: now, texts: map[string]string{}, sets: map[string]map[string]string{},
		kinds: map[string]bool{}, Unread: map[string]string{}}
}

// Add an object of a kind, as JSON; several goroutines may. What is not understood is told as not seen.
func (c *Cloud) Add(kind string, text []byte) {
	add, known := adders[kind]
	if c.Stack != nil {
		add, known = stackAdders[kind]
	}
	if !known || foreign(kind, text) {
		return
	}
	c.mu.Lock()
	c.kinds[kind] = true
	if c.Stack != nil {
		c.hasColumns(kind, text)
	}
	c.mu.Unlock()
	err := errYAML
	if text != nil {
		err = add(c, text)
	}
	if err != nil {
		c.mu.Lock()
		c.Unread[kind] = err.Error()
		c.mu.Unlock()
	}
}

// errYAML is why objects of a file are not understood.
var errYAML = errors.New("it is YAML: write the snapshot with -o json")

// Nothing says why there is nothing to judge; empty where there is.
func (c *Cloud) Nothing() string {
	for kind := range c.kinds {
		if c.Unread[kind] != errYAML.Error() {
			return ""
		}
	}
	if len(c.kinds) > 0 {
		return errYAML.Error()
	}
	return "no object of a cluster is in it (write one with plimsoll snapshot, or kubectl get ... -A -o json)"
}

// groups of the kinds whose names other groups have as well.
var groups = map[string]string{"Config": "imageregistry.operator.openshift.io", "Network": "config.openshift.io",
	"Scheduler": "config.openshift.io", "Profile": "tuned.openshift.io", "Machine": "machine.openshift.io",
	"MachineSet": "machine.openshift.io", "MachineHealthCheck": "machine.openshift.io", "Service": "",
	"Route": "route.openshift.io"}

// foreign says whether an object is of another group than the kind that counts; one of a list need not say its own.
func foreign(kind string, text []byte) bool {
	group, several := groups[kind]
	var o struct{ APIVersion string }
	if !several || json.Unmarshal(text, &o) != nil || o.APIVersion == "" {
		return false
	}
	of, _, _ := strings.Cut(o.APIVersion, "/")
	if !strings.Contains(o.APIVersion, "/") {
		of = ""
	}
	return of != group
}

// adders take the objects of each kind.
var adders = map[string]func(*Cloud, []byte) error{
	"Node":                  into(func(c *Cloud) *[]Node { return &c.Nodes }),
	"Pod":                   (*Cloud).addPod,
	"Namespace":             into(func(c *Cloud) *[]Object { return &c.Namespaces }),
	"MachineConfigPool":     both("MachineConfigPool", into(func(c *Cloud) *[]Pool { return &c.Pools })),
	"Machine":               both("Machine", into(func(c *Cloud) *[]Machine { return &c.Machines })),
	"MachineSet":            both("MachineSet", into(func(c *Cloud) *[]MachineSet { return &c.MachineSets })),
	"MachineHealthCheck":    both("MachineHealthCheck", into(func(c *Cloud) *[]HealthCheck { return &c.Checks })),
	"KubeletConfig":         both("KubeletConfig", into(func(c *Cloud) *[]KubeletConfig { return &c.Kubelets })),
	"Tuned":                 setting("Tuned"),
	"FeatureGate":           setting("FeatureGate"),
	"IngressController":     both("IngressController", into(func(c *Cloud) *[]Router { return &c.Routers })),
	"Profile":               into(func(c *Cloud) *[]Profile { return &c.Profiles }),
	"Route":                 func(*Cloud, []byte) error { return nil }, // that there is one is enough
	"PodDisruptionBudget":   into(func(c *Cloud) *[]Budget { return &c.Budgets }),
	"PersistentVolumeClaim": into(func(c *Cloud) *[]Claim { return &c.Claims }),
	"PersistentVolume":      into(func(c *Cloud) *[]Volume { return &c.Volumes }),
	"StorageClass":          into(func(c *Cloud) *[]StorageClass { return &c.Classes }),
	"CSINode":               into(func(c *Cloud) *[]CSINode { return &c.Drivers }),
	"Service":               into(func(c *Cloud) *[]Service { return &c.Services }),
	"Deployment":            workload("Deployment"),
	"StatefulSet":           workload("StatefulSet"),
	"DaemonSet":             workload("DaemonSet"),
	"DeploymentConfig":      workload("DeploymentConfig"),
	"Network":               only(func(c *Cloud) **Network { return &c.Network }),
	"Scheduler":             only(func(c *Cloud) **Scheduler { return &c.Scheduler }),
	"Config":                only(func(c *Cloud) **Registry { return &c.Registry }),
	"ConfigMap":             (*Cloud).addConfigMap,
	"ClusterVersion":        (*Cloud).addVersion,
	v1alpha1.KindSeen:       taking((*Cloud).sees),
	KindEtcd:                only(func(c *Cloud) **Etcd { return &c.Etcd }),
}

// taking decodes an object and puts it where it belongs.
func taking[T any](put func(*Cloud, T)) func(*Cloud, []byte) error {
	return func(c *Cloud, text []byte) error {
		var o T
		if err := json.Unmarshal(text, &o); err != nil {
			return err
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		put(c, o)
		return nil
	}
}

// into adds an object to a list.
func into[T any](list func(*Cloud) *[]T) func(*Cloud, []byte) error {
	return taking(func(c *Cloud, o T) { to := list(c); *to = append(*to, o) })
}

// only keeps the only object of a kind.
func only[T any](at func(*Cloud) **T) func(*Cloud, []byte) error {
	return taking(func(c *Cloud, o T) { *at(c) = &o })
}

// workload keeps which pods a controller makes.
func workload(kind string) func(*Cloud, []byte) error {
	return taking(func(c *Cloud, o Workload) { o.Kind = kind; c.Workloads = append(c.Workloads, o) })
}

// both adds an object that is a setting as well.
func both(kind string, add func(*Cloud, []byte) error) func(*Cloud, []byte) error {
	setting := setting(kind)
	return func(c *Cloud, text []byte) error { return cmp.Or(add(c, text), setting(c, text)) }
}

// versions of the kinds of settings, which the items of a list do not say.
var versions = map[string]string{
	"Tuned": "tuned.openshift.io/v1", "FeatureGate": "config.openshift.io/v1", "ConfigMap": "v1",
	"MachineConfigPool": "machineconfiguration.openshift.io/v1", "KubeletConfig": "machineconfiguration.openshift.io/v1",
	"Machine": "machine.openshift.io/v1beta1", "MachineSet": "machine.openshift.io/v1beta1",
	"MachineHealthCheck": "machine.openshift.io/v1beta1", "IngressController": "operator.openshift.io/v1",
}

// setting keeps an object for the checks of manifests.
func setting(kind string) func(*Cloud, []byte) error {
	return func(c *Cloud, text []byte) error {
		var o map[string]json.RawMessage
		if err := json.Unmarshal(text, &o); err != nil {
			return err
		}
		for name, value := range map[string]string{"kind": kind, "apiVersion": versions[kind]} {
			if _, said := o[name]; !said {
				o[name] = json.RawMessage(strconv.Quote(value))
			}
		}
		delete(o, "status")
		text, err := json.Marshal(o)
		if err != nil {
			return err
		}
		list, bad := object.Split(c.Name, text)
		if len(bad) > 0 {
			return bad
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.Settings = append(c.Settings, list...)
		return nil
	}
}

func (c *Cloud) addConfigMap(text []byte) error {
	var o struct {
		Metadata struct{ Namespace, Name string }
		Data     map[string]string
	}
	if err := json.Unmarshal(text, &o); err != nil {
		return err
	}
	if o.Metadata.Namespace != openshift.NamespaceMonitoring || o.Metadata.Name != "cluster-monitoring-config" {
		return nil
	}
	c.mu.Lock()
	config := o.Data["config.yaml"]
	c.Monitoring = &config
	c.mu.Unlock()
	return setting("ConfigMap")(c, text)
}

func (c *Cloud) addVersion(text []byte) error {
	var o struct {
		Status struct {
			Desired struct{ Version string }
			History []struct{ State, Version string }
		}
	}
	if err := json.Unmarshal(text, &o); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.OpenShift = o.Status.Desired.Version
	for _, h := range slices.Backward(o.Status.History) {
		if h.State == "Completed" {
			c.OpenShift = h.Version
		}
	}
	r, err := release.Parse(c.OpenShift)
	c.Release = r
	return err
}

// sees keeps what a snapshot says of itself.
func (c *Cloud) sees(o v1alpha1.Seen) {
	c.seen = &o
	if at, err := time.Parse(time.RFC3339, o.Taken); err == nil {
		c.Now = at
	}
}

// noneGiven is why nothing can be said where a file does not hold a resource, nor says that there is none.
const noneGiven = ": there is none in what was given"

// state says whether a resource was seen, and else why not.
func (c *Cloud) state(resource string) (State, string) {
	if c.Stack != nil && strings.Contains(resource, ".") {
		return c.told(resource)
	}
	plural, _, _ := strings.Cut(resource, ".")
	same := func(r string) bool { return r == resource || strings.HasPrefix(r, resource+".") }
	kind := kindOf[plural]
	if why, bad := c.Unread[kind]; bad {
		return NotSeen, resource + ": not understood: " + why
	}
	if why := c.hidden[plural]; why != "" {
		return NotSeen, resource + ": " + why
	}
	if c.seen != nil {
		for _, n := range c.seen.NotSeen {
			if same(n.What) {
				return NotSeen, n.What + ": " + n.Why
			}
		}
		switch {
		case slices.ContainsFunc(c.seen.Read, same):
			return OK, ""
		case slices.ContainsFunc(c.seen.Absent, same):
			return NotApplicable, resource + ": the cluster has no such kind"
		}
	}
	switch {
	case c.kinds[kind]:
		return OK, ""
	case c.OpenShift == "" && ofOpenShift[plural]:
		return NotApplicable, resource + ": a kind of OpenShift, and the cluster is none"
	}
	return NotSeen, resource + noneGiven
}

// notRead is what could not be read and of which nothing has been said: limits, and the checks of settings, need it.
func (c *Cloud) notRead(said []string) []string {
	var out []string
	if c.seen == nil {
		return nil
	}
	for _, n := range c.seen.NotSeen {
		known := func(s string) bool { return strings.Contains(s, n.Why) }
		if !slices.ContainsFunc(said, known) {
			out = append(out, n.What+": "+n.Why)
		}
	}
	return out
}

// OnlyPlatform says that no namespace was given but the platform's, so that nothing can be said of what is in others.
func (c *Cloud) OnlyPlatform(why string) {
	c.hidden = map[string]string{}
	for _, resource := range []string{"pods", "namespaces", "services", "persistentvolumeclaims", "poddisruptionbudgets",
		"routes", "deployments", "statefulsets", "daemonsets"} {
		c.hidden[resource] = why
	}
}

// Sort puts all objects into the order of their names.
func (c *Cloud) Sort() {
	byName(c.Nodes)
	byName(c.Pods)
	byName(c.Namespaces)
	byName(c.Pools)
	byName(c.Machines)
	byName(c.MachineSets)
	byName(c.Checks)
	byName(c.Kubelets)
	byName(c.Profiles)
	byName(c.Routers)
	byName(c.Budgets)
	byName(c.Claims)
	byName(c.Volumes)
	byName(c.Classes)
	byName(c.Drivers)
	byName(c.Services)
	byName(c.Workloads)
}

func byName[T interface{ path() string }](list []T) {
	slices.SortFunc(list, func(a, b T) int { return strings.Compare(a.path(), b.path()) })
}

// quantity of a resource: CPU in millicores, all else in bytes or pieces; 0 where it is none.
func quantity(name, text string) int64 {
	if name == "cpu" {
		n, _ := unit.ParseCPU(text)
		return int64(n)
	}
	n, _ := unit.ParseBytes(text)
	return int64(n)
}
