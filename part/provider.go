package part

import "slices"

// loadBalanced are the providers that give a service of type LoadBalancer an
// address by themselves; the ingress operator publishes routers that way there.
var loadBalanced = []string{"aws", "azure", "gcp"}

// LoadBalanced says whether a provider (platform.provider) has load balancers.
func LoadBalanced(provider string) bool { return slices.Contains(loadBalanced, provider) }

// Cloud says whether a provider sells machines by API, from a limited supply,
// and keeps objects: a public cloud, or OpenStack.
func Cloud(provider string) bool { return LoadBalanced(provider) || provider == "openstack" }
