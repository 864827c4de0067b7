// Package packtest makes problems for the tests and benchmarks of packing:
// random clouds, small cases with an optimum found by hand, the table of
// OCP 9.4, and a naive optimum for the tiniest.
//
// It packs nothing well and is no part of the program: only tests and tools
// import it. The same seed gives the same problem.
//
//	p := packtest.Random(packtest.Shapes()[0], 1)
//	cost, ok := packtest.Optimum(packtest.Small()[0].Problem)
package packtest
