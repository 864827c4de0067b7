package monitoring

import (
	"fmt"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/internal/yamlout"
	"plimsoll.dev/release"
	"plimsoll.dev/unit"
)

// Options say what a generated configuration sets; what is left out keeps its
// default. The number of replicas has no key in any release: the platform decides
// it (two, or three for Alertmanager up to 4.9).
type Options struct {
	Release release.Release
	// NodeSelector of the nodes that all parts move to; nil moves none.
	NodeSelector map[string]string
	// Tolerations of the taints of those nodes.
	Tolerations []openshift.Toleration
	// Users has the monitoring of the users' projects run, and move as well.
	Users bool
	// Prometheus and Alertmanager of the platform; Alertmanager has no retention here.
	Prometheus, Alertmanager Size
}

// Size are the amounts that a part keeps and asks for; 0 sets nothing.
type Size struct {
	Retention     unit.Duration
	RetentionSize unit.Bytes // from 4.11 on
	Storage       unit.Bytes
	StorageClass  string
	CPU           unit.CPU
	Memory        unit.Bytes
}

type obj = map[string]any

// Generate makes the ConfigMap of the platform's monitoring.
func Generate(o Options) openshift.ConfigMap {
	config := o.placed(platform)
	if o.Users {
		switch {
		case Knows(o.Release, "enableUserWorkload"):
			config["enableUserWorkload"] = true
		case Knows(o.Release, "techPreviewUserWorkload"):
			config["techPreviewUserWorkload"] = obj{"enabled": true}
		}
	}
	o.sized(config, "prometheusK8s", o.Prometheus)
	alertmanager := o.Alertmanager
	alertmanager.Retention, alertmanager.RetentionSize = 0, 0
	o.sized(config, "alertmanagerMain", alertmanager)
	return configMap(Name, openshift.NamespaceMonitoring, config)
}

// GenerateUser makes the ConfigMap that moves the monitoring of the users'
// projects; ok is false where a release has none, or there is nothing to move.
func GenerateUser(o Options) (cm openshift.ConfigMap, ok bool) {
	config := o.placed(user)
	if !o.Users || len(config) == 0 {
		return openshift.ConfigMap{}, false
	}
	return configMap(UserName, UserNamespace, config), true
}

// placed puts every part that runs on the nodes of choice.
func (o Options) placed(keys []key) obj {
	config := obj{}
	if len(o.NodeSelector) == 0 {
		return config
	}
	for _, name := range movable(keys, o.Release, o.Users) {
		part := obj{nodeSelector: o.NodeSelector}
		if len(o.Tolerations) > 0 && knows(keys, o.Release, name+"."+tolerations) {
			part[tolerations] = o.Tolerations
		}
		config[name] = part
	}
	return config
}

// sized adds the amounts of a part.
func (o Options) sized(config obj, name string, s Size) {
	part, ok := config[name].(obj)
	if !ok {
		part = obj{}
	}
	if s.Retention > 0 {
		part["retention"] = s.Retention.String()
	}
	if s.RetentionSize > 0 && Knows(o.Release, name+".retentionSize") {
		part["retentionSize"] = diskSize(s.RetentionSize)
	}
	if s.Storage > 0 {
		spec := obj{resources: obj{"requests": obj{"storage": s.Storage.Rounded()}}}
		if s.StorageClass != "" {
			spec["storageClassName"] = s.StorageClass
		}
		part[claim] = obj{"spec": spec}
	}
	if requests := s.requests(); len(requests) > 0 {
		part[resources] = obj{"requests": requests}
	}
	if len(part) > 0 {
		config[name] = part
	}
}

func (s Size) requests() obj {
	out := obj{}
	if s.CPU > 0 {
		out["cpu"] = s.CPU.String()
	}
	if s.Memory > 0 {
		out["memory"] = s.Memory.Rounded()
	}
	return out
}

// diskSize writes an amount as Prometheus reads it, whose KB, MB and GB are powers
// of 1024: in whole MiB, rounded down, so that the disk has room.
func diskSize(b unit.Bytes) string {
	if b%unit.GiB == 0 {
		return fmt.Sprintf("%dGiB", b/unit.GiB)
	}
	return fmt.Sprintf("%dMiB", max(1, b/unit.MiB))
}

func configMap(name, namespace string, config obj) openshift.ConfigMap {
	text, err := yamlout.Marshal(config)
	if err != nil {
		panic(fmt.Sprintf("monitoring: %v", err)) // maps of plain values only
	}
	return openshift.ConfigMap{APIVersion: "v1", Kind: "ConfigMap",
		Metadata: openshift.ObjectMeta{Name: name, Namespace: namespace},
		Data:     map[string]string{ConfigKey: string(text)}}
}
