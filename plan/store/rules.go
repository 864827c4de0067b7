package store

import (
	"slices"

	"plimsoll.dev/part"
)

// rule is a sentence of chapter 10 or 2 as data. Empty lists match everything.
type rule struct {
	// fact that states it.
	fact string
	// What the rule applies to.
	uses, technologies, products, modes []string
	where                               place
	// level that it holds a choice down to; empty for a remark.
	level Level
	text  string
}

// place is where a rule holds.
type place int

const (
	anywhere place = iota
	nonCloud
)

// rules in the order of the documents' sections.
var rules = []rule{
	{fact: "ocp.etcd.storageRecommended", uses: only("etcd"), technologies: only("block"),
		text: "etcd needs the lowest consistent latency and fast serial writes (fsync): NVMe or SSD"},
	{fact: "ocp.etcd.storageNotRecommended", uses: only("etcd"), products: []string{"hdd", "ceph-rbd"},
		level: NotRecommended, text: "Ceph, NFS and spinning disks are not recommended for etcd"},
	{fact: "ocp.etcd.storageNotRecommended", uses: only("etcd"), technologies: only("file"),
		level: NotRecommended, text: "Ceph, NFS and spinning disks are not recommended for etcd"},
	{fact: "ocp.dataDir.etcdPath", uses: only("etcd"), technologies: only("object"),
		level: NotConfigurable, text: "etcd writes to a directory of the control plane node"},

	{fact: "ocp.storage.rhelNFS", uses: core, products: only("rhel-nfs"),
		level: NotRecommended, text: "tests show issues with the NFS server of Red Hat Enterprise Linux under core services"},
	{fact: "ocp.storage.rhelNFS", uses: core, products: []string{"netapp-nfs", "vendor-nfs"},
		text: "other NFS implementations may not have the issues of RHEL's: ask the vendor for tests with this component"},

	{fact: "ocp.storage.registryConsistency", uses: []string{"registry", "scaledRegistry"},
		text: "the storage must ensure read-after-write consistency"},
	{fact: "ocp.storage.registryPreferred", uses: only("registry"), technologies: only("block"),
		text: "the second choice after object storage"},
	{fact: "ocp.storage.registryFileProduction", uses: only("registry"), technologies: only("file"),
		level: NotRecommended, text: "file storage is not recommended for a registry in production"},

	{fact: "ocp.storage.scaledRegistrySupported", uses: only("scaledRegistry"), technologies: only("object"),
		products: only("other"),
		level:    Configurable, text: "Amazon S3, Google Cloud Storage, " +
			"Azure Blob Storage and OpenStack Swift are supported; " +
			"another store should be S3 or Swift compliant"},
	{fact: "ocp.storage.scaledRegistryFileProduction", uses: only("scaledRegistry"), technologies: only("file"),
		level: NotRecommended, text: "file storage is not recommended for a scaled registry in production"},
	{fact: "ocp.storage.scaledRegistryNonCloud", uses: only("scaledRegistry"), technologies: only("file"), where: nonCloud,
		text: "yet on non-cloud platforms file storage is the only configurable technology: " +
			"the document leaves no recommended choice here"},
	{fact: "ocp.storage.scaledRegistryNonCloud", uses: only("scaledRegistry"), technologies: []string{"block", "object"},
		where: nonCloud,
		level: NotConfigurable, text: "on non-cloud platforms, such as vSphere and bare metal, " +
			"only file storage is configurable"},

	{fact: "ocp.storage.metricsFileProduction", uses: only("metrics"), technologies: only("file"),
		level: NotRecommended, text: "file storage is not recommended for metrics in production"},
	{fact: "ocp.storage.metrics/file", uses: only("metrics"), technologies: only("file"), modes: only("RWX"),
		level: NotConfigurable, text: "file storage with ReadWriteMany is unreliable for metrics: " +
			"do not configure that mode"},

	{fact: "ocp.storage.loggingFileProduction", uses: only("logging"), technologies: only("file"),
		level: NotRecommended, text: "file storage is not recommended in production (the sentence stands under logging and " +
			"speaks of the registry, a slip; footnote 6 says the same of logging)"},
	{fact: "ocp.storage.loggingVolumesPerElasticsearch", uses: only("logging"), modes: []string{"ROX", "RWX"},
		level: NotConfigurable, text: "shared storage is an anti-pattern for logging: " +
			"one volume for each Elasticsearch is required"},

	{fact: "ocp.storage.apps/object", uses: []string{"apps", "database"}, technologies: only("object"),
		level: NotConfigurable,
		text: "object storage is not consumed through persistent volumes or claims: " +
			"the application must use its REST API (footnote 7 of table 10.2)"},
	{fact: "ocp.storage.appsDynamic", uses: only("apps"), technologies: []string{"block", "file"},
		text: "prefer storage with dynamic provisioning and low mount latency that is not tied to a node"},
	{fact: "ocp.storage.databases", uses: only("database"), technologies: only("block"),
		text: "databases perform best on dedicated block storage"},
	{fact: "ocp.storage.databases", uses: only("database"), technologies: only("file"),
		level: Configurable, text: "databases perform best on dedicated block storage"},

	{fact: "ocp.storage.cinder", products: only("cinder"), modes: only("ROX"),
		text: "RHOSP Cinder is adept in ReadOnlyMany"},
}

