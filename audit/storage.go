package audit

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/loadmodel"
	"plimsoll.dev/plan/store"
)

// storageTests are about volumes, storage classes and the registry.
var storageTests = []test{{registryStorage, (*look).registryStorage}, {nfsCore, (*look).nfsCore},
	{loggingStorage, (*look).loggingStorage}, {accessMode, (*look).accessMode}, {defaultClass, (*look).defaultClass},
	{volumesPerNode, (*look).volumesPerNode}, {databaseStorage, (*look).databaseStorage}}

// Namespaces of the platform's own services that keep data.
const (
	registryNamespace = "openshift-image-registry"
	loggingNamespace  = "openshift-logging"
	userMonitoring    = "openshift-user-workload-monitoring"
)

// The access modes that are for several nodes.
const (
	writeMany = "ReadWriteMany"
	readMany  = "ReadOnlyMany"
)

// backing is what a volume is kept on, as far as its driver says.
type backing struct {
	// driver, or NFS.
	driver string
	// technology is block or file, and empty of drivers that have both or are not known; product is what package store
	// calls it.
	technology, product string
}

// nfs says whether a volume is one of NFS, of whatever vendor.
func (b backing) nfs() bool { return b.product == "vendor-nfs" }

func (b backing) String() string { return strings.TrimSpace(b.driver + " " + b.technology) }

// drivers are what CSI drivers and provisioners make, by the end of their names: a prefix tells several installations
// apart. Those that make both kinds, as Trident does, are not here.
var drivers = []struct{ end, technology, product string }{
	{"ebs.csi.aws.com", "block", "aws-ebs"}, {"kubernetes.io/aws-ebs", "block", "aws-ebs"},
	{"disk.csi.azure.com", "block", "azure-disk"}, {"kubernetes.io/azure-disk", "block", "azure-disk"},
	{"pd.csi.storage.gke.io", "block", ""}, {"kubernetes.io/gce-pd", "block", ""},
	{"cinder.csi.openstack.org", "block", "cinder"}, {"kubernetes.io/cinder", "block", "cinder"},
	{"rbd.csi.ceph.com", "block", "ceph-rbd"}, {"kubernetes.io/vsphere-volume", "block", "vmdk"},
	{"vpc.block.csi.ibm.io", "block", ""}, {"topolvm.io", "block", "physical-disk"},
	{"efs.csi.aws.com", "file", ""}, {"file.csi.azure.com", "file", ""}, {"kubernetes.io/azure-file", "file", ""},
	{"filestore.csi.storage.gke.io", "file", ""}, {"manila.csi.openstack.org", "file", ""},
	{"smb.csi.k8s.io", "file", ""}, {"cephfs.csi.ceph.com", "file", "cephfs"},
	{"nfs.csi.ceph.com", "file", "vendor-nfs"}, {"nfs.csi.k8s.io", "file", "vendor-nfs"},
}

func backingOf(driver string) backing {
	for _, d := range drivers {
		if strings.HasSuffix(driver, d.end) {
			return backing{driver, d.technology, d.product}
		}
	}
	return backing{driver: driver}
}

// keeper says what claims are kept on.
type keeper struct {
	volumes map[string]*Volume
	classes map[string]*StorageClass
}

func (c *Cloud) keeper() keeper {
	k := keeper{map[string]*Volume{}, map[string]*StorageClass{}}
	for i := range c.Volumes {
		k.volumes[c.Volumes[i].Metadata.Name] = &c.Volumes[i]
	}
	for i := range c.Classes {
		k.classes[c.Classes[i].Metadata.Name] = &c.Classes[i]
	}
	return k
}

// of a claim: its volume's driver, else what its class provisions.
func (k keeper) of(c *Claim) backing {
	if v := k.volumes[c.Spec.VolumeName]; v != nil {
		switch {
		case v.Spec.NFS != nil:
			return backing{"NFS", "file", "vendor-nfs"}
		case v.Spec.CSI != nil:
			return backingOf(v.Spec.CSI.Driver)
		}
	}
	if c.Spec.StorageClassName != nil && k.classes[*c.Spec.StorageClassName] != nil {
		return backingOf(k.classes[*c.Spec.StorageClassName].Provisioner)
	}
	return backing{}
}

// may says whether a claim asks for an access mode.
func (c *Claim) may(mode string) bool { return slices.Contains(c.Spec.AccessModes, mode) }

// claimsOf are the claims of some namespaces.
func (c *Cloud) claimsOf(namespaces ...string) []*Claim {
	var out []*Claim
	for i := range c.Claims {
		if slices.Contains(namespaces, c.Claims[i].Metadata.Namespace) {
			out = append(out, &c.Claims[i])
		}
	}
	return out
}

