package openstack

import "plimsoll.dev/internal/yamlpos"

// Export is what one command of a client writes about a cloud: rows, of which some columns are kept and no others.
type Export struct {
	// Name of it, such as servers: of its file in a directory of exports, servers.json, and of its list in a snapshot.
	Name string
	// Kind of its rows, as an audit knows them.
	Kind string
	// Command that writes it.
	Command string
	// list is the name of the list in a mapping, where the command writes one.
	list    string
	columns []column
	// rows of what is no list of rows with these columns.
	rows func(*table, *yamlpos.Node) []map[string]any
}

// Exports are all that an audit of a cloud reads, in the order in which they are best written.
var Exports = []Export{
	{Name: "servers", Kind: "Server", Command: "openstack server list --all-projects --long -f json", columns: []column{
		name("id"), name("name"), word("status"), name("host", hostColumns...),
		name("flavor", "flavorname", "flavor", "flavorid"),
		name("image", "imagename", "image", "imageid"),
		name("imageid"),
		name("availabilityzone", "availabilityzone", "osextazavailabilityzone"), name("pinnedavailabilityzone")}},
	{Name: "flavors", Kind: "Flavor", Command: "openstack flavor list --all --long -f json", columns: []column{
		name("id"), name("name"), number("vcpus"), number("ram"), number("disk"),
		number("ephemeral", "ephemeral", "osflvextdataephemeral"), number("swap"),
		specs("properties", "hw: pci_passthrough: resources trait aggregate_instance_extra_specs: "+
			"capabilities:", "properties", "extraspecs")}},
	{Name: "images", Kind: "Image", Command: "openstack image list --long -f json", columns: []column{name("id"),
		name("name"), word("status"), number("size"), number("virtualsize"), word("diskformat"),
		specs("properties", "hw_cpu_ hw_numa_ hw_mem_ hw_pci_ hw_wrs_ hw_emulator_ hw_vif_model trait: "+
			"cache_raw", "properties")}},
	{Name: "hypervisors", Kind: "Hypervisor", Command: "openstack hypervisor list --long -f json", columns: []column{
		name("hostname", "hypervisorhostname", "hostname"), name("host", "servicehost", "host"), word("state"),
		word("type", "hypervisortype", "type"),
		number("vcpus"), number("vcpusused"), number("memorymb"), number("memorymbused"),
		{name: "threads", as: threads, sample: 0.0}}},
	{Name: "compute-services", Kind: "ComputeService", Command: "openstack compute service list -f json",
		columns: service},
	{Name: "network-agents", Kind: "NetworkAgent", Command: "openstack network agent list -f json", columns: []column{
		word("agenttype"), name("host"), truth("alive"), truth("enabled", "adminstateup", "state", "enabled")}},
	{Name: "volume-services", Kind: "VolumeService", Command: "openstack volume service list -f json", columns: service},
	{Name: "server-groups", Kind: "ServerGroup", Command: "openstack server group list --all-projects --long -f json",
		columns: []column{name("id"), name("name"), word("policy", "policy", "policies"),
			{name: "maxserverperhost", as: perHost, sample: 0.0}, names("members")}},
	{Name: "volumes", Kind: "Volume", Command: "openstack volume list --all-projects --long -f json",
		columns: []column{name("id"), name("name"), word("status"), number("size")}},
	{Name: "neutron-networks", Kind: "NeutronNetwork", Command: "openstack network list --long -f json",
		columns: []column{name("id"), name("name"), word("routertype"), name("physicalnetwork", "providerphysicalnetwork",
			"physicalnetwork")}},
	{Name: "subnets", Kind: "Subnet", Command: "openstack subnet list -f json", columns: []column{name("id")}},
	{Name: "routers", Kind: "Router", Command: "openstack router list -f json",
		columns: []column{name("id"), name("name"), truth("ha"), truth("distributed")}},
	{Name: "ports", Kind: "Port", Command: "openstack port list --long -f json",
		columns: []column{name("id"), name("deviceid"), names("securitygroups")}},
	{Name: "security-group-rules", Kind: "SecurityGroupRule",
		Command: "openstack security group rule list --all-projects --long -f json",
		columns: []column{name("securitygroup", "securitygroup", "securitygroupid")}},
	{Name: "ceph-health", Kind: "CephCheck", Command: "ceph health detail -f json", rows: cephChecks,
		columns: []column{word("code"), word("severity"), name("message"), truth("muted")}},
	{Name: "ceph-df", Kind: "CephRoom", Command: "ceph df -f json", rows: cephRoom,
		columns: []column{word("class"), number("totalbytes"), number("usedbytes")}},
	{Name: "ceph-osd-tree", Kind: "CephNode", Command: "ceph osd tree -f json", list: "nodes", columns: []column{
		number("id"), name("name"), word("type"), word("status"), number("crushweight"),
		number("reweight"), word("deviceclass"), texts("children")}},
}

var service = []column{word("binary"), name("host"), word("status"), word("state")}

// cut keeps the columns of a row, under the names that a snapshot has for them.
func (e *Export) cut(t *table, row *yamlpos.Node) map[string]any {
	out := map[string]any{}
	for _, c := range e.columns {
		if v := c.read(t, row); v != nil {
			out[c.name] = v
		}
	}
	return out
}

// cephChecks are the checks that are not fine, one a row.
func cephChecks(t *table, row *yamlpos.Node) []map[string]any {
	all := cell(row, "checks")
	if all == nil || all.Kind != yamlpos.Map {
		if !has(row, "checks") {
			t.at(row, "is no health of Ceph since 12.2", "write it with ceph health detail -f json")
		}
		return nil
	}
	var out []map[string]any
	for _, e := range all.Entries {
		c := map[string]any{"code": e.Key, "severity": text(cell(e.Value, "severity"))}
		if s := cell(e.Value, "summary"); s != nil {
			c["message"] = text(cell(s, "message"))
		}
		c["muted"] = text(cell(e.Value, "muted")) == "true"
		out = append(out, c)
	}
	return out
}

// cephRoom is what a cluster has and what of it is used, copies and all: of all of it, whose class is empty, and of
// each class of devices where it says so.
func cephRoom(t *table, row *yamlpos.Node) []map[string]any {
	room := func(class string, n *yamlpos.Node) map[string]any {
		return map[string]any{"class": class, "totalbytes": number("total_bytes", "totalbytes").read(t, n),
			"usedbytes": number("total_used_raw_bytes", "totalusedrawbytes", "totalusedbytes").read(t, n)}
	}
	stats := cell(row, "stats")
	if stats == nil || cell(stats, "totalbytes") == nil {
		t.at(row, "does not say what Ceph has and uses", "write it with ceph df -f json")
		return nil
	}
	out := []map[string]any{room("", stats)}
	if by := cell(row, "statsbyclass"); by != nil {
		for _, e := range by.Entries {
			out = append(out, room(e.Key, e.Value))
		}
	}
	return out
}
