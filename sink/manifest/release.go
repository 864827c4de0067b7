package manifest

import "plimsoll.dev/tune/era"

// field names something that only some releases know.
type field string

// span is the range of releases that know a field.
type span struct {
	era.Span
	// source is where the change can be read.
	source string
}

// in says whether a release knows the field.
func (f field) in(r era.Release) bool {
	s, ok := fields[f]
	if !ok {
		panic("manifest: no such field in the table: " + string(f))
	}
	return s.Has(r)
}

// The fields that don't exist, or must not be used, in every release since 4.1,
// but for those that a package below tune has a table of.
const (
	machineNetwork     field = "install-config networking.machineNetwork"
	openShiftSDN       field = "install-config networkType OpenShiftSDN"
	installOSDisk      field = "install-config osDisk of azure and gcp"
	installNovaZones   field = "install-config platform.openstack.zones"
	ipsecConfig        field = "Network ovnKubernetesConfig.ipsecConfig"
	ipsecMode          field = "Network ovnKubernetesConfig.ipsecConfig.mode"
	customPoolWins     field = "MachineConfigPool custom pool before worker"
	kubeletPerName     field = "MachineConfig 99-POOL-generated-kubelet"
	kernelArguments    field = "MachineConfig kernelArguments"
	machineCloud       field = "MachineSet on azure, gcp and openstack"
	machineVSphere     field = "MachineSet on vsphere"
	machineGroup       field = "MachineSet provider group machine.openshift.io"
	machineHealthCheck field = "MachineHealthCheck maxUnhealthy"
	machineCIDRTold    field = "install-config networking.machineCIDR in the guides"
	recommendConf      field = "Tuned recommend.conf of all CRs on each node"
)

// since is the span of a field that is still there.
func since(first era.Release, source string) span {
	return span{Span: era.Span{Since: first}, source: source}
}

// fields are read from the release branches of the projects named.
var fields = map[field]span{
	machineNetwork:     since(4, "openshift/installer pull 2829, openshift/openshift-docs pull 19212"),
	openShiftSDN:       {era.Span{Since: 1, Until: 14}, "Red Hat Knowledgebase: OpenShiftSDN CNI removal in OCP 4.17"},
	installOSDisk:      since(6, "OpenShift 4.6 release notes: disk type and size on Azure and GCP"),
	installNovaZones:   since(6, "openshift/installer pull 3918"),
	ipsecConfig:        since(7, "openshift/api release-4.7 operator/v1 OVNKubernetesConfig"),
	ipsecMode:          since(15, "openshift/api release-4.15 operator/v1 IPsecConfig"),
	customPoolWins:     since(15, "openshift/machine-config-operator release-4.15 MergeMachineConfigs"),
	kubeletPerName:     since(6, "openshift/machine-config-operator release-4.6 kubelet-config"),
	kernelArguments:    since(2, "openshift/machine-config-operator release-4.2 MachineConfigSpec"),
	machineCloud:       since(2, "OpenShift 4.2 release notes: installer-provisioned Azure, GCP and OpenStack"),
	machineVSphere:     since(5, "OpenShift 4.5 release notes: installer-provisioned vSphere"),
	machineGroup:       since(12, "openshift/machine-api-operator release-4.12 machine webhook"),
	machineCIDRTold:    {era.Span{Since: 1, Until: 9}, "OpenShift 4.1 to 4.9 docs: installing, networking parameters"},
	recommendConf:      {era.Span{Since: 1, Until: 3}, "openshift/cluster-node-tuning-operator release-4.3 tuned recommend.conf; release-4.4 profile calculator"},
	machineHealthCheck: since(3, "openshift/machine-api-operator release-4.3 MachineHealthCheckSpec"),
}
