package cli

import (
	"compress/gzip"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/term"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/source/live"
	"plimsoll.dev/source/live/alias"
	"plimsoll.dev/source/live/keep"
)

// takeCommand holds the flags of "snapshot".
type takeCommand struct {
	*app
	server  serverFlags
	file    string
	aliases bool
	exports string
	list    bool
}

func newTake(a *app) *cobra.Command {
	t := &takeCommand{app: a}
	c := &cobra.Command{
		Use:   "snapshot",
		Short: "Write down the cluster that runs, for other commands to read",
		Long: `Snapshot reads a cluster and writes one file, JSON that gzip packs, of all that
--snapshot of plan, place, pack and audit, and --nodes of tune, make use of.
The answers are those that the cluster itself gives.

Secrets and config maps are counted, never read. Of each object only the fields
are written that are made use of: no environment, no arguments, no annotations
but those that say what an object is, nothing that drivers are given. With
--anonymise names are pseudonyms, the same one for the same name, made with a
key that is thrown away; what the platform has named stays.

What the account may not read is told, here and in every answer that the file
gives, and the exit code is 3; "plimsoll rbac audit" prints the rights that
suffice.

Of an OpenStack cloud it puts what its clients list, in a directory of files
that --commands names, into one file in the same way.`,
		Example: `  plimsoll snapshot --context prod > cloud.json.gz
  plimsoll snapshot --context prod --output-file cloud.json.gz
  plimsoll snapshot --context prod --anonymise > cloud.json.gz
  plimsoll plan --snapshot cloud.json.gz
  plimsoll snapshot --commands > export.sh
  plimsoll snapshot --openstack exports/ --output-file openstack.json.gz`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return t.run(c.Context()) },
	}
	t.server.flags(c)
	c.Flags().BoolVar(&t.aliases, "anonymise", false,
		"put pseudonyms in the place of names: of namespaces, pods, nodes, images, values of labels")
	c.Flags().StringVar(&t.exports, "openstack", "",
		"of an OpenStack cloud: the directory of what its clients list as JSON")
	c.Flags().BoolVar(&t.list, "commands", false, "print the commands that write this directory, as a shell script")
	c.Flags().StringVar(&t.file, "output-file", "", "write to this file instead of standard output")
	return c
}

func (t *takeCommand) run(ctx context.Context) error {
	out := output{file: t.file}
	if t.list {
		return out.send(t.app, writeCommands)
	}
	if out.standard(t.app) == t.Out && term.IsTerminal(t.Out) {
		return badInput(errors.New("a snapshot is no text for a terminal: give --output-file cloud.json.gz, " +
			"or > cloud.json.gz"))
	}
	key := make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		return err
	}
	names := alias.New(key)
	if t.exports != "" {
		return t.stack(&out, names)
	}
	client, err := t.connect(t.server)
	if err != nil {
		return err
	}
	var seen v1alpha1.Seen
	objects := 0
	err = out.send(t.app, func(w io.Writer) error {
		packed := gzip.NewWriter(w)
		list := &listWriter{out: packed}
		r := live.Reader{Client: client, Nameless: t.aliases}
		r.Only = func(k live.Kind) bool { return k.Name == "" && !(t.aliases && k.Audit) }
		var done func()
		r.Progress, done = t.reading()
		defer done()
		r.Take = func(o map[string]any) error {
			if o["kind"] == v1alpha1.KindSeen {
				return list.seen(o, &seen)
			}
			if o = keep.Fields(o); o == nil {
				return nil
			}
			if t.aliases {
				names.Object(o)
			}
			return list.add(o)
		}
		if err := r.Write(ctx, nil); err != nil {
			return err // and what is written breaks off, so that no reader takes it for the whole
		}
		objects = list.objects - 1 // beside what it says of itself
		return errors.Join(list.end(), packed.Close())
	})
	if err != nil {
		return err
	}
	for _, s := range seen.NotSeen {
		t.say("%s: %s", s.What, s.Why)
	}
	t.say("%s written", words.Count(objects, "object"))
	if len(seen.NotSeen) > 0 {
		return &exitError{code: ExitNegative}
	}
	return nil
}

// listWriter writes a list of objects as kubectl does, one a line.
type listWriter struct {
	out     io.Writer
	objects int
}

func (l *listWriter) add(o any) error {
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	before := ",\n"
	if l.objects == 0 {
		before = "{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [\n"
	}
	l.objects++
	_, err = l.out.Write(append([]byte(before), text...))
	return err
}

// seen adds what the snapshot says of itself, and keeps it.
func (l *listWriter) seen(o map[string]any, into *v1alpha1.Seen) error {
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	return errors.Join(json.Unmarshal(text, into), l.add(json.RawMessage(text)))
}

func (l *listWriter) end() error {
	_, err := io.WriteString(l.out, "\n]}\n")
	return err
}
