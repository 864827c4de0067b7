// Package live reads a cluster that runs: it writes the objects that plans are made of as one stream, as kubectl
// would, for package kube to read. So a cluster and a snapshot of it give the same answer.
//
// It understands no object, keeps none, and changes nothing in the cluster. Lists come in pages; of secrets, config
// maps and custom resource definitions only the number is asked for. A kind that the server does not have is left out
// without a word, which discovery alone decides; one that may not be read is named in the stream's last object,
// [v1alpha1.Seen].
//
//	r := live.Reader{Client: client}
//	err := r.Write(ctx, w)
package live
