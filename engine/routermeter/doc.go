// Package routermeter measures a router: the meter of bench/router.
//
// It starts the real HAProxy with the configuration that tune/haproxy makes, back ends and a generator of
// its own, each a process on CPUs of its own. A connection is a coroutine above epoll: what it does is
// written straight down, TLS included, and a request takes a third of what net/http takes. It judges nothing;
// bench/router does.
//
//	run, err := routermeter.Run(ctx, routermeter.Options{Setup: router.Default(), Cells: router.Cells()})
package routermeter
