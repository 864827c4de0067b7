package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"plimsoll.dev/audit"
	"plimsoll.dev/source/files"
	"plimsoll.dev/source/prom"
)

// etcdFlags say where the metrics of etcd are.
type etcdFlags struct {
	server  prometheusFlags
	metrics []string
}

func (x *etcdFlags) flags(c *cobra.Command) {
	c.Flags().StringVar(&x.server.url, "prometheus", "",
		"ask the Prometheus (or Thanos) at this `URL` for the metrics of etcd")
	c.Flags().StringVar(&x.server.token, "prometheus-token-file", "", "its bearer token is in this `FILE`")
	c.Flags().StringVar(&x.server.ca, "prometheus-ca", "",
		"its certificate is by an authority in this `FILE` of PEM (of OpenShift: the config map "+
			"default-ingress-cert in openshift-config-managed)")
	c.Flags().StringSliceVar(&x.metrics, "openmetrics", nil,
		"take the metrics of etcd from this `FILE`: metrics.openmetrics of a must-gather, or what a member's "+
			"/metrics says (one file for each member)")
}

// longestAudit bounds the wait for Prometheus.
const longestAudit = 5 * time.Minute

// measured etcd; nil where nobody says where to ask. What can't be asked is not seen; a file that can't be read is
// an error.
func (x *etcdFlags) measured(ctx context.Context, a *app, snapshot string) (*audit.Etcd, error) {
	if x.server.url != "" && len(x.metrics) > 0 {
		return nil, errors.New("--prometheus and --openmetrics are two sources of the same: give one")
	}
	client, err := x.server.client(a)
	if err != nil {
		return nil, err
	}
	var made *audit.Etcd
	switch {
	case client != nil:
		ctx, stop := context.WithTimeout(ctx, longestAudit)
		defer stop()
		made = prom.Etcd(ctx, client, "the Prometheus at "+x.server.url, time.Now())
	case len(x.metrics) > 0:
		if made, err = x.saved(ctx, a); err != nil {
			return nil, err
		}
	}
	gathered := &prom.Gathered{}
	gather(gathered, snapshot)
	return gathered.Onto(made, snapshot), nil
}

// saved metrics are of the moment of the last one.
func (x *etcdFlags) saved(ctx context.Context, a *app) (*audit.Etcd, error) {
	store := prom.NewStore()
	for _, path := range x.metrics {
		f, name, err := (&tuning{app: a}).open(path)
		if err != nil {
			return nil, err
		}
		err = store.Read(f, filepath.Base(name))
		f.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if store.Cut {
		a.say("the metrics end within a line: what is behind it is not seen")
	}
	at := store.Last()
	if store.Single() {
		at = time.Now()
	}
	return prom.Etcd(ctx, store, filepath.Base(x.metrics[0]), at), nil
}

// gather reads what a must-gather, in a directory or a tar, says of etcd. Its reader has said before what is wrong
// with it.
func gather(g *prom.Gathered, snapshot string) {
	info, err := os.Stat(snapshot)
	if snapshot == "" || snapshot == "-" || err != nil {
		return
	}
	if info.IsDir() {
		root, err := os.OpenRoot(snapshot)
		if err != nil {
			return
		}
		defer root.Close()
		g.Dir(root.FS(), snapshot)
		return
	}
	f, err := openRegular(os.Stat, os.Open, snapshot)
	if err != nil {
		return
	}
	defer f.Close()
	if isTar(f) {
		g.Archive(f, snapshot)
	}
}

// isTar says whether a file is a tar, packed or not. It leaves the place in the file as it is.
func isTar(f *os.File) bool {
	start := make([]byte, tarBlock)
	n, _ := f.ReadAt(start, 0)
	return files.IsTar(start[:n]) || files.IsArchive(start[:n]) && isPackedTar(f)
}
