package machineconfig

import (
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
)

// policy is what the operator does on a node after a change.
type policy struct {
	reboot, drain bool
	// byContent drains where the content of registriesFile asks for it.
	byContent bool
	// services are told: "crio.service reload".
	services []string
}

// pathPolicy is the policy of a file, or of all files below a directory, in some releases.
type pathPolicy struct {
	path string
	policy
	in release.Span
}

// covers says whether a file is that of the policy, or below its directory: at any depth since users may have policies
// of their own, before that directly.
func (p pathPolicy) covers(file string, r release.Release) bool {
	dir := strings.TrimSuffix(p.path, "/") + "/"
	return file == p.path || strings.HasPrefix(file, dir) &&
		(ownPolicies.In(r) || !strings.Contains(file[len(dir):], "/"))
}

var (
	nothing     = policy{}
	reloadsCRIO = policy{services: []string{"crio.service reload"}}
	restartsIRI = policy{services: []string{iriUnit + " restart"}}
)

const (
	anchors      = "/etc/pki/ca-trust/source/anchors/"
	iriUnit      = "iri-registry.service"
	trustRestart = "coreos-update-ca-trust.service restart"
)

// pathPolicies are the operator's own; the longest path counts. They stand in the operator's pkg/daemon/update.go up to
// 4.16, and in pkg/apihelpers/apihelpers.go from 4.17 on; each release's was read.
var pathPolicies = []pathPolicy{
	{"/var/lib/kubelet/config.json", nothing, release.Span{Since: 7}},
	{"/etc/kubernetes/kubelet-ca.crt", nothing, release.Span{Since: 7, Until: 16}},
	{"/etc/mco/internal-registry-pull-secret.json", nothing, release.Span{Since: 14, Until: 15}},
	{"/etc/machine-config-daemon/no-reboot/containers-gpg.pub", reloadsCRIO, release.Span{Since: 10}},
	{"/etc/containers/policy.json", reloadsCRIO, release.Span{Since: 10}},
	{registriesFile, policy{byContent: true, services: reloadsCRIO.services}, release.Span{Since: 7}},
	{"/etc/containers/registries.d", reloadsCRIO, release.Span{Since: 16}},
	{"/etc/crio/policies", reloadsCRIO, release.Span{Since: 18}},
	{"/etc/nmstate/openshift", nothing, release.Span{Since: 16}},
	{anchors + "openshift-config-user-ca-bundle.crt",
		policy{services: []string{trustRestart, "crio.service restart"}}, release.Span{Since: 14}},
	{"/etc/kubernetes/credential-providers", policy{services: []string{"kubelet.service restart"}},
		release.Span{Since: 22}},
	{"/etc/systemd/system/kubelet.service.d/40-kubelet-crio-image-credential-provider.conf",
		policy{services: []string{"systemd reload", "kubelet.service restart"}}, release.Span{Since: 22}},
	{"/etc/iri-registry", restartsIRI, release.Span{Since: 22}},
	{"/usr/local/bin/load-registry-image.sh", restartsIRI, release.Span{Since: 22}},
	{anchors + "iri-root-ca.crt", policy{services: []string{trustRestart}}, release.Span{Since: 22}},
}

// unitPolicy is the operator's own of the one unit that has any, since 4.22.
var unitPolicy = pathPolicy{iriUnit, policy{services: []string{"systemd reload", iriUnit + " restart"}},
	release.Span{Since: 22}}

// Policies are what a cluster's nodes do after changes: the operator's own and, in their place, those of the
// MachineConfiguration named cluster, and what else of the cluster decides about drains. The zero value has the
// operator's alone.
type Policies struct {
	// unknown is the object that would count and was not read; empty for none.
	unknown string
	// single says that nodes are never drained, since there is but one for the control plane; undrained that changes of
	// registriesFile drain none.
	single, undrained bool
	files             []pathPolicy
	units             map[string]policy
	// keys is nil where those of user core follow the operator's own policy.
	keys *policy
}

// configuration is a MachineConfiguration as far as it has policies.
type configuration struct {
	Spec struct {
		NodeDisruptionPolicy struct {
			Files []struct {
				Path    string   `json:"path"`
				Actions []action `json:"actions"`
			} `json:"files"`
			Units []struct {
				Name    string   `json:"name"`
				Actions []action `json:"actions"`
			} `json:"units"`
			SSHKey struct {
				Actions []action `json:"actions"`
			} `json:"sshkey"`
		} `json:"nodeDisruptionPolicy"`
	} `json:"spec"`
}

// action is one of a policy.
type action struct {
	Type    string  `json:"type"`
	Reload  service `json:"reload"`
	Restart service `json:"restart"`
}

type service struct {
	ServiceName string `json:"serviceName"`
}

