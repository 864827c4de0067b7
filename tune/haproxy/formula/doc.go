// Package formula holds the arithmetic of routers as small pure functions: what a
// mix of requests takes of a router, how many connections count, how large buffers
// are, how many processes reloads leave behind, and what all that takes of memory.
//
// It decides nothing and records no figure: package router does for its advice, and
// a plan for its own, each with the same formula as text.
//
//	mix := []formula.Share{{Requests: 1000, KeepAlive: 1, RateKeepAlive: 23681, RateClose: 3245}}
//	formula.Load(mix) // 0.042 of a router
package formula
