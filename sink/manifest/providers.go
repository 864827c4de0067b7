package manifest

import (
	"fmt"
	"strconv"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/release"
	"plimsoll.dev/unit"
)

// provider is an infrastructure on which the machine API makes machines.
type provider struct {
	// kind of the machines' settings.
	kind string
	// in are the releases that have it; nil when every one has.
	in *release.Behaviour[bool]
	// group is the API version of the settings before machineGroup, since the
	// one after it.
	group, since string
	// install makes a machine pool of install-config.yaml; spec the settings of
	// a machine set for one zone.
	install func(release.Release, v1alpha1.PoolDecision) obj
	spec    func(machine) obj
}

// machine is what a machine set's settings are made for.
type machine struct {
	v1alpha1.PoolDecision
	// zone is the number of the zone, from 1; zones how many there are.
	zone, zones int
	release     release.Release
}

const (
	machineNamespace = "openshift-machine-api"
	machineV1beta1   = "machine.openshift.io/v1beta1"
)

var providers = map[string]provider{
	"aws": {kind: "AWSMachineProviderConfig", group: "awsproviderconfig.openshift.io/v1beta1", since: machineV1beta1,
		install: installAWS, spec: specAWS},
	"azure": {kind: "AzureMachineProviderSpec", in: &machineCloud,
		group: "azureproviderconfig.openshift.io/v1beta1", since: machineV1beta1,
		install: installAzure, spec: specAzure},
	"gcp": {kind: "GCPMachineProviderSpec", in: &machineCloud,
		group: "gcpprovider.openshift.io/v1beta1", since: machineV1beta1,
		install: installGCP, spec: specGCP},
	"openstack": {kind: "OpenstackProviderSpec", in: &machineCloud,
		group: "openstackproviderconfig.openshift.io/v1alpha1", since: "machine.openshift.io/v1alpha1",
		install: installOpenStack, spec: specOpenStack},
	"vsphere": {kind: "VSphereMachineProviderSpec", in: &machineVSphere,
		group: "vsphereprovider.openshift.io/v1beta1", since: machineV1beta1,
		install: installVSphere, spec: specVSphere},
}

// providerOf is nil where the plan's machines are not made by machine sets that
// can be written without knowing each machine (bare metal, IBM Z, none), or
// where the release has none for the provider yet.
func providerOf(name string, r release.Release) *provider {
	p, ok := providers[name]
	if !ok || p.in != nil && !p.in.In(r) {
		return nil
	}
	return &p
}

// apiVersion of the settings in a release.
func (p *provider) apiVersion(r release.Release) string {
	if machineGroup.In(r) {
		return p.since
	}
	return p.group
}

func secret(name string) obj { return obj{"name": name} }

func userData() obj { return secret("worker-user-data") }

// diskGiB is the size of a disk in GiB, or a placeholder when the plan does not
// know it.
func diskGiB(b unit.Bytes) any {
	if b <= 0 {
		return "<DISK_GIB>"
	}
	return int((b + unit.GiB - 1) / unit.GiB)
}

// zoned is a placeholder of its own for each zone: <ZONE_2>.
func zoned(name string, zone int) string { return fmt.Sprintf("<%s_%d>", name, zone) }

func specAWS(m machine) obj {
	volume := "gp2"
	if ebsGP3.In(m.release) {
		volume = "gp3"
	}
	named := func(value string) list { return list{obj{"name": "tag:Name", "values": list{value}}} }
	return obj{
		"ami": obj{"id": "<AMI_ID>"},
		"blockDevices": list{obj{"ebs": obj{"encrypted": true, "volumeSize": diskGiB(m.Disk),
			"volumeType": volume}}},
		"credentialsSecret":  secret("aws-cloud-credentials"),
		"deviceIndex":        0,
		"iamInstanceProfile": obj{"id": "<WORKER_PROFILE>"},
		"instanceType":       m.Type,
		"placement":          obj{"availabilityZone": zoned("ZONE", m.zone), "region": "<REGION>"},
		"securityGroups":     list{obj{"filters": named("<WORKER_SECURITY_GROUP>")}},
		"subnet":             obj{"filters": named(zoned("SUBNET", m.zone))},
		"tags":               list{obj{"name": "kubernetes.io/cluster/<INFRA_ID>", "value": "owned"}},
		"userDataSecret":     userData(),
	}
}

