// Package haproxy advises on the settings of OpenShift's routers: from a mix of
// traffic to pods and shards, maxconn, threads and their CPUs, buffers, time-outs
// and the time between reloads, each with its derivation, and writes them as the
// release takes them: environment variables (3.x), tuningOptions (later), and a
// haproxy.cfg of the router's shape. Check finds settings that a router would
// replace silently, clamp, or suffer from.
//
// It measures nothing: the rates are documents 000 and 002's, or your own put into
// the catalogue. It sizes no cluster; plan/router does, by the same formulas.
//
//	a, problems := haproxy.Advise(haproxy.Input{Release: "4.12", Traffic: mix}, facts.Load())
//	a.Pods // 3
package haproxy
