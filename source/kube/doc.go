// Package kube reads workload, nodes and object counts from Kubernetes and
// OpenShift manifests on disk and from what "kubectl get ... -A -o json" wrote,
// into the scenario's own terms: groups of equal pods, groups of equal nodes.
//
// It asks no cluster, runs no program and plans nothing. What a pod requests is
// what the scheduler of Kubernetes 1.36 would count; what could not be
// understood stands in the inventory's Skipped, with its place and the reason.
//
// How things are counted:
//
//   - Deployment, ReplicaSet, StatefulSet, ReplicationController and
//     DeploymentConfig count their replicas (1 when absent), in manifests raised
//     to the maximum of a HorizontalPodAutoscaler that scales them: a plan is made
//     for the peak. A snapshot counts the pods that are there and only mentions
//     the maximum.
//   - A Job counts min(parallelism, completions) pods; a CronJob one run of its
//     job, even where concurrencyPolicy lets runs overlap.
//   - A DaemonSet is one pod type with daemonSet set.
//   - What a controller in the same input owns is counted with the controller. In
//     a snapshot with pods it is the other way round: the pods count, and their
//     controllers only as objects.
//   - Finished pods hold nothing. The static pods of the control plane have their
//     place in the control plane's own table. Both are listed with their number.
//   - A pod type has at most one pod per node when it has a host port, or a
//     required anti-affinity by host name that matches its own labels.
//   - A volume claim is storage of the pod type that mounts it, divided by the
//     number of pods when they share it.
//
// Both readers return every problem of the input at once, as a
// [yamlpos.Problems] sorted by file and position.
//
//	inv, err := kube.ReadManifests(os.DirFS("."), []string{"deploy"}, kube.Options{})
//	inv, err = kube.ReadSnapshot(file, "cluster.json", kube.Options{})
package kube
