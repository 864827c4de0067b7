// Package network knows the matrix of a network benchmark, what a run of it has measured, and whether
// that can be believed.
//
// It moves no byte: engines measure, and readers import what other programs have measured.
//
//	run := &network.Run{Parameters: network.Default(), Cells: measured}
//	for _, f := range run.Sampled().Findings() {
//		fmt.Println(f.Message)
//	}
package network
