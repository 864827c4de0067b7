package ingresscontroller

import (
	"slices"
	"strings"

	"plimsoll.dev/release"
)

// field is a field of the spec that releases know.
type field struct {
	name string
	release.Span
}

func since(r release.Release, names ...string) []field {
	var out []field
	for _, n := range names {
		out = append(out, field{n, release.Span{Since: r}})
	}
	return out
}

// The fields of the spec, of its tuningOptions and of its nodePlacement.
var (
	specFields = slices.Concat(
		since(1, "defaultCertificate", "domain", "endpointPublishingStrategy", "namespaceSelector", "nodePlacement",
			"replicas", "routeSelector"),
		since(3, "tlsSecurityProfile"), since(4, "routeAdmission"), since(5, "logging"), since(6, "httpHeaders"),
		since(8, "httpErrorCodePages", "tuningOptions", "unsupportedConfigOverrides"),
		since(9, "clientTLS", "httpEmptyRequestsPolicy"),
		since(10, "httpCompression"), since(16, "idleConnectionTerminationPolicy"), since(18, "closedClientConnectionPolicy"),
		since(22, "haproxyVersion"))
	tuningFields = slices.Concat(
		since(8, "headerBufferBytes", "headerBufferMaxRewriteBytes", "threadCount"),
		since(9, "clientTimeout", "clientFinTimeout", "serverTimeout", "serverFinTimeout", "tunnelTimeout",
			"tlsInspectDelay"),
		since(11, "healthCheckInterval", "maxConnections"), since(12, "reloadInterval"), since(14, "connectTimeout"),
		since(16, "httpKeepAliveTimeout"), since(22, "configurationManagement"))
	placementFields = since(1, "nodeSelector", "tolerations")
)

// Knows says whether a release has a field of an IngressController's spec:
// "tuningOptions.threadCount".
func Knows(r release.Release, path string) bool {
	fields := specFields
	if name, ok := strings.CutPrefix(path, "tuningOptions."); ok {
		fields, path = tuningFields, name
	} else if name, ok := strings.CutPrefix(path, "nodePlacement."); ok {
		fields, path = placementFields, name
	}
	f := find(fields, path)
	return f != nil && f.Has(r)
}

// Span are the releases that have a field of tuningOptions; ok is false when none
// has.
func Span(option string) (s release.Span, ok bool) {
	f := find(tuningFields, option)
	if f == nil {
		return release.Span{}, false
	}
	return f.Span, true
}

func find(fields []field, name string) *field {
	for i := range fields {
		if fields[i].name == name {
			return &fields[i]
		}
	}
	return nil
}

// names are the names that a release knows.
func names(fields []field, r release.Release) []string {
	var out []string
	for _, f := range fields {
		if f.Has(r) {
			out = append(out, f.name)
		}
	}
	return out
}
