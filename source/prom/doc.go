// Package prom measures etcd: it asks a Prometheus, or what was saved of one or of a member's own /metrics, and reads
// what a must-gather says of the members.
//
// Expressions are PromQL, and stand in the facts. Of a file they are evaluated here, by the rules of Prometheus 2: the
// few functions that they use, with the same digits. It is no other PromQL: what it does not know is an error. It
// judges nothing; package audit does.
//
//	store := prom.NewStore()
//	err := store.Read(file, "a")
//	measured := prom.Etcd(ctx, store, "metrics.openmetrics", store.Last())
package prom
