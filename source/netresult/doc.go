// Package netresult reads what uperf, netperf, iperf3, k8s-netperf and wrk have measured, and says which
// of their figures are not what they are called.
//
// It runs none of them. What a file does not say (sizes, for most of them) is 0 in the cell, and a caller
// who knows better gives the cell.
//
//	run, err := netresult.Read("monday.txt", text, nil)
//	fmt.Println(run.Tool, run.Cells[0].Name())
package netresult
