package audit

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/part"
	"plimsoll.dev/plan/store"
)

// providers by the scheme of their nodes' identity.
var providers = map[string]string{"aws": "aws", "azure": "azure", "gce": "gcp", "openstack": "openstack",
	"vsphere": "vsphere"}

// cloudProvider below the nodes; empty where they say none that is known.
func (c *Cloud) cloudProvider() string {
	for i := range c.Nodes {
		scheme, _, _ := strings.Cut(c.Nodes[i].Spec.ProviderID, ":")
		if p := providers[scheme]; p != "" {
			return p
		}
	}
	return ""
}

const registryConfig = "configs.imageregistry.operator.openshift.io/cluster"

// registryStorage judges what the image registry keeps its images on.
func (l *look) registryStorage() {
	r := l.Registry
	if r == nil || r.Spec.ManagementState != "Managed" {
		l.notApplicable("no image registry is run by its operator")
		return
	}
	here := []where{at("Config", "cluster", "%d replicas", r.Spec.Replicas)}
	patch := func(storage string) string {
		return "oc patch " + registryConfig + ` --type merge -p '{"spec":{"storage":` + storage + `}}'`
	}
	switch _, empty := r.Spec.Storage["emptyDir"]; {
	case empty:
		l.find(here, patch(`{"emptyDir":null,"s3":{"bucket":"NAME","region":"REGION"}}`)+
			", or another object store or a claim", "images are kept in an emptyDir, which ends with the pod")
	case r.stores() == 0:
		l.find(here, patch(`{"s3":{"bucket":"NAME","region":"REGION"}}`)+", or managementState Removed where no registry "+
			"is wanted", "it has no storage, so that no registry runs")
	case r.Spec.Storage["pvc"] != nil:
		l.registryClaim(r)
	}
}

// claim is the name of the claim that the images are kept in.
func (r *Registry) claim() string {
	var pvc struct{ Claim string }
	if json.Unmarshal(r.Spec.Storage["pvc"], &pvc) != nil || pvc.Claim == "" {
		return "image-registry-storage" // which the operator makes by itself
	}
	return pvc.Claim
}

// stores counts the kinds of storage that are set.
func (r *Registry) stores() int {
	n := len(r.Spec.Storage)
	if _, has := r.Spec.Storage["managementState"]; has {
		n--
	}
	return n
}

// registryClaim judges a registry that keeps its images in the volume of a claim.
func (l *look) registryClaim(r *Registry) {
	name := r.claim()
	claims := l.claimsOf(registryNamespace)
	i := slices.IndexFunc(claims, func(c *Claim) bool { return c.Metadata.Name == name })
	if i < 0 {
		l.findAs(v1alpha1.Error, []where{at("Config", "cluster", "")},
			fmt.Sprintf("create PersistentVolumeClaim %s in %s", name, registryNamespace),
			"its claim %s is not there, so that no registry runs", name)
		return
	}
	c, catalogue := claims[i], facts.Load()
	kept, use := l.keeper().of(c), "registry"
	if float64(r.Spec.Replicas) >= catalogue.Must("ocp.storage.scaledRegistryReplicas").Number {
		use = "scaledRegistry"
	}
	here := []where{atClaim(c, "%s", cmp.Or(kept.String(), "driver not known"))}
	fix := fmt.Sprintf("move the images to an object store: oc edit %s, spec.storage", registryConfig)
	if use == "scaledRegistry" && !c.may(writeMany) {
		l.findAs(v1alpha1.Error, here, fix+fmt.Sprintf("; until then oc patch %s --type merge -p "+
			`'{"spec":{"replicas":1,"rolloutStrategy":"Recreate"}}'`, registryConfig),
			"%d replicas share a claim without %s: those on a second node don't start", r.Spec.Replicas, writeMany)
		return
	}
	if kept.technology == "" || kept.nfs() { // nfsCore tells of NFS
		return
	}
	provider := l.cloudProvider()
	choice := store.Judge(catalogue, store.Need{Use: use, AccessMode: "RWO", Provider: provider}, kept.technology,
		kept.product)
	severity := v1alpha1.Warning
	switch {
	case choice.Level == store.NotConfigurable:
		severity = v1alpha1.Error
	case choice.Level != store.NotRecommended:
		return
	case use == "scaledRegistry" && !part.Cloud(provider):
		severity = v1alpha1.Info // the documents leave no other choice there
	}
	l.findAs(severity, here, fix, "its images are on %s storage: %s", kept.technology, choice.Words())
}
