// Command benchpeer is what the snapshot benchmark is compared with: it decodes
// the same file with encoding/json into the smallest structs that hold nodes,
// pods and their requests, and prints how many there are.
//
// It plans nothing; a plan that takes as long costs no more than reading.
//
//	go run ./tools/benchpeer bin/bench/snapshot.json
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// list is a "kind: List" document, as far as a planner needs it.
type list struct {
	Items []struct {
		Kind     string
		Metadata struct{ Namespace, Name string }
		Spec     struct {
			NodeName   string
			Containers []struct {
				Resources struct{ Requests map[string]string }
			}
		}
		Status struct {
			Phase       string
			Allocatable map[string]string
		}
	}
}

func run(args []string, out io.Writer) error {
	if len(args) != 1 {
		return fmt.Errorf("name one file, not %d", len(args))
	}
	text, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	var l list
	if err := json.Unmarshal(text, &l); err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	kinds := map[string]int{}
	for _, o := range l.Items {
		kinds[o.Kind]++
	}
	_, err = fmt.Fprintf(out, "%d nodes, %d pods, %d objects\n", kinds["Node"], kinds["Pod"], len(l.Items))
	return err
}
