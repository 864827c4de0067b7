package haproxy

import (
	"plimsoll.dev/release"
)

// setting is something that a router can be told, and how each release is told.
type setting struct {
	// name in the advice: that of the field.
	name, title string
	// variable of the environment, directive of haproxy.cfg, field of tuningOptions.
	variable, directive, field string
	// variable3 says that 3.x knows the variable.
	variable3 bool
	// variableSince is the release 4 whose template reads the variable; 0 is all.
	variableSince release.Release
	// fieldIn are the releases with the field.
	fieldIn release.Span
	// usual is the fact that tells the default; empty for none.
	usual string
	kind  kind
	// least and most are facts that bound the field; empty for none.
	least, most string
}

// kind is what a setting's value looks like.
type kind uint8

const (
	count kind = iota
	size
	duration
	// interval is a duration that the controller reads, not HAProxy.
	interval
)

// since are the releases from a minor one on.
func since(minor release.Release) release.Span { return release.Span{Since: minor} }

// settings are what the advice speaks of, in its order.
var settings = []setting{
	{name: "maxConnections", title: "Connections of a process", variable: "ROUTER_MAX_CONNECTIONS", directive: "maxconn",
		field: "maxConnections", variable3: true, fieldIn: since(11),
		usual: "ocp.router.maxConnectionsDefault", least: "ocp.router.maxConnectionsMin",
		most: "ocp.router.maxConnectionsMax"},
	{name: "threadCount", title: "Threads", variable: "ROUTER_THREADS", directive: "nbthread", field: "threadCount",
		variable3: true, fieldIn: since(8),
		usual: "ocp.router.threadsDefault", least: "ocp.router.threadsMin", most: "ocp.router.threadsMax"},
	{name: bufferName, title: "Buffer", variable: "ROUTER_BUF_SIZE", directive: "tune.bufsize", field: "headerBufferBytes",
		variableSince: 8, fieldIn: since(8), usual: "ocp.router.bufferSize", kind: size, least: "ocp.router.bufferSizeMin"},
	{name: "headerBufferMaxRewriteBytes", title: "Part of the buffer kept for rewriting",
		variable: "ROUTER_MAX_REWRITE_SIZE", directive: "tune.maxrewrite", field: "headerBufferMaxRewriteBytes",
		variableSince: 8, fieldIn: since(8), usual: "ocp.router.maxRewriteSize", kind: size,
		least: "ocp.router.maxRewriteSizeMin"},
	{name: "reloadInterval", title: "Time between reloads", variable: "RELOAD_INTERVAL", field: "reloadInterval",
		variable3: true, fieldIn: since(12),
		usual: "ocp.router.reloadInterval", kind: interval, least: "ocp.router.reloadIntervalMin",
		most: "ocp.router.reloadIntervalMax"},
	{name: hardStopName, title: "How long old processes live", variable: "ROUTER_HARD_STOP_AFTER",
		directive: "hard-stop-after", variableSince: hardStopSince, fieldIn: since(hardStopSince), kind: duration},
	{name: "tunnelTimeout", title: "Idle WebSockets and TCP", variable: "ROUTER_DEFAULT_TUNNEL_TIMEOUT",
		directive: "timeout tunnel", field: "tunnelTimeout", variable3: true, fieldIn: since(9),
		usual: "ocp.router.tunnelTimeout", kind: duration},
	{name: "clientTimeout", title: "Idle clients", variable: "ROUTER_DEFAULT_CLIENT_TIMEOUT", directive: "timeout client",
		field: "clientTimeout", variable3: true, fieldIn: since(9), usual: "ocp.router.clientTimeout", kind: duration},
	{name: "serverTimeout", title: "Idle servers", variable: "ROUTER_DEFAULT_SERVER_TIMEOUT", directive: "timeout server",
		field: "serverTimeout", variable3: true, fieldIn: since(9), usual: "ocp.router.serverTimeout", kind: duration},
	{name: "clientFinTimeout", title: "Clients that don't close", variable: "ROUTER_CLIENT_FIN_TIMEOUT",
		directive: "timeout client-fin", field: "clientFinTimeout", variable3: true, fieldIn: since(9),
		usual: "ocp.router.clientFinTimeout", kind: duration},
	{name: "serverFinTimeout", title: "Servers that don't close", variable: "ROUTER_DEFAULT_SERVER_FIN_TIMEOUT",
		directive: "timeout server-fin", field: "serverFinTimeout", variable3: true, fieldIn: since(9),
		usual: "ocp.router.serverFinTimeout", kind: duration},
	{name: "connectTimeout", title: "Connecting to a server", variable: "ROUTER_DEFAULT_CONNECT_TIMEOUT",
		directive: "timeout connect", field: "connectTimeout", variable3: true, fieldIn: since(14),
		usual: "ocp.router.connectTimeout", kind: duration},
	{name: "httpKeepAliveTimeout", title: "Waiting for the next request", variable: "ROUTER_SLOWLORIS_HTTP_KEEPALIVE",
		directive: "timeout http-keep-alive", field: "httpKeepAliveTimeout", variable3: true, fieldIn: since(16),
		usual: "ocp.router.httpKeepAliveTimeout", kind: duration},
	{name: "httpRequestTimeout", title: "Waiting for a whole request", variable: "ROUTER_SLOWLORIS_TIMEOUT",
		directive: "timeout http-request", variable3: true, usual: "ocp.router.httpRequestTimeout", kind: duration},
	{name: "tlsInspectDelay", title: "Waiting for the TLS hello", variable: "ROUTER_INSPECT_DELAY",
		directive: "tcp-request inspect-delay", field: "tlsInspectDelay", variableSince: 8, fieldIn: since(9),
		usual: "ocp.router.inspectDelay", kind: duration},
}

// The hard stop is no field but an annotation of the controller, since 4.5.
const (
	hardStopName       = "hardStopAfter"
	hardStopAnnotation = "ingress.operator.openshift.io/hard-stop-after"
	hardStopSince      = 5
)

// The buffer has no greatest value in the API, but one in HAProxy.
const (
	bufferName = "headerBufferBytes"
	bufferMax  = "ocp.router.bufferSizeMax"
)

// reads says whether the template of a release reads a setting's variable.
func (r version) reads(s setting) bool {
	if r.three {
		return s.variable3
	}
	return s.variableSince <= r.minor
}

// settingOf is a setting by name.
func settingOf(name string) setting {
	for _, s := range settings {
		if s.name == name {
			return s
		}
	}
	return setting{}
}

// canSet says whether a release can be told.
func (r version) canSet(s setting) bool {
	if r.three {
		return s.variable3
	}
	return s.fieldIn.Since > 0 && s.fieldIn.Has(r.minor)
}

// where is the place of a setting in a release: a variable, a field, an annotation;
// empty for none.
func (r version) where(s setting) string {
	switch {
	case !r.canSet(s):
		return ""
	case r.three:
		return s.variable
	case s.name == hardStopName:
		return "annotation " + hardStopAnnotation
	}
	return "tuningOptions." + s.field
}