func atClaim(c *Claim, note string, args ...any) where {
	return at("PersistentVolumeClaim", c.path(), note, args...)
}

// nfsCore finds volumes of the platform's own services on NFS.
func (l *look) nfsCore() {
	keeper, core := l.keeper(), l.claimsOf(openshift.NamespaceMonitoring, userMonitoring, registryNamespace,
		loggingNamespace)
	if len(core) == 0 {
		l.notApplicable("no service of the platform has a volume")
		return
	}
	var bad []where
	for _, c := range core {
		if keeper.of(c).nfs() {
			bad = append(bad, atClaim(c, ""))
		}
	}
	if len(bad) > 0 {
		l.find(bad, "move them to block storage, the registry to an object store; or have the vendor of the NFS server "+
			"show tests with this service", "kept on NFS; tests show issues with the NFS server of Red Hat Enterprise Linux "+
			"under registry, monitoring and logging; which server it is can't be seen here")
	}
}

// loggingStorage judges the volumes of the cluster's logging.
func (l *look) loggingStorage() {
	claims := l.claimsOf(loggingNamespace)
	logging := func(p *Pod) bool { return p.Namespace == loggingNamespace && !p.ended() }
	if len(claims) == 0 && !slices.ContainsFunc(l.Pods, func(p Pod) bool { return logging(&p) }) {
		l.notApplicable("no logging is installed in %s", loggingNamespace)
		return
	}
	keeper := l.keeper()
	var shared, file, none []where
	for _, c := range claims {
		switch kept := keeper.of(c); {
		case c.may(writeMany) || c.may(readMany):
			shared = append(shared, atClaim(c, "%s", strings.Join(c.Spec.AccessModes, " ")))
		case kept.technology == "file" && !kept.nfs():
			file = append(file, atClaim(c, "%s", kept.driver))
		}
	}
	for i := range l.Pods {
		p := &l.Pods[i]
		if logging(p) && p.Labels["component"] == "elasticsearch" && len(p.Claims) == 0 {
			none = append(none, at("Pod", p.path(), ""))
		}
	}
	if len(shared) > 0 {
		l.find(shared, "give each node of Elasticsearch, and each pod of Loki, a block volume of its own with ReadWriteOnce",
			"logs are on storage that several pods share, an anti-pattern")
	}
	if len(none) > 0 {
		l.find(none, "set spec.logStore.elasticsearch.storage.size of ClusterLogging/instance in openshift-logging",
			"Elasticsearch has no volume: its logs end with the pod")
	}
	if len(file) > 0 {
		l.findAs(v1alpha1.Warning, file, "move them to a class of block storage", "logs are on file storage")
	}
}

// accessMode finds claims whose mode their storage can't serve.
func (l *look) accessMode() {
	catalogue, keeper := facts.Load(), l.keeper()
	var bad []where
	for i := range l.Claims {
		c := &l.Claims[i]
		kept := keeper.of(c)
		if kept.technology != "block" || c.Spec.VolumeMode == "Block" { // some drivers share raw devices
			continue
		}
		for _, m := range []struct{ mode, short string }{{writeMany, "RWX"}, {readMany, "ROX"}} {
			if c.may(m.mode) && !store.Serves(catalogue, kept.technology, kept.product, m.short) {
				bad = append(bad, atClaim(c, "%s on %s", m.mode, kept.driver))
				break
			}
		}
	}
	if len(bad) > 0 {
		l.find(bad, "claim ReadWriteOnce, or a class of file storage for pods on several nodes",
			"block storage is asked for an access mode that it does not have")
	}
}

// defaultMarks are the annotations that make a class the default.
var defaultMarks = []string{"storageclass.kubernetes.io/is-default-class",
	"storageclass.beta.kubernetes.io/is-default-class"}

// provisions says whether a class makes volumes: not those of local disks, which people make, nor buckets.
func (s *StorageClass) provisions() bool {
	return s.Provisioner != "" && s.Provisioner != "kubernetes.io/no-provisioner" &&
		!strings.HasSuffix(s.Provisioner, "/obc") && !strings.HasSuffix(s.Provisioner, "/bucket")
}

