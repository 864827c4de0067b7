// Package bench judges measurements: quantiles with their intervals, with what never came to an end
// counted in.
//
// It takes no time and runs nothing; engine/load measures.
//
//	s := bench.Summarize(times, 3)
//	fmt.Println(s.P99.Value, s.P99.Known)
package bench
