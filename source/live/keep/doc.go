// Package keep cuts the objects of a cluster down to the fields that plans are made of, so that a snapshot can be
// handed on: what is not named here is left out, such as environment variables, arguments, most annotations,
// parameters of classes and drivers, and who wrote which field.
//
// It reads no cluster and no file, and knows nothing of what the fields mean: package kube does.
//
//	small := keep.Fields(object) // a map as encoding/json makes it
package keep
