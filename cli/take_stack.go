package cli

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"

	"plimsoll.dev/internal/words"
	"plimsoll.dev/source/live/alias"
	"plimsoll.dev/source/openstack"
)

// stack writes the exports of an OpenStack cloud as one file.
func (t *takeCommand) stack(out *output, names *alias.Names) error {
	if t.server != (serverFlags{}) {
		return badInput(errors.New("--openstack is a cloud, and --context and --kubeconfig are for clusters: give one"))
	}
	rows, count := map[string][]map[string]any{}, 0
	seen, err := t.readStack(t.exports, func(e *openstack.Export, row map[string]any) {
		if t.aliases {
			e.Rename(row, names.Name)
		}
		rows[e.Name] = append(rows[e.Name], row)
		count++
	})
	if err != nil {
		return t.tellOrSay(err)
	}
	err = out.send(t.app, func(w io.Writer) error {
		packed := gzip.NewWriter(w)
		return errors.Join(openstack.WriteSnapshot(packed, seen, rows), packed.Close())
	})
	if err != nil {
		return err
	}
	for _, e := range openstack.Exports {
		if !slices.Contains(seen.Read, e.Name) {
			t.say("there is no %s.json (%s)", e.Name, e.Command)
		}
	}
	t.say("%s written", words.Count(count, "row"))
	if len(seen.NotSeen) > 0 {
		return &exitError{code: ExitNegative}
	}
	return nil
}

// writeCommands writes a script that lists an OpenStack cloud into the directory that it runs in.
func writeCommands(w io.Writer) error {
	_, err := io.WriteString(w, "#!/bin/sh\n"+
		"# Lists an OpenStack cloud into files in this directory, as its administrator. "+
		"Nothing is changed.\n")
	for _, e := range openstack.Exports {
		_, failed := fmt.Fprintf(w, "%s > %s.json || rm -f %[2]s.json\n", e.Command, e.Name)
		err = errors.Join(err, failed)
	}
	return err
}
