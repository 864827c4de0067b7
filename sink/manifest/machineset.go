package manifest

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
)

// fillInLabel keeps a file from being applied by accident: its value is no
// valid label, so the API server refuses the object until the line is removed.
const (
	fillInLabel = "plimsoll.dev/fill-in"
	fillInValue = "<REMOVE_THIS_LINE_LAST>"
)

// infraID is the placeholder that begins the name of every machine set; no
// object can have such a name, which is the second guard.
const infraID = "<INFRA_ID>"

// zoneName is the short name of a zone in file and machine set names.
func zoneName(zone int) string { return fmt.Sprintf("z%d", zone) }

func machineSetPath(tag string, zone int) string {
	return fillInDir + "machineset-" + tag + "-" + zoneName(zone) + ".yaml"
}

// machineSets writes one machine set for each node type and zone of the pools
// whose machines are all still to be made.
func (r *renderer) machineSets() {
	if r.provider == nil {
		if len(r.Decisions.Growth) > 0 {
			r.remark(fmt.Sprintf("Machine sets: on platform %s OpenShift %s has none that a plan could write; "+
				"growth.txt lists the order in which the machines join.",
				r.Platform.Provider, r.release))
		}
		return
	}
	for _, g := range r.groups() {
		if g.exists() {
			if len(r.Decisions.Growth) > 0 {
				r.remark(fmt.Sprintf("Machine sets of pool %s: it has machines already, so growth.txt scales the sets that "+
					"exist.", g.name))
			}
			continue
		}
		for i, m := range g.members {
			for z, n := range g.first(i) {
				r.machineSet(g, machine{PoolDecision: m.PoolDecision, zone: z + 1, zones: len(zones(m.PoolDecision)),
					release: r.release}, m.tag, n)
			}
		}
	}
}

func (r *renderer) machineSet(g group, m machine, tag string, replicas int) {
	name := infraID + "-" + tag + "-" + zoneName(m.zone)
	value := r.provider.spec(m)
	value["apiVersion"], value["kind"] = r.provider.apiVersion(r.release), r.provider.kind
	const prefix = "machine.openshift.io/cluster-api-"
	spec := obj{"providerSpec": obj{"value": value}}
	if labels := nodeLabels(m.PoolDecision); len(labels) > 0 {
		spec["metadata"] = obj{"labels": labels}
	}
	if len(m.Taints) > 0 {
		spec["taints"] = taints(m.Taints)
	}
	decision := fmt.Sprintf("%d of %d machines of pool %s in zone %d of %d, type %s", replicas,
		zones(m.PoolDecision)[m.zone-1], m.Name, m.zone, m.zones, m.Type)
	r.add(machineSetPath(tag, m.zone), stageMachines, decision, r.machineSetHeader(g, m, decision), obj{
		"apiVersion": machineV1beta1,
		"kind":       "MachineSet",
		"metadata": obj{
			"name":      name,
			"namespace": machineNamespace,
			"labels":    obj{prefix + "cluster": infraID, fillInLabel: fillInValue},
		},
		"spec": obj{
			"replicas": replicas,
			"selector": obj{"matchLabels": obj{prefix + "cluster": infraID, prefix + "machineset": name}},
			"template": obj{
				"metadata": obj{"labels": obj{
					prefix + "cluster":      infraID,
					prefix + "machineset":   name,
					prefix + "machine-role": m.Name,
					prefix + "machine-type": m.Name,
				}},
				"spec": spec,
			},
		},
	})
}

func (r *renderer) machineSetHeader(g group, m machine, decision string) header {
	h := header{
		title:    fmt.Sprintf("Machine set of pool %s in one zone, with the replicas of its first batch.", m.Name),
		decision: []string{decision},
		figures:  append(r.figures(poolTopic(m.PoolDecision), m.Type), r.figures(topicGrowth, m.Name)...),
		apply:    []string{"fill in the placeholders as README.md says, then follow growth.txt"},
		sources:  ocp("3.1", "3.2"),
	}
	if r.installed(g, m.PoolDecision) {
		h.notes = append(h.notes,
			"For a cluster that exists. In a new one the installer makes these machines (compute.replicas): don't apply both.")
	}
	if m.Role == "infra" && len(m.Taints) == 0 {
		h.notes = append(h.notes, "The nodes have no taint: workload without a nodeSelector may land on them, too.")
	}
	if r.Platform.Provider == "azure" {
		h.notes = append(h.notes, "Azure numbers its zones. Remove the line of the zone where the region has none.")
	}
	if r.Platform.Provider == "openstack" && m.Disk > 0 {
		h.notes = append(h.notes, fmt.Sprintf("The flavour has to have a disk of %d GiB.", diskGiB(m.Disk)))
	}
	return h
}

// installed says whether the installer of a new cluster makes the first batch
// of a pool's node type.
func (r *renderer) installed(g group, m v1alpha1.PoolDecision) bool {
	first, ok := r.firstWorkers()
	return ok && r.installerMakesMachines() && first.name == g.name && g.members[0].Type == m.Type
}

// nodeLabels are the labels of the pool's nodes beyond worker, which every node
// of a machine set gets by itself.
func nodeLabels(pool v1alpha1.PoolDecision) obj {
	out := obj{}
	for key, value := range pool.Labels {
		out[key] = value
	}
	if custom(pool.Name) {
		out[roleLabel+pool.Name] = ""
	}
	return out
}

func taints(in []v1alpha1.Taint) list {
	out := list{}
	for _, t := range in {
		o := obj{"key": t.Key, "effect": t.Effect}
		if t.Value != "" {
			o["value"] = t.Value
		}
		out = append(out, o)
	}
	return out
}