func only(s string) []string { return []string{s} }

// core are the core services of OCP 10.2.1: the registry, Prometheus and Elasticsearch.
var core = []string{"registry", "scaledRegistry", "metrics", "logging"}

func (r rule) applies(need Need, technology, product string) bool {
	match := func(list []string, s string) bool { return len(list) == 0 || slices.Contains(list, s) }
	return match(r.uses, need.Use) && match(r.technologies, technology) && match(r.products, product) &&
		match(r.modes, need.AccessMode) && (r.where == anywhere || !part.Cloud(need.Provider))
}

// columns of table 10.2 by use; a database is an application. etcd has none.
var columns = map[string]string{"registry": "registry", "scaledRegistry": "scaledRegistry", "metrics": "metrics",
	"logging": "logging", "apps": "apps", "database": "apps"}

var useTitles = map[string]string{"registry": "a registry", "scaledRegistry": "a scaled registry", "metrics": "metrics",
	"logging": "logging", "apps": "applications"}

var modeTitles = map[string]string{"ROX": "read-only by many (ReadOnlyMany)",
	"RWX": "for writing by many (ReadWriteMany)"}

// preference is the order among technologies of the same level.
func preference(use string) []string {
	switch use {
	case "registry":
		return []string{"object", "block", "file"}
	case "scaledRegistry":
		return []string{"object", "file", "block"}
	}
	return Technologies()
}

// product is what is known of a product.
type product struct {
	title, technology string
	// notROX marks the exceptions of footnote 4.
	notROX bool
}

// localFlash stands for a local drive of either kind; a scenario names one.
const localFlash = "local-flash"

// products by their names in the scenario. Local disks are physical disks.
var products = map[string]product{
	"rhel-nfs":         {"RHEL NFS", "file", false},
	"netapp-nfs":       {"NetApp NFS", "file", false},
	"vendor-nfs":       {"a vendor's NFS", "file", false},
	"loopback-nfs":     {"loopback over NFS", "file", true},
	"cephfs":           {"CephFS", "file", false},
	"aws-ebs":          {"AWS EBS", "block", true},
	"azure-disk":       {"Azure Disk", "block", true},
	"vmdk":             {"VMDK", "block", true},
	"physical-disk":    {"a physical disk", "block", true},
	"vm-physical-disk": {"a VM's physical disk", "block", true},
	"ssd":              {"a local SSD", "block", true},
	localFlash:         {"a local NVMe or SSD drive", "block", true},
	"nvme":             {"a local NVMe drive", "block", true},
	"hdd":              {"a spinning disk", "block", true},
	"cinder":           {"RHOSP Cinder", "block", false},
	"ceph-rbd":         {"Ceph RBD", "block", false},
	"s3":               {"Amazon S3", "object", false},
	"gcs":              {"Google Cloud Storage", "object", false},
	"azure-blob":       {"Azure Blob Storage", "object", false},
	"swift":            {"OpenStack Swift", "object", false},
	"other":            {"another product", "", false},
}

// typical is the product that a provider is known for, by technology.
var typical = map[string]map[string]string{
	"aws":       {"block": "aws-ebs", "object": "s3"},
	"azure":     {"block": "azure-disk", "object": "azure-blob"},
	"gcp":       {"object": "gcs"},
	"openstack": {"block": "cinder", "object": "swift"},
	"vsphere":   {"block": "vmdk"},
}
