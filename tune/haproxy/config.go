package haproxy

import (
	"cmp"
	"fmt"
	"strings"
)

// File is a manifest by its name, or a file that HAProxy reads by its path below the
// router's directory.
type File struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

// Layout says how a configuration is written.
type Layout struct {
	// Dir is the router's directory; empty is that of the image.
	Dir string
	// Routes bounds the routes of each kind that are written; 0 is all.
	Routes int
	// Servers behind each route; 0 is 2.
	Servers int
	// HTTP, HTTPS and Stats are where it listens; empty are ":80", ":443" and ":1936".
	HTTP, HTTPS, Stats string
	// Server is the address of the servers of an encryption's routes; nil makes addresses up.
	Server func(encryption string) string
	// Set are values in place of the advised ones, by the names of the settings.
	Set map[string]string
}

// Host is the name of a route, both counted from 1: of a kind of the traffic, and in it.
func Host(kind, route int) string { return fmt.Sprintf("route%d.kind%d.example.com", route, kind) }

// routerDir is the router's directory in its image.
const routerDir = "/var/lib/haproxy"

// Paths of the files that the configuration names; certificates are the reader's.
const (
	ConfigFile      = "conf/haproxy.config"
	CertificateFile = "conf/default.pem"
	AuthorityFile   = "conf/service-ca.pem"
	certificateList = "conf/cert_config.map"
	plainMap        = "conf/os_http_be.map"
	terminatedMap   = "conf/os_edge_reencrypt_be.map"
	passthroughMap  = "conf/os_sni_passthrough.map"
	tcpMap          = "conf/os_tcp_be.map"
)

// Config is a haproxy.cfg in the shape that the router's template gives it, for the
// advised settings and a shard's part of the traffic's routes, with the maps that it reads. It is an
// example to test and to pin with, not what a router writes: names and addresses
// are made up.
func (a Advice) Config(l Layout) []File {
	l.Dir, l.Servers = cmp.Or(l.Dir, routerDir), cmp.Or(l.Servers, 2)
	l.HTTP, l.HTTPS, l.Stats = cmp.Or(l.HTTP, ":80"), cmp.Or(l.HTTPS, ":443"), cmp.Or(l.Stats, ":1936")
	w := &writer{Layout: l, a: a, maps: map[string][]string{}}
	w.global()
	w.defaults()
	w.frontends()
	w.backends()
	out := []File{{ConfigFile, w.b.String()}, {certificateList, ""}}
	for _, path := range []string{plainMap, terminatedMap, passthroughMap, tcpMap} {
		out = append(out, File{path, strings.Join(append(w.maps[path], ""), "\n")})
	}
	return out
}

// writer writes a configuration.
type writer struct {
	Layout
	a    Advice
	b    strings.Builder
	maps map[string][]string
	// servers counts the addresses given.
	servers int
}

// section begins a section of the file.
func (w *writer) section(name string) {
	if w.b.Len() > 0 {
		w.b.WriteByte('\n')
	}
	w.b.WriteString(name + "\n")
}

// line writes a line of a section.
func (w *writer) line(format string, args ...any) {
	fmt.Fprintf(&w.b, "  "+format+"\n", args...)
}

func (w *writer) path(name string) string { return w.Dir + "/" + name }

// setting writes a directive with its advised value, if it has one.
func (w *writer) setting(names ...string) {
	for _, name := range names {
		s := w.a.setting(name)
		if value := cmp.Or(w.Set[name], s.Value); value != "" {
			w.line("%s %s", s.Directive, value)
		}
	}
}

func (w *writer) global() {
	w.section("global")
	w.line("# requests beyond maxconn wait in the kernel's queue")
	w.setting("maxConnections", "threadCount")
	if w.a.CPUMap != "" {
		w.line("# interrupts of the network interface belong on CPUs %s", cmp.Or(w.a.Interrupts, "of the same NUMA node"))
		w.line("%s", w.a.CPUMap)
	}
	w.setting(hardStopName)
	w.line("no strict-limits")
	w.line("daemon")
	w.line("stats socket %s mode 600 level admin expose-fd listeners", w.path("run/haproxy.sock"))
	w.line("stats timeout 2m")
	w.setting("headerBufferMaxRewriteBytes", "headerBufferBytes")
	w.line("ssl-default-bind-options ssl-min-ver TLSv1.2")
	w.line("tune.ssl.default-dh-param 2048")
}

func (w *writer) defaults() {
	w.section("defaults")
	w.setting("maxConnections", "connectTimeout", "clientTimeout", "clientFinTimeout", "serverTimeout", "serverFinTimeout",
		"httpRequestTimeout", "httpKeepAliveTimeout", "tunnelTimeout")
}

