// Command openb makes a scenario of the OpenB trace, a production cluster of
// Alibaba with shared GPUs, so that Plimsoll can be tried and measured on a real
// workload.
//
// It is not part of the program that people install, and it downloads nothing:
// the two tables are given to it.
//
//	go run ./tools/openb -nodes examples/openb/nodes.csv -pods examples/openb/pods.csv -o examples
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// fileName is the scenario's name in the directory that -o names.
const fileName = "openb.yaml"

func main() {
	if err := run(os.Args[1:], os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "openb:", err)
		os.Exit(1)
	}
}

func run(args []string, notes io.Writer) error {
	flags := flag.NewFlagSet("openb", flag.ContinueOnError)
	nodes := flags.String("nodes", "", "table of the nodes")
	pods := flags.String("pods", "", "table of the pods")
	limit := flags.Int("nodes-limit", 0, "take only so many nodes; 0 takes all")
	out := flags.String("o", ".", "directory to write "+fileName+" into")
	if err := flags.Parse(args); err != nil {
		return err
	}
	t, err := read(*nodes, *pods, *limit)
	if err != nil {
		return err
	}
	for _, s := range t.leftOut {
		fmt.Fprintln(notes, s)
	}
	return os.WriteFile(filepath.Join(*out, fileName), t.scenario(), 0o644)
}

// read reads both tables.
func read(nodes, pods string, limit int) (*trace, error) {
	var t trace
	for _, table := range []struct {
		path string
		read func(io.Reader) error
	}{{nodes, func(r io.Reader) error { return t.readNodes(r, limit) }}, {pods, t.readPods}} {
		f, err := os.Open(table.path)
		if err != nil {
			return nil, err
		}
		err = table.read(f)
		f.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", table.path, err)
		}
	}
	return &t, nil
}
