package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"plimsoll.dev/engine/apiserver"
	"plimsoll.dev/internal/yamlout"
	"plimsoll.dev/loadmodel"
	"plimsoll.dev/sink/manifest"
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
		Long: `Mirror reads a cluster, or the JSON that "kubectl get KINDS -A -o json" wrote of
one (- is standard input), and writes a configuration with a template for each
namespace: what was made by hand, without what controllers make of it. Values of
secrets and config maps are replaced by others of the same length, images by one
that only waits.`,
		Example: `  plimsoll load mirror --kubeconfig production.kubeconfig --write mirror
  kubectl get deployments,services,configmaps -A -o json | plimsoll load mirror - --write mirror
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
	objects, err := m.objects(ctx, args)
	if err != nil {
		return err
	}
	mirror := loadmodel.MirrorOf(objects, m.opt)
	if len(mirror.Templates) == 0 {
		return badInput(errors.New("there is nothing to mirror: no objects outside of the platform's namespaces " +
			"(--system takes them)"))
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

// objects of a file, or of the cluster.
func (m *mirrorCommand) objects(ctx context.Context, args []string) ([]map[string]any, error) {
	if len(args) == 1 {
		in, name, err := m.open(args[0])
		if err != nil {
			return nil, badInput(err)
		}
		defer in.Close()
		var list objectList
		if err := json.NewDecoder(io.LimitReader(in, maxRun)).Decode(&list); err != nil {
			return nil, badInput(fmt.Errorf("%s: %w (write it with 'kubectl get KINDS -A -o json')", name, err))
		}
		return list.Items, nil
	}
	client, err := m.connect(m.server)
	if err != nil {
		return nil, err
	}
	all, err := client.Discover().All(ctx)
	if err != nil {
		return nil, err
	}
	var out []map[string]any
	for _, r := range all {
		if !loadmodel.Mirrored(r.Kind) || !r.Namespaced {
			continue
		}
		text, err := client.Do(ctx, apiserver.Request{Method: "GET", Path: r.Path("")})
		if err != nil {
			return nil, err
		}
		var list objectList
		if err := json.Unmarshal(text, &list); err != nil {
			return nil, err
		}
		for _, o := range list.Items { // which lists leave out
			o["apiVersion"], o["kind"] = r.APIVersion, r.Kind
		}
		out = append(out, list.Items...)
	}
	return out, nil
}

type objectList struct {
	Items []map[string]any `json:"items"`
}
