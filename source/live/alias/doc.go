// Package alias puts pseudonyms in the place of names in the objects of a cluster: of namespaces, pods, nodes, claims,
// controllers, images and the values of labels. The same name has the same pseudonym everywhere, so that selectors,
// owners and affinity still match; a number at its end stays.
//
// It leaves what the platform has named: its namespaces and what is in them, classes, pools, and labels of Kubernetes
// and OpenShift with what they say of nodes. It does not cut anything out: package keep does that before.
//
//	names := alias.New(key)
//	names.Object(object) // changed in place
package alias
