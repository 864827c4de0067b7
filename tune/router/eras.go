package router

import (
	"plimsoll.dev/derive"
	"plimsoll.dev/tune/era"
)

// What differs by era in how routers are set.
var (
	hasTuning = era.Rule[bool]{ID: "router.tuningOptions", Title: "an IngressController has tuningOptions; before, the API server drops them",
		At: era.In(func(r era.Release) bool { return r >= 8 }), Source: apiSource("IngressController tuningOptions")}
	hasHardStop = era.Rule[bool]{ID: "router.hardStopAnnotation", Title: "the annotation " + hardStopAnnotation + " sets a hard stop of old processes; before, nothing does",
		At: era.In(func(r era.Release) bool { return r >= hardStopSince }), Source: operatorSource("router deployment")}
	environmentLost = era.Rule[bool]{ID: "router.environmentOverwritten", Title: "the Ingress Operator overwrites variables of a router's deployment",
		At: era.Same(true), Source: derive.Source{Code: "OCP", Section: "11.2"}}
	bufferVariable = era.Rule[bool]{ID: "router.bufferVariable", Title: "the template reads ROUTER_BUF_SIZE, ROUTER_MAX_REWRITE_SIZE and ROUTER_INSPECT_DELAY; before, the sizes are fixed",
		At: era.In(func(r era.Release) bool { return r >= 8 }), Source: routerSource("haproxy-config.template")}
	connectionsUsual = era.Rule[int]{ID: "router.maxConnectionsDefault", Title: "connections of a process when nothing is set",
		At: era.In(func(r era.Release) int { return map[bool]int{false: 20000, true: 50000}[r >= 12] }), Source: routerSource("pull request 417")}
)

// Eras are the rules that differ by era.
func Eras() []era.Row {
	return []era.Row{hasTuning.Row(), hasHardStop.Row(), environmentLost.Row(), bufferVariable.Row(), connectionsUsual.Row()}
}
