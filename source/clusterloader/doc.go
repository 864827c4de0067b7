// Package clusterloader reads the configurations of Cluster Loader, in both dialects, with the files
// that they name, and finds all that is wrong with them before anything is created.
//
// It sends no request. Files are looked up as the original does: an absolute path, then the working
// directory, then the directory of the configuration. Where the configurations of openshift/svt have
// theirs is looked at, too: the two directories above, and "content" in each. Nothing outside of these
// is read.
//
//	read, problems := clusterloader.ReadConfig("test.yaml", text, open)
package clusterloader
