package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll.dev/engine/apiserver"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/internal/yamlout"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/loadmodel"
	"plimsoll.dev/sink/manifest"
	"plimsoll.dev/source/dump"
	"plimsoll.dev/source/files"
)

// mirrorCommand holds the flags of "load mirror".
type mirrorCommand struct {
	tuning
	server serverFlags
	opt    loadmodel.MirrorOptions
	write  string
	force  bool
}

func newMirror(a *app) *cobra.Command {
	m := &mirrorCommand{tuning: tuning{app: a}}
	c := &cobra.Command{
		Use:   "mirror [OBJECTS] --write DIR",
		Short: "Write a configuration that makes the workload of a cluster anew",
		Long: `Mirror reads a cluster, or what was written of one, and writes a configuration
with a template for each namespace: what was made by hand, without what
controllers make of it. Values of secrets, config maps and environment variables
are replaced by others of the same length, images by one that only waits, or
ends at once where a Job has it.

OBJECTS is the JSON that "kubectl get KINDS -A -o json" wrote (- is standard
input), or the directory of "oc adm must-gather" or "oc adm inspect", or a tar
or tar.gz of it. A must-gather by itself has the namespaces of the platform;
"oc adm inspect ns/NAME..." writes others.`,
		Example: `  plimsoll load mirror --kubeconfig production.kubeconfig --write mirror
  kubectl get deployments,services,configmaps -A -o json | plimsoll load mirror - --write mirror
  plimsoll load mirror inspect.local --write mirror
  plimsoll load mirror/load.yaml --kubeconfig lab.kubeconfig`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return m.run(c.Context(), args) },
	}
	m.server.flags(c)
	c.Flags().StringVar(&m.write, "write", "", "write load.yaml and its templates into this `DIR`")
	c.Flags().BoolVar(&m.force, "force", false, forceHelp)
	c.Flags().BoolVar(&m.opt.KeepImages, "keep-images", false, "leave the images, commands and probes of containers")
	c.Flags().BoolVar(&m.opt.System, "system", false, "take the namespaces of the platform, too")
	return c
}

func (m *mirrorCommand) run(ctx context.Context, args []string) error {
	if m.write == "" {
		return badInput(errors.New("--write DIR says where to write"))
	}
	mirror := loadmodel.NewMirror(m.opt)
	var err error
	if len(args) == 1 {
		err = m.dumped(args[0], mirror)
	} else {
		err = m.running(ctx, mirror)
	}
	if err != nil {
		return err
	}
	mirror.Finish()
	if len(mirror.Templates) == 0 {
		return badInput(errors.New("there is nothing to mirror: no objects outside of the platform's namespaces " +
			"(--system takes them; a must-gather has no others, \"oc adm inspect ns/NAME\" writes them)"))
	}
	config, err := yamlout.Marshal(mirror.Config)
	if err != nil {
		return err
	}
	files := []manifest.File{{Path: "load.yaml", Content: config, Why: "the configuration"}}
	for _, name := range slices.Sorted(maps.Keys(mirror.Templates)) {
		text, err := json.MarshalIndent(mirror.Templates[name], "", "  ")
		if err != nil {
			return err
		}
		files = append(files, manifest.File{Path: name, Content: append(text, '\n'), Why: "a namespace"})
	}
	if err := manifest.Write(m.write, files, manifest.Options{By: "plimsoll load mirror", Force: m.force}); err != nil {
		return err
	}
	m.say("%s", mirror.Summary())
	return nil
}

// running adds the objects of the cluster.
func (m *mirrorCommand) running(ctx context.Context, mirror *loadmodel.Mirror) error {
	client, err := m.connect(m.server)
	if err != nil {
		return err
	}
	all, err := client.Discover().All(ctx)
	if err != nil {
		return err
	}
	for _, r := range all {
		if !loadmodel.Mirrored(r.Kind) || !r.Namespaced {
			continue
		}
		text, err := client.Do(ctx, apiserver.Request{Method: "GET", Path: r.Path("")})
		if err != nil {
			return err
		}
		var list objectList
		if err := json.Unmarshal(text, &list); err != nil {
			return err
		}
		for _, o := range list.Items { // which lists leave out
			o["apiVersion"], o["kind"] = r.APIVersion, r.Kind
			mirror.Add(o)
		}
	}
	return nil
}

type objectList struct {
	Items []map[string]any `json:"items"`
}

// dumped adds the objects of a dump.
func (m *mirrorCommand) dumped(path string, mirror *loadmodel.Mirror) error {
	r := &dump.Reader{Want: m.wanted, Take: func(o dump.Object) { mirror.Add(o.Fields()) }}
	err := m.read(r, path)
	if n := len(r.Passed); n > 0 {
		m.say("%s passed over, such as %s: %s", words.Count(n, "file"), r.Passed[0].Place, r.Passed[0].Why)
	}
	var bad yamlpos.Problems
	switch {
	case errors.As(err, &bad):
		return m.app.tell(err)
	case err != nil:
		return badInput(err)
	}
	return nil
}

// inNamespace is how a must-gather has the objects of a namespace.
var inNamespace = regexp.MustCompile(`(^|/)namespaces/([^/]+)/`)

// wanted says of a path whether the objects there may be mirrored: a must-gather has tens of thousands of
// files of the platform's own.
func (m *mirrorCommand) wanted(path string) bool {
	if space := inNamespace.FindStringSubmatch(path); space != nil {
		return m.opt.System || !loadmodel.IsSystem(space[2])
	}
	return !strings.Contains("/"+path, "/cluster-scoped-resources/")
}

// read a directory, an archive or what kubectl wrote.
func (m *mirrorCommand) read(r *dump.Reader, path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		root, err := os.OpenRoot(path)
		if err != nil {
			return err
		}
		defer root.Close()
		return r.Dir(root.FS(), path)
	}
	in, name, err := m.open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	text := bufio.NewReader(in)
	if start, _ := text.Peek(tarBlock); files.IsArchive(start) {
		return r.Archive(text, name)
	}
	if err := r.Stream(text); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
