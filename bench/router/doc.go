// Package router knows the table of a router's benchmark, what a run of it has measured, what was full
// meanwhile, and what a plan may take from it.
//
// It starts no router and sends no request: engine/routermeter does. Whether a sample can be believed is asked of
// bench/measure, for which a cell of a router is one like others.
//
//	run := &router.Run{Setup: router.Default(), Cells: measured}
//	measurements := run.Measurements("4.12", "HostNetwork")
package router
