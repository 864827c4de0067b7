// Package loadmodel says what a load creates, in which order and at which pace: the configuration
// of Cluster Loader (OCP 5), in the dialects of both of its programs, and the objects that come of it.
//
// It creates nothing, and opens no file: source/clusterloader reads configurations with the files
// that they name, and engine/load creates the objects.
//
//	work, problems := loadmodel.Expand(read, loadmodel.Options{Seed: 1})
package loadmodel