// frontends are the two public ones, and the two behind them that end TLS: a client
// of an edge or re-encrypt route is a connection of two of them.
func (w *writer) frontends() {
	w.section("listen stats")
	w.line("bind %s", w.Stats)
	w.line("mode http")
	w.line("monitor-uri /healthz")

	w.section("frontend public")
	w.line("bind %s", w.HTTP)
	w.line("mode http")
	w.setting("tlsInspectDelay")
	w.line("tcp-request content accept if HTTP")
	w.cleanHeaders()
	w.line("use_backend %%[base,map_reg(%s)]", w.path(plainMap))
	w.line("default_backend openshift_default")

	w.section("frontend public_ssl")
	w.line("bind %s", w.HTTPS)
	w.setting("tlsInspectDelay")
	w.line("tcp-request content accept if { req_ssl_hello_type 1 }")
	w.line("acl sni req.ssl_sni -m found")
	w.line("acl sni_passthrough req.ssl_sni,lower,map_reg(%s) -m found", w.path(passthroughMap))
	w.line("use_backend %%[req.ssl_sni,lower,map_reg(%s)] if sni sni_passthrough", w.path(tcpMap))
	w.line("use_backend be_sni if sni")
	w.line("default_backend be_no_sni")

	w.terminating("sni", " crt-list "+w.path(certificateList))
	w.terminating("no_sni", "")

	w.section("backend openshift_default")
	w.line("mode http")
	w.line("option forwardfor")
	w.line("option http-pretend-keepalive")
}

// terminating is a front end that ends TLS, behind a socket of the public one.
func (w *writer) terminating(name, certificates string) {
	socket := w.path("run/haproxy-" + strings.ReplaceAll(name, "_", "-") + ".sock")
	w.section("backend be_" + name)
	w.line("server fe_%s unix@%s weight 1 send-proxy", name, socket)

	w.section("frontend fe_" + name)
	w.line("bind unix@%s ssl crt %s%s accept-proxy", socket, w.path(CertificateFile), certificates)
	w.line("mode http")
	w.cleanHeaders()
	w.line("use_backend %%[base,map_reg(%s)]", w.path(terminatedMap))
	w.line("default_backend openshift_default")
}

// cleanHeaders takes out what clients must not set, and makes host names lower case.
func (w *writer) cleanHeaders() {
	w.line("http-request deny if { hdr_len(content-length) 0 }")
	w.line("http-request del-header Proxy")
	w.line("http-request set-header Host %%[req.hdr(Host),lower]")
}

// prefixes are the names of back ends by the encryption of their routes.
var prefixes = map[string]string{"none": "be_http", "edge": "be_edge_http", "passthrough": "be_tcp",
	"re-encrypt": "be_secure"}

func (w *writer) backends() {
	for i, t := range w.a.input.Traffic {
		routes := (t.Routes + w.a.Shards - 1) / w.a.Shards
		for n := range routes {
			if w.Routes > 0 && n == w.Routes {
				fmt.Fprintf(&w.b, "\n# further routes of this kind, left out: %d\n", routes-n)
				break
			}
			w.route(t, fmt.Sprintf("kind%d:route%d", i+1, n+1), Host(i+1, n+1))
		}
	}
}

// route writes a route's back end, and where the maps lead to it.
func (w *writer) route(t Traffic, name, host string) {
	backend := prefixes[t.Encryption] + ":" + name
	pattern := "^" + strings.ReplaceAll(host, ".", `\.`)
	switch t.Encryption {
	case "none":
		w.maps[plainMap] = append(w.maps[plainMap], pattern+`\.?(:[0-9]+)?(/.*)?$ `+backend)
	case "passthrough":
		w.maps[passthroughMap] = append(w.maps[passthroughMap], pattern+"$ 1")
		w.maps[tcpMap] = append(w.maps[tcpMap], pattern+"$ "+backend)
	default:
		w.maps[terminatedMap] = append(w.maps[terminatedMap], pattern+`\.?(:[0-9]+)?(/.*)?$ `+backend)
	}
	w.section("backend " + backend)
	if t.Encryption == "passthrough" {
		w.line("balance source")
	} else {
		w.line("mode http")
		w.line("option redispatch")
		w.line("option forwardfor")
		w.line("balance random")
		w.line("cookie %s insert indirect nocache httponly%s", strings.ReplaceAll(name, ":", "_"),
			map[bool]string{true: " secure"}[t.Encryption != "none"])
	}
	w.line("timeout check 5000ms")
	for n := range w.Servers {
		w.server(t, n)
	}
}

// server writes a server at the next address of the pods' network.
func (w *writer) server(t Traffic, n int) {
	w.servers++
	address := fmt.Sprintf("10.%d.%d.%d:8080", 128+w.servers>>16&3, w.servers>>8&255, w.servers&255)
	if w.Server != nil {
		address = w.Server(t.Encryption)
	}
	line := fmt.Sprintf("server pod%d %s", n+1, address)
	if t.Encryption != "passthrough" {
		line += fmt.Sprintf(" cookie pod%d", n+1)
	}
	line += " weight 1"
	if t.Encryption == "re-encrypt" {
		line += " ssl verify required ca-file " + w.path(AuthorityFile)
	}
	if w.Servers > 1 {
		line += " check inter 5000ms"
	}
	w.line("%s", line)
}
