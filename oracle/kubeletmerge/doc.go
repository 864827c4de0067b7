// Command kubeletmerge records what the Machine Config Operator makes of random
// KubeletConfigs, with the libraries that its releases are built with: mergo and
// the kubelet's types of the release. Package tune/kubeletconfig replays the records in
// its ordinary tests, and holds the tables of fields that this command prints.
//
// It is a module of its own, in four versions: go.mod has the libraries of today,
// go-4.3.mod to go-4.5.mod those of the old releases. It is not the operator: what
// the operator's controller does around the merge isn't recorded.
//
//	./record.sh    # writes ../../tune/kubeletconfig/fields and ../../tune/kubeletconfig/testdata/oracle
package main
