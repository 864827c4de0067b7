// Package diskmeter writes records to a disk as etcd's write-ahead log does, and measures how long each takes to be
// durable: the meter of bench/disk.
//
// Its files have no name from the moment at which they are open, so that nothing of them is left however
// the process ends.
//
//	run, err := diskmeter.Run(ctx, diskmeter.Options{Directory: "/var/lib/etcd", Parameters: disk.Default()})
package diskmeter
