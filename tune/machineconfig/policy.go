package machineconfig

import "strings"

// policy is what the operator does on a node after a change.
type policy struct {
	reboot, drain bool
	// services are told: "crio.service reload".
	services []string
}

// pathPolicy is the policy of a file, or of all files below a directory.
type pathPolicy struct {
	path string
	policy
}

// pathPolicies are the operator's own; the longest path counts.
var pathPolicies = []pathPolicy{
	{"/var/lib/kubelet/config.json", policy{}},
	{"/etc/machine-config-daemon/no-reboot/containers-gpg.pub", policy{services: []string{"crio.service reload"}}},
	{"/etc/containers/policy.json", policy{services: []string{"crio.service reload"}}},
	{registriesFile, policy{drain: true, services: []string{"crio.service reload"}}},
	{"/etc/containers/registries.d", policy{services: []string{"crio.service reload"}}},
	{"/etc/crio/policies", policy{services: []string{"crio.service reload"}}},
	{"/etc/nmstate/openshift", policy{}},
	{"/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt",
		policy{services: []string{"coreos-update-ca-trust.service restart", "crio.service restart"}}},
	{"/etc/kubernetes/credential-providers", policy{services: []string{"kubelet.service restart"}}},
	{"/etc/systemd/system/kubelet.service.d/40-kubelet-crio-image-credential-provider.conf",
		policy{services: []string{"systemd reload", "kubelet.service restart"}}},
}

// policyOf is the policy for a change as changes names it. What has none reboots.
func policyOf(change string) policy {
	if change == "users" || change == luksChange {
		return policy{}
	}
	path, isFile := strings.CutPrefix(change, "file ")
	best, out := 0, policy{reboot: true}
	for _, p := range pathPolicies {
		if isFile && len(p.path) > best && (path == p.path || strings.HasPrefix(path, p.path+"/")) {
			best, out = len(p.path), p.policy
		}
	}
	return out
}
