package main

import (
	"fmt"
	"io"
	"math/rand/v2"
)

// seed of everything that is drawn.
const seed = 20260821

// writeMix writes a scenario whose cheapest node mix takes some finding:
// pods of many sizes, some with constraints, machines of several families.
func writeMix(w io.Writer, podTypes, nodeTypes int) error {
	r := rand.New(rand.NewPCG(seed, 1))
	fmt.Fprint(w, `apiVersion: plimsoll.dev/v1alpha1
kind: Scenario
metadata:
  name: mix
  description: Made by benchgen to time the plan of many pod types on many node types.
platform:
  type: openshift
  release: "4.17"
  provider: aws
hardware:
  nodeTypes:
`)
	for i := range nodeTypes {
		writeNodeType(w, r, i)
	}
	fmt.Fprint(w, "workload:\n  podTypes:\n")
	for i := range podTypes {
		writePodType(w, r, i)
	}
	_, err := fmt.Fprint(w, "policy:\n  zones: 3\n  spareNodes: 2\n")
	return err
}

// families are the GiB of memory that a core comes with, and what a core and a
// GiB cost an hour, in thousandths.
var families = []struct {
	name               string
	memory, cpu, price int
}{{"compute", 2, 40, 1}, {"general", 4, 38, 3}, {"memory", 8, 36, 4}}

func writeNodeType(w io.Writer, r *rand.Rand, i int) {
	f := families[i%len(families)]
	cpus := 8 << (i / len(families) % 4)
	// A little noise keeps the prices from being one straight line.
	price := float64(cpus*(f.cpu+f.memory*f.price)) / 1000 * (0.95 + r.Float64()/10)
	fmt.Fprintf(w, "  - name: %s-%d\n    cpus: %d\n    memory: %dGi\n    price: %.3f\n", f.name, cpus, cpus,
		cpus*f.memory, price)
}

func writePodType(w io.Writer, r *rand.Rand, i int) {
	cpu := pick(r, 50, 100, 100, 250, 250, 500, 500, 1000, 2000, 4000)
	memory := cpu * pick(r, 1, 2, 2, 4, 4, 8) // MiB
	replicas := 1 + int(r.ExpFloat64()*100000/float64(cpu+500))
	fmt.Fprintf(w, "  - name: app-%03d\n    namespace: team-%02d\n    replicas: %d\n    cpu: %dm\n    memory: %dMi\n", i,
		i%40, replicas, cpu, memory)
	switch r.IntN(12) {
	case 0:
		fmt.Fprintf(w, "    maxPerNode: %d\n", pick(r, 1, 2, 4))
	case 1:
		fmt.Fprint(w, "    overcommit: forbidden\n")
	case 2:
		fmt.Fprint(w, "    overcommit: cpuOnly\n")
	case 3:
		fmt.Fprintf(w, "    storage: %dGi\n", pick(r, 1, 10, 100))
	}
}

func writeSnapshotScenario(w io.Writer, file string) error {
	_, err := fmt.Fprintf(w, `apiVersion: plimsoll.dev/v1alpha1
kind: Scenario
metadata:
  name: snapshot
  description: Made by benchgen to time the plan of a large cluster that exists.
platform:
  type: openshift
  release: "4.17"
  provider: aws
workload:
  snapshot: %s
`, file)
	return err
}

// pick draws one of the values.
func pick[T any](r *rand.Rand, values ...T) T { return values[r.IntN(len(values))] }
