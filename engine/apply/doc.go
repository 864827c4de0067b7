// Package apply applies a profile with the real TuneD and takes it back: it starts
// the daemon without systemd and D-Bus, waits for the log line that proves the
// tuning, compares every value with what the profile asks for, stops the daemon,
// and checks that every value is again what it was.
//
// The node is this machine, or a directory of plain files in place of /proc/sys
// and /sys: a simulated node. Such a node is closed: the daemon runs in namespaces
// of its own, sees nothing of the machine but its programs, their libraries and the
// names of its users, read-only, and can change the node alone. The package knows no Tuned object
// and doesn't choose the profile (packages tune/profile and tune/tuned do); it reads no flags and
// prints nothing.
//
//	result, err := apply.Apply(ctx, apply.Options{Profile: "openshift-node", Root: "node", Once: true}, nil)
//	answer := result.Answer()
package apply
