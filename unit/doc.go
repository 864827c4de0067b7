// Package unit holds the quantities that Plimsoll computes with: CPU in
// millicores, memory in bytes, bit rates, durations, ratios and network
// prefixes, each read and written as Kubernetes writes it, computed as int64.
//
// It is not a unit-conversion library and knows nothing of clusters.
//
//	b, err := unit.ParseBytes("16Gi") // 17179869184
//	unit.FormatBytes(b)               // "16 GiB"
package unit
