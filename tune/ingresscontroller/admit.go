package ingresscontroller

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"plimsoll.dev/internal/yamlpos"
)

// suites13 are the cipher suites of TLS 1.3, which are none of earlier versions.
var suites13 = []string{"TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256",
	"TLS_AES_128_CCM_SHA256", "TLS_AES_128_CCM_8_SHA256"}

// cipherName is what the operator takes for the name of a cipher.
var cipherName = regexp.MustCompile(`^!?[A-Za-z][A-Za-z0-9_+-]+$`)

// admitted tells why the operator would not admit an IngressController that the API server takes.
func (c *checker) admitted() {
	c.tls()
	patterns := c.Tree.Node("spec.clientTLS.allowedSubjectPatterns")
	if patterns == nil {
		return
	}
	for i, n := range patterns.Items {
		if _, err := syntax.Parse(n.Text, syntax.Perl); n.Kind == yamlpos.Text && err != nil {
			c.bad(notAdmitted, fmt.Sprintf("spec.clientTLS.allowedSubjectPatterns[%d]", i),
				yamlpos.Shorten(n.Text)+" is no regular expression: the operator doesn't admit the IngressController",
				"write it as Perl does, a backslash before each sign that is meant itself")
		}
	}
}

// tls judges a TLS profile of one's own.
func (c *checker) tls() {
	const path = "spec.tlsSecurityProfile"
	profile := c.Tree.Node(path)
	if kind := profile.Get("type"); kind == nil || kind.Text != "Custom" {
		return
	}
	refuse := func(at, what, fix string) {
		c.bad(notAdmitted, at, what+": the operator doesn't admit the IngressController", fix)
	}
	custom := profile.Get("custom")
	if custom == nil || custom.Kind != yamlpos.Map {
		refuse(path, "profile Custom has no custom", "write custom: {minTLSVersion: VersionTLS12, ciphers: [...]}")
		return
	}
	list := custom.Get("ciphers")
	if list == nil || len(list.Items) == 0 {
		refuse(path+".custom", "the profile has no ciphers", "name them, or write type: Intermediate")
		return
	}
	newest := 0
	for i, n := range list.Items {
		if !cipherName.MatchString(n.Text) {
			refuse(fmt.Sprintf("%s.custom.ciphers[%d]", path, i), yamlpos.Shorten(n.Text)+" is no name of a cipher",
				"write one name an item, as openssl ciphers prints it")
		}
		if slices.Contains(suites13, n.Text) {
			newest++
		}
	}
	least := ""
	if n := custom.Get("minTLSVersion"); n != nil {
		least = n.Text
	}
	const at = path + ".custom.ciphers"
	switch apart := versionsApart.In(c.release); {
	case newest == len(list.Items) && (!apart || least != "VersionTLS13"):
		refuse(at, "all ciphers are of TLS 1.3, and earlier versions are allowed", "add ciphers of TLS 1.2")
	case newest == 0 && apart && least == "VersionTLS13":
		refuse(at, "no cipher is of TLS 1.3, which is demanded", "add "+strings.Join(suites13[:3], ", "))
	}
}

// fixed tells of what is settled when an IngressController is made: a change afterwards has no effect.
func (c *checker) fixed() {
	for _, field := range []string{"domain", "endpointPublishingStrategy.type"} {
		want, has := c.Tree.Node("spec."+field), c.Tree.Node("status."+field)
		if want != nil && has != nil && want.Text != "" && has.Text != "" && want.Text != has.Text {
			c.bad(unchangeable, "spec."+field, fmt.Sprintf("%s %s has no effect: it was settled as %s when the "+
				"IngressController was made", field, yamlpos.Shorten(want.Text), yamlpos.Shorten(has.Text)),
				"delete the IngressController and make it anew")
		}
	}
	if n := c.Tree.Node("spec.replicas"); n != nil && n.Kind == yamlpos.Int && n.Text == "0" {
		c.bad(noRouters, "spec.replicas", "replicas 0: no router runs, and no route is served", "write 2 or more")
	}
}

// domains tells of IngressControllers of one domain, of which the operator admits the first.
func domains(list []*checker) {
	first := map[string]*checker{}
	for _, c := range list {
		n := c.Tree.Node("spec.domain")
		if n == nil || n.Text == "" {
			continue
		}
		was := first[n.Text]
		if was != nil && was.Name != c.Name {
			c.bad(notAdmitted, "spec.domain", "domain "+yamlpos.Shorten(n.Text)+" is that of IngressController "+was.Name+
				" too: the operator admits one of the two", "give each a domain of its own")
		}
		if was == nil {
			first[n.Text] = c
		}
	}
}
