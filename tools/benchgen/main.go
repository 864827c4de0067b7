// Command benchgen writes the inputs of the benchmarks into a directory:
// mix.yaml, a scenario of 200 pod types and 10 node types, cluster.yaml and
// region.yaml with 150,000 and 1,000,000 pods to place, cloud.yaml and
// provider.yaml with 1,000 and 100,000 VMs, snapshot.yaml with snapshot.json, what
// "kubectl get -A -o json" says of a large cluster, and tuneds.yaml with 200 Tuned CRs for it.
//
// The same flags give the same bytes. The cluster is made up: it has the shape
// and size of a real one, but it is not one.
//
//	go run ./tools/benchgen -out /tmp/bench -nodes 1000 -pods 50000
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	flags := flag.NewFlagSet("benchgen", flag.ExitOnError)
	out := flags.String("out", "bin/bench", "directory to write to")
	nodes := flags.Int("nodes", 1000, "nodes of the snapshot, three of them control plane")
	pods := flags.Int("pods", 50000, "pods of the snapshot, at least 15 a node")
	podTypes := flags.Int("pod-types", 200, "pod types of the scenario")
	nodeTypes := flags.Int("node-types", 10, "node types of the scenario")
	flags.Parse(args)
	if *nodes < 4 || *pods < *nodes*len(daemons) {
		return fmt.Errorf("a snapshot needs 4 nodes and %d pods a node for the daemon sets", len(daemons))
	}
	if err := os.MkdirAll(*out, 0o755); err != nil {
		return err
	}
	return errors.Join(
		write(filepath.Join(*out, "mix.yaml"), func(w io.Writer) error { return writeMix(w, *podTypes, *nodeTypes) }),
		write(filepath.Join(*out, "cluster.yaml"),
			func(w io.Writer) error { return writeLarge(w, "cluster", 150_000, 2000) }),
		write(filepath.Join(*out, "region.yaml"),
			func(w io.Writer) error { return writeLarge(w, "region", 1_000_000, 20_000) }),
		write(filepath.Join(*out, "cloud.yaml"), func(w io.Writer) error { return writeCloud(w, "cloud", 1000, 100) }),
		write(filepath.Join(*out, "provider.yaml"),
			func(w io.Writer) error { return writeCloud(w, "provider", 100_000, 10_000) }),
		write(filepath.Join(*out, "snapshot.yaml"),
			func(w io.Writer) error { return writeSnapshotScenario(w, "snapshot.json") }),
		write(filepath.Join(*out, "tuneds.yaml"), func(w io.Writer) error { return writeTuneds(w, 200) }),
		write(filepath.Join(*out, "snapshot.json"), func(w io.Writer) error { return writeSnapshot(w, *nodes, *pods) }),
	)
}

func write(path string, content func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	return errors.Join(content(w), w.Flush(), f.Close())
}