// defaultClass finds several default storage classes, or none.
func (l *look) defaultClass() {
	if len(l.Classes) == 0 {
		l.notApplicable("the cluster has no storage class")
		return
	}
	var defaults, all, fit []where
	made := map[where]time.Time{}
	for _, s := range l.Classes {
		is := func(mark string) bool { return s.Metadata.Annotations[mark] == "true" }
		one := at("StorageClass", s.Metadata.Name, "")
		all, made[one] = append(all, one), s.Metadata.Created
		if s.provisions() {
			fit = append(fit, one)
		}
		if slices.ContainsFunc(defaultMarks, is) {
			defaults = append(defaults, one)
		}
	}
	mark := func(of where, value string) string {
		return fmt.Sprintf("kubectl annotate --overwrite %s %s=%s", of.object, defaultMarks[0], value)
	}
	switch len(defaults) {
	case 0:
		fix := "choose one that makes volumes for pods, and: " + mark(where{object: "storageclass NAME"}, "true")
		if len(fit) == 1 {
			fix = mark(fit[0], "true")
		}
		l.find(all, fix, "no storage class is the default: a claim that names none stays Pending")
	case 1:
	default:
		slices.SortStableFunc(defaults, func(a, b where) int { return made[b].Compare(made[a]) })
		l.find(defaults, "keep "+defaults[0].object+", which counts from Kubernetes 1.26 on as the youngest, or another, "+
			"and of each other: "+mark(defaults[1], "false"),
			"%d storage classes are the default: which one a claim gets depends on their age, or claims are refused",
			len(defaults))
	}
}

// volumesNear is the share of the volumes that a node takes from which it is told.
const volumesNear = 0.8

// volumesPerNode compares attached volumes with what their drivers attach to a node. A full node hurts nobody while
// others take the pods.
func (l *look) volumesPerNode() {
	attached := l.attached()
	near, rooms := map[string][]where{}, map[string]bool{}
	for _, n := range l.Drivers {
		for _, d := range n.Spec.Drivers {
			if d.Allocatable == nil || d.Allocatable.Count == nil || *d.Allocatable.Count <= 0 {
				continue
			}
			most, has := *d.Allocatable.Count, len(attached[driverOn{n.Metadata.Name, d.Name}])
			if float64(has) >= volumesNear*float64(most) {
				near[d.Name] = append(near[d.Name], at("Node", n.Metadata.Name, "%d of %d", has, most))
			}
			rooms[d.Name] = rooms[d.Name] || has < most
		}
	}
	const fix = "add nodes, or larger ones that take more volumes; spread pods with volumes by topologySpreadConstraints"
	for _, driver := range slices.Sorted(maps.Keys(near)) {
		if rooms[driver] {
			l.find(near[driver], fix, "%.0f %% or more of the volumes of %s that a node takes, by this program's own choice",
				100*volumesNear, driver)
			continue
		}
		l.findAs(v1alpha1.Error, near[driver], fix, "no node takes a further volume of %s", driver)
	}
}

// driverOn is a driver on a node.
type driverOn struct{ node, driver string }

// attached are the volumes of each driver that pods use on each node.
func (l *look) attached() map[driverOn]map[string]bool {
	volumes, drivers := map[string]string{}, map[string]string{}
	for i := range l.Claims {
		volumes[l.Claims[i].path()] = l.Claims[i].Spec.VolumeName
	}
	for i := range l.Volumes {
		if csi := l.Volumes[i].Spec.CSI; csi != nil {
			drivers[l.Volumes[i].Metadata.Name] = csi.Driver
		}
	}
	out := map[driverOn]map[string]bool{}
	for i := range l.Pods {
		p := &l.Pods[i]
		if p.Node == "" || p.ended() {
			continue
		}
		for _, claim := range p.Claims {
			volume := volumes[p.Namespace+"/"+claim]
			key := driverOn{p.Node, drivers[volume]}
			if key.driver == "" {
				continue
			}
			if out[key] == nil {
				out[key] = map[string]bool{}
			}
			out[key][volume] = true
		}
	}
	return out
}

// databases are the names of some, as the label app.kubernetes.io/name of their pods says them.
var databases = []string{"postgresql", "postgres", "mysql", "mariadb", "mongodb", "cassandra"}

// databaseStorage finds databases of users whose volumes are file storage.
func (l *look) databaseStorage() {
	keeper, claims := l.keeper(), map[string]*Claim{}
	for i := range l.Claims {
		claims[l.Claims[i].path()] = &l.Claims[i]
	}
	var bad []where
	for i := range l.Pods {
		p := &l.Pods[i]
		if !slices.Contains(databases, p.Labels["app.kubernetes.io/name"]) || loadmodel.IsSystem(p.Namespace) || p.ended() {
			continue
		}
		for _, name := range p.Claims {
			c := claims[p.Namespace+"/"+name]
			if c != nil && keeper.of(c).technology == "file" {
				bad = append(bad, atClaim(c, "%s, of Pod/%s", keeper.of(c).driver, p.Name))
			}
		}
	}
	if len(bad) > 0 {
		choice := store.Judge(facts.Load(), store.Need{Use: "database", AccessMode: "RWO"}, "file", "")
		l.find(bad, "move the data to claims of a class of block storage", "a database is on file storage: %s",
			choice.Words())
	}
}
