package manifest

import (
	"fmt"
	"strconv"
	"strings"
)

// release is a minor release of OpenShift.
type release struct{ major, minor int }

// parseRelease reads "4.4" or "4.14.3"; the patch level doesn't matter here.
func parseRelease(s string) (release, error) {
	parts := strings.Split(s, ".")
	if len(parts) < 2 {
		return release{}, fmt.Errorf("release %q is not of the form 4.17", s)
	}
	major, err1 := strconv.Atoi(parts[0])
	minor, err2 := strconv.Atoi(parts[1])
	if err1 != nil || err2 != nil || major < 0 || minor < 0 {
		return release{}, fmt.Errorf("release %q is not of the form 4.17", s)
	}
	return release{major, minor}, nil
}

func (r release) String() string { return fmt.Sprintf("%d.%d", r.major, r.minor) }

func (r release) before(o release) bool {
	return r.major < o.major || r.major == o.major && r.minor < o.minor
}

// has says whether the release knows a field of the table.
func (r release) has(f field) bool {
	s, ok := fields[f]
	if !ok {
		panic("manifest: no such field in the table: " + string(f))
	}
	return !r.before(s.since) && (s.until == release{} || !s.until.before(r))
}

// field names something that only some releases know.
type field string

// span is the range of releases that know a field.
type span struct {
	since release
	// until is the last release; zero when there is none yet.
	until release
	// source is where the change can be read.
	source string
}

// The fields that don't exist, or must not be used, in every release since 4.1.
const (
	machineNetwork        field = "install-config networking.machineNetwork"
	openShiftSDN          field = "install-config networkType OpenShiftSDN"
	installOSDisk         field = "install-config osDisk of azure and gcp"
	installNovaZones      field = "install-config platform.openstack.zones"
	ipsecConfig           field = "Network ovnKubernetesConfig.ipsecConfig"
	ipsecMode             field = "Network ovnKubernetesConfig.ipsecConfig.mode"
	poolLabel             field = "MachineConfigPool label pools.operator.machineconfiguration.openshift.io"
	customPoolWins        field = "MachineConfigPool custom pool before worker"
	kubeletPerName        field = "MachineConfig 99-POOL-generated-kubelet"
	machineCloud          field = "MachineSet on azure, gcp and openstack"
	machineVSphere        field = "MachineSet on vsphere"
	machineGroup          field = "MachineSet provider group machine.openshift.io"
	threadCount           field = "IngressController tuningOptions.threadCount"
	maxConnections        field = "IngressController tuningOptions.maxConnections"
	monitoringTolerations field = "monitoring tolerations"
	openshiftStateMetrics field = "monitoring openshiftStateMetrics"
	thanosQuerier         field = "monitoring thanosQuerier"
	grafana               field = "monitoring grafana"
	k8sPrometheusAdapter  field = "monitoring k8sPrometheusAdapter"
	metricsServer         field = "monitoring metricsServer"
	monitoringPlugin      field = "monitoring monitoringPlugin"
)

// fields are read from the release branches of the projects named.
var fields = map[field]span{
	machineNetwork:   {since: release{4, 4}, source: "openshift/installer pull 2829, openshift/openshift-docs pull 19212"},
	openShiftSDN:     {since: release{4, 1}, until: release{4, 14}, source: "Red Hat Knowledgebase: OpenShiftSDN CNI removal in OCP 4.17"},
	installOSDisk:    {since: release{4, 6}, source: "OpenShift 4.6 release notes: disk type and size on Azure and GCP"},
	installNovaZones: {since: release{4, 6}, source: "openshift/installer pull 3918"},
	ipsecConfig:      {since: release{4, 7}, source: "openshift/api release-4.7 operator/v1 OVNKubernetesConfig"},
	ipsecMode:        {since: release{4, 15}, source: "openshift/api release-4.15 operator/v1 IPsecConfig"},
	poolLabel:        {since: release{4, 6}, source: "openshift/machine-config-operator release-4.6 manifests"},
	customPoolWins:   {since: release{4, 15}, source: "openshift/machine-config-operator release-4.15 MergeMachineConfigs"},
	kubeletPerName:   {since: release{4, 7}, source: "openshift/machine-config-operator release-4.7 kubelet-config"},
	machineCloud:     {since: release{4, 2}, source: "OpenShift 4.2 release notes: installer-provisioned Azure, GCP and OpenStack"},
	machineVSphere:   {since: release{4, 5}, source: "OpenShift 4.5 release notes: installer-provisioned vSphere"},
	machineGroup:     {since: release{4, 12}, source: "openshift/machine-api-operator release-4.12 machine webhook"},
	threadCount:      {since: release{4, 8}, source: "openshift/api release-4.8 operator/v1 IngressController"},
	maxConnections:   {since: release{4, 11}, source: "openshift/api release-4.11 operator/v1 IngressController"},

	monitoringTolerations: {since: release{4, 2}, source: "openshift/cluster-monitoring-operator release-4.2"},
	openshiftStateMetrics: {since: release{4, 2}, source: "openshift/cluster-monitoring-operator release-4.2"},
	thanosQuerier:         {since: release{4, 5}, source: "openshift/cluster-monitoring-operator release-4.5"},
	grafana:               {since: release{4, 1}, until: release{4, 10}, source: "openshift/cluster-monitoring-operator pull 1557"},
	k8sPrometheusAdapter:  {since: release{4, 1}, until: release{4, 15}, source: "openshift/cluster-monitoring-operator: replaced by the metrics server in 4.16"},
	metricsServer:         {since: release{4, 16}, source: "openshift/cluster-monitoring-operator: default since 4.16"},
	monitoringPlugin:      {since: release{4, 14}, source: "openshift/cluster-monitoring-operator release-4.14"},
}
