package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll.dev/bench/router"
	"plimsoll.dev/engine/routermeter"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/strict"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/sink/manifest"
	"plimsoll.dev/tune/haproxy"
)

// routerCommand holds the flags of "tune router".
type routerCommand struct {
	tuning
	write string
	force bool
}

func newTuneRouter(a *app) *cobra.Command {
	x := &routerCommand{tuning: tuning{app: a}}
	c := &cobra.Command{
		Use:   "router FILE",
		Short: "Recommend the router's settings for a traffic mix",
		Long: `Router reads a traffic mix and answers with maxconn, threads, buffers, timeouts
and the reload interval, how many old processes pile up and what memory they
take, how many routers that needs, the environment variables or the
IngressControllers that set it, and a haproxy.cfg that shows it. Each figure has
its formula.

With --write the IngressControllers of all shards (3.x: the commands) are
written, and haproxy.cfg with the maps and the made-up certificates that it
names: haproxy -c -f DIR/haproxy.cfg accepts it as it is.

` + exitCodesHelp,
		Example: `  plimsoll tune router examples/tune/router.yaml
  plimsoll tune router examples/tune/router.yaml -o html > router.html
  plimsoll tune router examples/tune/router.yaml --write router`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return x.router(args[0]) },
	}
	x.out.flags(c)
	x.failOn = "error"
	c.Flags().BoolVar(&x.noError, "exit-zero", false, "exit with 0 whatever is found")
	c.Flags().StringVar(&x.write, "write", "", "write manifests and haproxy.cfg into this `DIR`")
	c.Flags().BoolVar(&x.force, "force", false, forceHelp)
	return c
}

// forceHelp says what --force does where there is --write.
const forceHelp = "with --write: even where something else wrote"

func (r *routerCommand) router(path string) error {
	if r.force && r.write == "" {
		return badInput(errors.New("--force is for --write"))
	}
	in, err := r.readTraffic(path)
	if err != nil {
		return r.tell(err)
	}
	advice, _ := haproxy.Advise(in, facts.Load())
	if r.write != "" {
		if err := r.files(advice); err != nil {
			return err
		}
	}
	return r.answer(advice.Answer(), nil)
}

// mostWritten bounds the routes of each kind in a haproxy.cfg.
const mostWritten = 10_000

// files writes what an advice comes to into a directory.
func (r *routerCommand) files(advice haproxy.Advice) error {
	dir, err := haproxyPath(r.write)
	if err != nil {
		return badInput(err)
	}
	certificate, err := routermeter.Certificate(router.ECDSA, "*.example.com")
	if err != nil {
		return err
	}
	read := append(advice.Config(haproxy.Layout{Dir: dir, Routes: mostWritten}),
		haproxy.File{Path: haproxy.CertificateFile, Text: certificate},
		haproxy.File{Path: haproxy.AuthorityFile, Text: certificate})
	read[0].Path = "haproxy.cfg" // where people look for it; the maps are found by their paths
	if advice.Environment != "" {
		read = append(read, haproxy.File{Path: "routers.sh", Text: advice.Environment})
	}
	var out []manifest.File
	for _, f := range append(read, advice.Controllers...) {
		out = append(out, manifest.File{Path: f.Path, Content: []byte(f.Text), Why: "the router's settings"})
	}
	if err := manifest.Write(r.write, out, manifest.Options{By: "plimsoll tune router", Force: r.force}); err != nil {
		return err
	}
	r.say("%d files written to %s", len(out), r.write)
	return nil
}

// longestDir leaves room for the sockets in it that the configuration names, whose
// paths HAProxy bounds by 97 letters.
const longestDir = 97 - len("/run/haproxy-no-sni.sock")

// haproxyPath is the directory as the configuration names it: HAProxy takes the
// paths of its maps apart at blanks, commas, brackets and more.
func haproxyPath(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	switch strange := strings.Trim(dir, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-"); {
	case err != nil:
		return "", err
	case strange != "":
		return "", fmt.Errorf("--write: %s: HAProxy can't name files in it (choose a directory whose whole path has "+
			"letters, digits and /._- alone)", dir)
	case len(dir) > longestDir:
		return "", fmt.Errorf("--write: %s: the path is too long for HAProxy's sockets (choose one of %d letters at most)",
			dir, longestDir)
	}
	return dir, nil
}

// maxTraffic is more than any traffic mix is long.
const maxTraffic = 1 << 20

// readTraffic reads a traffic mix; the error has every problem at its place.
func (t *tuning) readTraffic(path string) (haproxy.Input, error) {
	var in haproxy.Input
	text, name, err := t.slurp(path, maxTraffic)
	if err != nil {
		return in, err
	}
	tree, bad := yamlpos.Parse(name, text)
	if len(bad) == 0 {
		d := strict.New[haproxy.Input](nil)
		d.Most = strict.Sensible
		if bad = d.Decode(tree, &in); len(bad) == 0 {
			for _, p := range in.Problems() {
				field, rest, _ := strings.Cut(p, ": ")
				what, fix, _ := strings.Cut(strings.TrimSuffix(rest, ")"), " (")
				bad = append(bad, tree.Problem(field, what, fix))
			}
		}
	}
	if len(bad) > 0 {
		bad.TakeExcerpts(text, 1, 1)
		return in, bad
	}
	return in, nil
}
