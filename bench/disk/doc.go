// Package disk judges the disk under etcd: how long it takes to make a record of the write-ahead log durable.
// The pattern is that of etcd's own advice (etcd docs, Hardware recommendations): 2,300 bytes
// appended, then fdatasync. It writes nothing: engine/diskmeter does.
//
//	run := &disk.Run{RunID: "before", Directory: "/var/lib/etcd", Cells: measured}
//	answer := run.Answer(facts.Load())
package disk
