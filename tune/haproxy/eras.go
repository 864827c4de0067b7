package haproxy

import (
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
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
		At: era.In(func(r era.Release) bool { return release{minor: r}.reads(settingOf(bufferName)) }), Source: routerSource("haproxy-config.template")}
	connectionsChecked = era.Rule[bool]{ID: "router.connectionsChecked", Title: "the template leaves out ROUTER_MAX_CONNECTIONS that is no number; before, HAProxy takes the digits that it begins with",
		At: era.In(func(r era.Release) bool { return r >= 9 }), Source: routerSource("haproxy-config.template")}
)

// connectionsUsual is what the catalogue says of each era.
func connectionsUsual() era.Rule[int] {
	usual := func(r era.Release) int {
		f, _, _, _ := facts.Load().ForRelease("ocp.router.maxConnectionsDefault", r.String())
		return int(f.Number)
	}
	return era.Rule[int]{ID: "router.maxConnectionsDefault", Title: "connections of a process when nothing is set", At: era.In(usual), Source: routerSource("pull request 417")}
}

// Eras are the rules that differ by era.
func Eras() []era.Row {
	return []era.Row{hasTuning.Row(), hasHardStop.Row(), environmentLost.Row(), bufferVariable.Row(), connectionsChecked.Row(), connectionsUsual().Row()}
}
