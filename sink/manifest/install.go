package manifest

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
)

const installConfigFile = installDir + "00-install-config-networking.yaml"

// installConfig writes the parts of install-config.yaml that the plan decides:
// the network, the control plane and the first batch of workers. The rest (base
// domain, credentials, platform) is the user's, so the file is a part to be
// merged and the installer refuses it alone.
func (r *renderer) installConfig() {
	n := r.Decisions.Network
	if n.Type == "" {
		return
	}
	networking, notes := r.networking()
	compute, more := r.computePool()
	notes = append(append(notes, more...),
		"hostPrefix can't be changed later, and the control plane's machines are sized for the cluster that "+
			"is expected one day (OCP 2.3).")
	decision := []string{
		fmt.Sprintf("network %s, %s", n.Type, networkWords(n)),
		"control plane " + machines(r.Decisions.ControlPlane),
	}
	h := header{
		title:    "Parts of install-config.yaml: network, control plane and first workers.",
		decision: decision,
		figures:  append(r.figures(topicNetwork, ""), r.figures(topicControlPlane, "")...),
		apply: []string{
			"merge these keys into INSTALL_DIR/install-config.yaml and fill in the placeholders",
			r.installCommand(),
		},
		notes:   notes,
		sources: ocp("1.1", "2.3", "12.2"),
	}
	r.add(installConfigFile, stageInstall, decision[0]+"; "+decision[1], h, obj{
		"networking":   networking,
		"controlPlane": r.installPool(poolMaster, r.Decisions.ControlPlane, r.Decisions.ControlPlane.Count),
		"compute":      list{compute},
	})
}

// networking is the part of that name, with notes.
func (r *renderer) networking() (obj, []string) {
	n := r.Decisions.Network
	out := obj{
		"networkType":    n.Type,
		"clusterNetwork": clusterNetwork(n),
		"serviceNetwork": n.ServiceNetwork,
	}
	if !machineNetwork.In(r.release) {
		if len(n.MachineNetwork) > 0 {
			out["machineCIDR"] = n.MachineNetwork[0]
		}
		return out, []string{"machineCIDR is called machineNetwork from 4.4 on."}
	}
	entries := list{}
	for _, c := range n.MachineNetwork {
		entries = append(entries, obj{"cidr": c})
	}
	out["machineNetwork"] = entries
	if machineCIDRTold.In(r.release) {
		return out, []string{"The guides up to 4.9 write machineCIDR; machineNetwork has replaced it since 4.4."}
	}
	return out, nil
}

// networkWords lists the blocks of the cluster network.
func networkWords(n v1alpha1.NetworkDecision) string {
	parts := []string{}
	for _, c := range n.ClusterNetwork {
		parts = append(parts, fmt.Sprintf("%s with /%d a node", c.CIDR, c.HostPrefix))
	}
	return words.And(parts)
}

// computePool is the compute entry for the first batch of the worker pool, with
// remarks. Where the installer makes no machines, the entry has to say 0.
func (r *renderer) computePool() (obj, []string) {
	g, ok := r.firstWorkers()
	if !ok {
		return obj{"name": poolWorker, "replicas": 0}, []string{"The plan has no workers."}
	}
	if !r.installerMakesMachines() {
		return obj{"name": poolWorker, "replicas": 0}, []string{fmt.Sprintf(
			"compute.replicas is 0 because the installer of %s makes no machines on platform %s; %s join by themselves.",
			r.release, r.Platform.Provider, g.machines())}
	}
	first := sum(g.first(0))
	notes := []string{
		fmt.Sprintf("compute.replicas is the first batch (%d of %d); growth.txt says how to go on.", first, g.count()),
	}
	if len(g.members) > 1 {
		notes = append(notes, "The installer makes one type of worker; the others come from machine sets.")
	}
	return r.installPool(poolWorker, g.members[0].PoolDecision, first), notes
}

// firstWorkers is the pool that the installer makes: worker, or the first of
// role worker when none has that name.
func (r *renderer) firstWorkers() (group, bool) {
	if g, ok := r.group(poolWorker); ok {
		return g, true
	}
	for _, g := range r.groups() {
		if g.members[0].Role == "worker" {
			return g, true
		}
	}
	return group{}, false
}

// installerMakesMachines says whether openshift-install makes the workers; of a cluster that runs it has.
func (r *renderer) installerMakesMachines() bool {
	return !r.Running && (r.provider != nil || r.Platform.Provider == "baremetal")
}

// installCommand starts the installation; where the installer makes no machines
// it only writes what the machines boot with.
func (r *renderer) installCommand() string {
	if r.installerMakesMachines() {
		return "openshift-install create cluster --dir=INSTALL_DIR"
	}
	return "openshift-install create ignition-configs --dir=INSTALL_DIR"
}

// installPool is a machine pool of install-config.yaml. A control plane whose
// type the plan doesn't name gets a placeholder; its size stands in the header.
func (r *renderer) installPool(name string, pool v1alpha1.PoolDecision, replicas int) obj {
	out := obj{"name": name, "replicas": replicas}
	if r.provider == nil || pool.Type == "" && pool.CPUs == 0 {
		return out
	}
	if pool.Type == "" {
		pool.Type = "<CONTROL_PLANE_TYPE>"
	}
	out["platform"] = obj{r.Platform.Provider: r.provider.install(r.release, pool)}
	return out
}