func specAzure(m machine) obj {
	credentials := secret("azure-cloud-credentials")
	credentials["namespace"] = machineNamespace
	return obj{
		"credentialsSecret": credentials,
		"image": obj{"offer": "", "publisher": "", "resourceID": "<IMAGE_RESOURCE_ID>", "sku": "",
			"version": ""},
		"location":             "<REGION>",
		"managedIdentity":      "<MANAGED_IDENTITY>",
		"networkResourceGroup": "<NETWORK_RESOURCE_GROUP>",
		"osDisk": obj{"diskSizeGB": diskGiB(m.Disk), "managedDisk": obj{"storageAccountType": "Premium_LRS"},
			"osType": "Linux"},
		"publicIP":           false,
		"publicLoadBalancer": "<PUBLIC_LOAD_BALANCER>",
		"resourceGroup":      "<RESOURCE_GROUP>",
		"subnet":             "<SUBNET>",
		"userDataSecret":     userData(),
		"vmSize":             m.Type,
		"vnet":               "<VNET>",
		"zone":               strconv.Itoa(m.zone),
	}
}

func specGCP(m machine) obj {
	return obj{
		"canIPForward":       false,
		"credentialsSecret":  secret("gcp-cloud-credentials"),
		"deletionProtection": false,
		"disks": list{obj{"autoDelete": true, "boot": true, "image": "<IMAGE>", "labels": nil,
			"sizeGb": diskGiB(m.Disk), "type": "pd-ssd"}},
		"machineType":       m.Type,
		"networkInterfaces": list{obj{"network": "<NETWORK>", "subnetwork": "<SUBNET>"}},
		"projectID":         "<PROJECT_ID>",
		"region":            "<REGION>",
		"serviceAccounts": list{obj{"email": "<WORKER_SERVICE_ACCOUNT>",
			"scopes": list{"https://www.googleapis.com/auth/cloud-platform"}}},
		"tags":           list{"<INFRA_ID>-worker"},
		"userDataSecret": userData(),
		"zone":           zoned("ZONE", m.zone),
	}
}

func specOpenStack(m machine) obj {
	clouds := secret("openstack-cloud-credentials")
	clouds["namespace"] = machineNamespace
	out := obj{
		"cloudName":    "openstack",
		"cloudsSecret": clouds,
		"flavor":       m.Type,
		"image":        "<IMAGE>",
		"networks": list{obj{"filter": obj{}, "subnets": list{obj{
			"filter": obj{"name": "<SUBNET>", "tags": "openshiftClusterID=<INFRA_ID>"}}}}},
		"securityGroups": list{obj{"filter": obj{}, "name": "<WORKER_SECURITY_GROUP>"}},
		"serverMetadata": obj{"Name": "<INFRA_ID>-worker", "openshiftClusterID": "<INFRA_ID>"},
		"tags":           list{"openshiftClusterID=<INFRA_ID>"},
		"userDataSecret": userData(),
	}
	if m.zones > 1 {
		out["availabilityZone"] = zoned("ZONE", m.zone)
	}
	return out
}

func specVSphere(m machine) obj {
	datastore, resources := "<DATASTORE>", "<RESOURCE_POOL>"
	if m.zones > 1 {
		datastore, resources = zoned("DATASTORE", m.zone), zoned("RESOURCE_POOL", m.zone)
	}
	return obj{
		"credentialsSecret": secret("vsphere-cloud-credentials"),
		"diskGiB":           diskGiB(m.Disk),
		"memoryMiB":         int(m.Memory / unit.MiB),
		"network":           obj{"devices": list{obj{"networkName": "<NETWORK>"}}},
		"numCPUs":           m.CPUs,
		"snapshot":          "",
		"template":          "<TEMPLATE>",
		"userDataSecret":    userData(),
		"workspace": obj{"datacenter": "<DATACENTER>", "datastore": datastore, "folder": "<FOLDER>",
			"resourcePool": resources, "server": "<VCENTER>"},
	}
}
