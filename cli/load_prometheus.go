package cli

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll.dev/engine/prometheus"
)

// prometheusFlags say which Prometheus is asked, if any.
type prometheusFlags struct{ url, token, ca string }

func (p *prometheusFlags) flags(c *cobra.Command) {
	c.Flags().StringVar(&p.url, "prometheus", "",
		"also show what the Prometheus (or Thanos) at this `URL` saw of the control plane meanwhile")
	c.Flags().StringVar(&p.token, "prometheus-token", "", "its bearer token is in this `FILE`")
}

// maxToken is more than any token is long.
const maxToken = 1 << 20

// client of the Prometheus that is meant; nil for none.
func (p *prometheusFlags) client(a *app) (*prometheus.Client, error) {
	switch {
	case p.url == "" && p.token+p.ca != "":
		return nil, errors.New("a token or a CA of a Prometheus is for --prometheus")
	case p.url == "":
		return nil, nil
	}
	token := ""
	if p.token != "" {
		text, _, err := (&tuning{app: a}).slurp(p.token, maxToken)
		if err != nil {
			return nil, err
		}
		token = strings.TrimSpace(string(text))
	}
	h := http.DefaultClient
	if p.ca != "" {
		text, name, err := (&tuning{app: a}).slurp(p.ca, maxConfiguration)
		if err != nil {
			return nil, err
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s: there is no certificate in it (it is a text with BEGIN CERTIFICATE)", name)
		}
		own := http.DefaultTransport.(*http.Transport).Clone()
		own.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
		h = &http.Client{Transport: own}
	}
	return prometheus.New(h, p.url, token)
}
