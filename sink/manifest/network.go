package manifest

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
)

// networkOperatorFile has the name that the guides give it.
const networkOperatorFile = installDir + "cluster-network-03-config.yml"

// networkOperator writes what install-config.yaml has no field for: the MTU of
// the cluster network where it isn't that of plain Ethernet, and IPsec.
func (r *renderer) networkOperator() {
	n := r.Decisions.Network
	usual := r.usualMTU(n)
	if n.Type == "" || !n.IPsec && (n.ClusterMTU == 0 || n.ClusterMTU == usual) {
		return
	}
	config := obj{}
	var decision []string
	if n.ClusterMTU != 0 {
		config["mtu"] = n.ClusterMTU
		decision = append(decision, fmt.Sprintf("cluster MTU %d (%d on plain Ethernet)", n.ClusterMTU, usual))
	}
	if n.IPsec {
		config["ipsecConfig"] = obj{}
		if r.release.has(ipsecMode) {
			config["ipsecConfig"] = obj{"mode": "Full"}
		}
		decision = append(decision, "IPsec between the nodes")
	}
	network := obj{"type": n.Type}
	if n.Type == "OpenShiftSDN" {
		config["mode"] = "NetworkPolicy"
		network["openshiftSDNConfig"] = config
	} else {
		network["ovnKubernetesConfig"] = config
	}
	body := obj{
		"apiVersion": "operator.openshift.io/v1",
		"kind":       "Network",
		"metadata":   obj{"name": "cluster"},
		"spec": obj{
			"clusterNetwork": clusterNetwork(n),
			"serviceNetwork": n.ServiceNetwork,
			"defaultNetwork": network,
		},
	}
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
			"For a new cluster only. Don't apply it to a running one: the operator refuses the change and is degraded until it is taken back.",
		},
		sources: ocp("12.1", "12.3"),
	}
	r.add(networkOperatorFile, stageInstall, joinWords(decision), h, body)
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
