package routermeter

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"plimsoll.dev/tune/haproxy"
)

// MaxRoutes bounds a file of routes, in bytes.
const MaxRoutes = 64 << 20

// AddURL puts a route's URL to the targets: http has no encryption; https is an edge route where no
// encryption is named before it, as in "passthrough=https://host/".
func AddURL(to map[string][]Target, text string) error {
	encryption, address, named := strings.Cut(text, "=")
	if strings.Contains(encryption, "://") || !named {
		encryption, address = "", text
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("%q is not http://HOST/PATH or https://HOST/PATH", address)
	}
	if u.User != nil { // the answer would show it
		return fmt.Errorf("%q has a user: no request is sent with one (https://HOST/PATH)", u.Redacted())
	}
	secure := u.Scheme == "https"
	switch {
	case encryption == "" && secure:
		encryption = "edge"
	case encryption == "":
		encryption = "none"
	}
	if !slices.Contains(haproxy.Encryptions(), encryption) || (encryption != "none") != secure {
		return fmt.Errorf("%q: %q is no encryption of %s (%s)", text, encryption, u.Scheme,
			map[bool]string{true: "edge, passthrough or re-encrypt", false: "none"}[secure])
	}
	port := u.Port()
	if port == "" {
		port = map[bool]string{true: "443", false: "80"}[secure]
	}
	to[encryption] = append(to[encryption], Target{Address: net.JoinHostPort(u.Hostname(), port), Host: u.Host,
		Path: u.RequestURI(), TLS: secure})
	return nil
}

// route of OpenShift, as far as it matters here.
type route struct {
	Kind  string
	Items []route
	Spec  struct {
		Host, Path string
		TLS        *struct{ Termination string }
	}
}

// AddRoutes puts the routes of a file to the targets: what "oc get routes -A -o yaml" or -o json prints.
func AddRoutes(to map[string][]Target, text []byte) error {
	var r route
	if err := yaml.Unmarshal(text, &r); err != nil {
		return err
	}
	all := r.Items
	if r.Kind == "Route" {
		all = []route{r}
	}
	n := 0
	for _, one := range all {
		if one.Spec.Host == "" || one.Kind != "Route" && r.Kind != "RouteList" {
			continue
		}
		prefix := "none=http"
		if one.Spec.TLS != nil {
			prefix = strings.Replace(one.Spec.TLS.Termination, "reencrypt", "re-encrypt", 1) + "=https"
		}
		path := one.Spec.Path
		if path == "" {
			path = "/"
		}
		if err := AddURL(to, prefix+"://"+one.Spec.Host+path); err != nil {
			return err
		}
		n++
	}
	if n == 0 {
		return errors.New("there is no route in it (oc get routes -A -o yaml prints them)")
	}
	return nil
}

// Resolve finds the addresses of the targets' hosts: that of the router, where one is given.
func Resolve(ctx context.Context, targets map[string][]Target, router string) error {
	known := map[string]string{}
	for _, list := range targets {
		for i, t := range list {
			host, port, err := net.SplitHostPort(t.Address)
			if err != nil {
				return err
			}
			if router != "" {
				host = router
			}
			if known[host] == "" {
				if known[host], err = lookUp(ctx, host); err != nil {
					return err
				}
			}
			list[i].Address = net.JoinHostPort(known[host], port)
		}
	}
	return nil
}

func lookUp(ctx context.Context, host string) (string, error) {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.String(), nil
	}
	found, err := net.DefaultResolver.LookupHost(ctx, host)
	if err != nil {
		return "", fmt.Errorf("%w (--address names the router's address)", err)
	}
	return found[0], nil
}
