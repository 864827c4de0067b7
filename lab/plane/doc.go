// Package plane runs etcd, the API server, the controller manager and the scheduler of
// Kubernetes in this process: one plane a process, since they share flags, feature gates
// and metrics. It makes their certificates and tokens, and listens on loopback alone.
//
// It simulates no node (package sim does) and serves no OpenShift kind (package openshift).
//
//	p, err := plane.Start(ctx, plane.Options{Fast: true}) // in the folder that the process stands in
//	err = p.Wait()
package plane
