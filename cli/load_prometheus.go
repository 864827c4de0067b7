package cli

import (
	"errors"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll.dev/engine/prometheus"
)

// prometheusFlags say which Prometheus is asked, if any.
type prometheusFlags struct{ url, token string }

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
	case p.url == "" && p.token != "":
		return nil, errors.New("--prometheus-token is for --prometheus")
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
	return prometheus.New(http.DefaultClient, p.url, token)
}
