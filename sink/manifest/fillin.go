package manifest

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// fillInFile is a sed script with one line for each placeholder, for the user
// to complete.
const fillInFile = "fill-in.sed"

const placeholderPattern = "<[A-Z][A-Z0-9_]*>"

// placeholder matches what a user has to fill in.
var placeholder = regexp.MustCompile(placeholderPattern)

// hole says what a placeholder stands for.
type hole struct{ meaning, find string }

const inMachineSet = "in a machine set of the installer: "

// holes are keyed by the placeholder without a zone's number.
var holes = map[string]hole{
	"INFRA_ID": {"infrastructure id of the cluster",
		"`oc get infrastructure cluster -o jsonpath='{.status.infrastructureName}'`"},
	"CLUSTER_DOMAIN": {"domain of the cluster", "`oc get dns.config cluster -o jsonpath='{.spec.baseDomain}'`"},
	"CONTROL_PLANE_TYPE": {"type of the control plane's machines",
		"the provider's list of types; the size that it needs stands in the file's header"},
	"ZONE": {"name of the zone with that number",
		"the provider's list of zones; the number is the place in the plan"},
	"DISK_GIB": {"size of the disk in GiB, which the plan doesn't know",
		"set disk on the node type, or choose a size"},
	"REGION": {"region of the cluster", inMachineSet + "placement.region, region or location"},
	"SUBNET": {"subnet of the machines (of that zone, when numbered)",
		inMachineSet + "subnet or subnetwork"},
	"WORKER_SECURITY_GROUP":  {"security group of the workers", inMachineSet + "securityGroups"},
	"AMI_ID":                 {"image of the machines", inMachineSet + "ami.id"},
	"WORKER_PROFILE":         {"instance profile of the workers", inMachineSet + "iamInstanceProfile.id"},
	"IMAGE_RESOURCE_ID":      {"image of the machines", inMachineSet + "image.resourceID"},
	"MANAGED_IDENTITY":       {"identity of the workers", inMachineSet + "managedIdentity"},
	"NETWORK_RESOURCE_GROUP": {"resource group of the network", inMachineSet + "networkResourceGroup"},
	"PUBLIC_LOAD_BALANCER": {"load balancer for traffic to the outside",
		inMachineSet + "publicLoadBalancer; remove the line where there is none"},
	"RESOURCE_GROUP": {"resource group of the cluster", inMachineSet + "resourceGroup"},
	"VNET":           {"virtual network", inMachineSet + "vnet"},
	"IMAGE":          {"image of the machines", inMachineSet + "image or disks[0].image"},
	"NETWORK": {"network of the machines",
		inMachineSet + "networkInterfaces[0].network or network.devices[0].networkName"},
	"PROJECT_ID":             {"project", inMachineSet + "projectID"},
	"WORKER_SERVICE_ACCOUNT": {"service account of the workers", inMachineSet + "serviceAccounts[0].email"},
	"TEMPLATE":               {"template of the virtual machines", inMachineSet + "template"},
	"DATACENTER":             {"data centre", inMachineSet + "workspace.datacenter"},
	"DATASTORE":              {"datastore (of that zone, when numbered)", inMachineSet + "workspace.datastore"},
	"FOLDER":                 {"folder of the virtual machines", inMachineSet + "workspace.folder"},
	"RESOURCE_POOL":          {"resource pool (of that zone, when numbered)", inMachineSet + "workspace.resourcePool"},
	"VCENTER":                {"vCenter server", inMachineSet + "workspace.server"},
}

// zoneNumber ends a placeholder that every zone has one of.
var zoneNumber = regexp.MustCompile(`_[0-9]+$`)

// holeOf explains a placeholder.
func holeOf(p string) hole { return holes[zoneNumber.ReplaceAllString(strings.Trim(p, "<>"), "")] }

// placeholders are all placeholders of the files but the guard.
func (r *renderer) placeholders() []string {
	found := map[string]bool{}
	for _, f := range r.out {
		for _, p := range placeholdersIn(f.Content) {
			found[p] = true
		}
	}
	delete(found, fillInValue)
	return slices.Sorted(maps.Keys(found))
}

// placeholdersIn are the placeholders of a file outside of its comments.
func placeholdersIn(content []byte) []string {
	var out []string
	for _, line := range strings.Split(string(content), "\n") {
		if !strings.HasPrefix(line, "#") {
			out = append(out, placeholder.FindAllString(line, -1)...)
		}
	}
	return out
}

// filesWithPlaceholders are the paths of the files to be filled in, those of
// fillInDir as one pattern.
func (r *renderer) filesWithPlaceholders() []string {
	found := map[string]bool{}
	for _, f := range r.out {
		if len(placeholdersIn(f.Content)) == 0 || f.Path == fillInFile {
			continue
		}
		path := f.Path
		if strings.HasPrefix(path, fillInDir) {
			path = fillInDir + "*.yaml"
		}
		found[path] = true
	}
	return slices.Sorted(maps.Keys(found))
}

// fillIn writes the script. A line that the user leaves as it is changes
// nothing, so the placeholder stays and the check of the README finds it.
func (r *renderer) fillIn() {
	names := r.placeholders()
	if len(names) == 0 {
		return
	}
	var b bytes.Buffer
	comment(&b, "", []string{"Values that the plan can't know. Write each in the place of the second <...> of its line; " +
		"README.md says where to find it and how to apply this script."})
	for _, p := range names {
		fmt.Fprintf(&b, "\n# %s\ns|%s|%s|g\n", holeOf(p).meaning, p, p)
	}
	r.out = append(r.out, written{File: File{Path: fillInFile, Content: b.Bytes(), Why: "values to fill in"},
		stage: stageNone})
}
