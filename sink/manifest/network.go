package manifest

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
)

// networkOperatorFile has the name that the guides give it.
const networkOperatorFile = installDir + "cluster-network-03-config.yml"

// networkOperator writes what install-config.yaml has no field for: the MTU of
// the cluster network where it isn't that of plain Ethernet, and IPsec.
func (r *renderer) networkOperator() {
	n := r.Decisions.Network
	if n.Type == "" || !n.IPsec && (n.ClusterMTU == 0 || n.ClusterMTU == r.usualMTU(n)) {
		return
	}
	network, decision := r.defaultNetwork(n)
	h := header{
		title:    "Settings of the cluster network operator that install-config.yaml has no field for.",
		decision: decision,
		figures:  r.figures(topicMTU, ""),
		apply: []string{
			"openshift-install create manifests --dir=INSTALL_DIR",
			"cp " + networkOperatorFile + " INSTALL_DIR/manifests/",
			r.installCommand(),
		},
		notes: []string{
			"For a new cluster only. Don't apply it to a running one: " +
				"the operator refuses the change and is degraded until it is taken back.",
		},
		sources: ocp("12.1", "12.3"),
	}
	r.add(networkOperatorFile, stageInstall, words.And(decision), h, obj{
		"apiVersion": "operator.openshift.io/v1",
		"kind":       "Network",
		"metadata":   obj{"name": "cluster"},
		"spec": obj{
			"clusterNetwork": clusterNetwork(n),
			"serviceNetwork": n.ServiceNetwork,
			"defaultNetwork": network,
		},
	})
}

// defaultNetwork are the settings of the plug-in, and the same in words.
func (r *renderer) defaultNetwork(n v1alpha1.NetworkDecision) (obj, []string) {
	config := obj{}
	var decision []string
	if n.ClusterMTU != 0 {
		config["mtu"] = n.ClusterMTU
		decision = append(decision, fmt.Sprintf("cluster MTU %d (%d on plain Ethernet)", n.ClusterMTU, r.usualMTU(n)))
	}
	if n.IPsec {
		config["ipsecConfig"] = obj{}
		if ipsecMode.In(r.release) {
			config["ipsecConfig"] = obj{"mode": "Full"}
		}
		decision = append(decision, "IPsec between the nodes")
	}
	if n.Type == "OpenShiftSDN" {
		config["mode"] = "NetworkPolicy"
		return obj{"type": n.Type, "openshiftSDNConfig": config}, decision
	}
	return obj{"type": n.Type, "ovnKubernetesConfig": config}, decision
}

// usualMTU is what the operator sets by itself on a network interface of plain
// Ethernet.
func (r *renderer) usualMTU(n v1alpha1.NetworkDecision) int {
	mtu := r.number("ocp.mtu.ethernetNIC")
	if n.Type == "OpenShiftSDN" {
		return mtu - r.number("ocp.mtu.vxlanOverhead")
	}
	mtu -= r.number("ocp.mtu.geneveOverhead")
	if n.IPsec {
		mtu -= r.number("ocp.mtu.ipsecOverhead")
	}
	return mtu
}

func clusterNetwork(n v1alpha1.NetworkDecision) list {
	out := list{}
	for _, c := range n.ClusterNetwork {
		out = append(out, obj{"cidr": c.CIDR, "hostPrefix": c.HostPrefix})
	}
	return out
}