// PoliciesOf are those of the MachineConfiguration among objects, of the last list that has one.
func PoliciesOf(r release.Release, lists ...[]*object.Object) Policies {
	var out Policies
	if ownPolicies.In(r) {
		out.unknown = "the MachineConfiguration named cluster, taken to have no policies"
	}
	for _, objects := range lists {
		out.drains(objects, r)
		typed, _ := object.All[configuration](objects, "MachineConfiguration")
		for _, t := range object.Latest(typed) {
			switch {
			case t.Name != "cluster":
			case ownPolicies.In(r):
				out.take(t.Value)
			case previewed.Has(r) && t.Tree.Has("spec.nodeDisruptionPolicy"):
				out.unknown = "what feature gate NodeDisruptionPolicy makes of the MachineConfiguration, taken to be off"
			}
		}
	}
	return out
}

// previewed are the releases in which policies of a cluster's own count where a feature gate is on.
var previewed = release.Span{Since: 16, Until: 16}

// Two objects keep nodes from being drained, as the operator's pkg/daemon/drain.go and update.go say.
var (
	singleUndrained = release.Span{Since: 8}
	overrideRead    = release.Span{Since: 14, Until: 19}
)

const drainOverride = "image-registry-override-drain"

// drains reads those two.
func (own *Policies) drains(objects []*object.Object, r release.Release) {
	for _, o := range objects {
		switch {
		case o.Kind == "Infrastructure" && singleUndrained.Has(r):
			own.single = o.Tree.Text("status.controlPlaneTopology") == "SingleReplica"
		case o.Kind == "ConfigMap" && o.Name == drainOverride && overrideRead.Has(r):
			own.undrained = true
		}
	}
}

// take puts the policies of a MachineConfiguration in the place of those before.
func (own *Policies) take(c configuration) {
	own.unknown, own.files, own.units, own.keys = "", nil, map[string]policy{}, nil
	spec := &c.Spec.NodeDisruptionPolicy
	for _, f := range spec.Files {
		own.files = append(own.files, pathPolicy{path: f.Path, policy: policyFrom(f.Actions)})
	}
	for _, u := range spec.Units {
		own.units[u.Name] = policyFrom(u.Actions)
	}
	if len(spec.SSHKey.Actions) > 0 {
		keys := policyFrom(spec.SSHKey.Actions)
		own.keys = &keys
	}
}

// unreadPolicies finds MachineConfigurations that nobody reads.
func unreadPolicies(objects []*object.Object, r release.Release) []v1alpha1.Finding {
	typed, _ := object.All[configuration](objects, "MachineConfiguration")
	var out []v1alpha1.Finding
	for _, t := range typed {
		switch {
		case t.Name != "" && t.Name != "cluster":
			out = append(out, t.Finding(policyRule, "metadata.name", "MachineConfiguration "+t.Name+
				" has no effect: only the one named cluster counts", "name it cluster"))
		case !ownPolicies.In(r) && t.Tree.Has("spec.nodeDisruptionPolicy"):
			gate := ""
			if previewed.Has(r) {
				gate = " without the feature gate NodeDisruptionPolicy, which is in preview"
			}
			out = append(out, t.Finding(policyRule, "spec.nodeDisruptionPolicy", "nodeDisruptionPolicy has no effect in "+
				r.OpenShift()+gate+": the nodes do what the operator's own policies say", "update to 4.17"))
		}
	}
	return out
}

// policyFrom is the sum of actions.
func policyFrom(actions []action) policy {
	var p policy
	for _, a := range actions {
		switch a.Type {
		case "Reboot":
			p.reboot = true
		case "Drain":
			p.drain = true
		case "Reload":
			p.services = append(p.services, a.Reload.ServiceName+" reload")
		case "Restart":
			p.services = append(p.services, a.Restart.ServiceName+" restart")
		case "DaemonReload":
			p.services = append(p.services, "systemd reload")
		}
	}
	return p
}

// of is the policy for a change as changes names it, and whether it is the cluster's own. What has none reboots.
func (own Policies) of(change string, r release.Release) (p policy, ownPolicy bool) {
	switch {
	case change == luksChange:
		return policy{}, false
	case change == "users" && own.keys != nil:
		return *own.keys, true
	case change == "users":
		return policy{}, false
	}
	if unit, isUnit := strings.CutPrefix(change, "unit "); isUnit {
		p, ownPolicy = own.units[unit]
		switch {
		case ownPolicy:
			return p, true
		case unit == unitPolicy.path && unitPolicy.in.Has(r):
			return unitPolicy.policy, false
		}
	}
	file, isFile := strings.CutPrefix(change, "file ")
	best, p := 0, policy{reboot: true}
	for i, f := range slices.Concat(own.files, pathPolicies) {
		if isFile && len(f.path) > best && f.in.Has(r) && f.covers(file, r) {
			best, p, ownPolicy = len(f.path), f.policy, i < len(own.files)
		}
	}
	return p, ownPolicy
}
