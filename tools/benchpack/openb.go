package main

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/pack"
)

// gpuPrice of each GPU model of the trace, in thousandths of a currency unit an
// hour. Invented, in the order in which such GPUs cost: the trace has no prices.
var gpuPrice = map[string]int64{"P100": 700, "T4": 400, "V100M16": 1300, "V100M32": 1600, "A10": 900, "G2": 600,
	"G3": 2000}

// price of a node, invented like that: 40 a core and 5 a GiB, and its GPUs.
func price(n node) int64 {
	return max(1, 40*n.cpu/1000+5*n.memory/1024+gpuPrice[n.model]*n.gpus)
}

type node struct {
	cpu, memory, gpus int64 // millicores, MiB, GPUs
	model             string
}

type pod struct {
	cpu, memory, gpu int64 // millicores, MiB, thousandths of a GPU
	models           string
}

// readOpenB makes a problem of the trace's node list and pod list: each kind of
// node without limit, each kind of pod. The GPUs of a node are one sum of
// thousandths: that a share must lie on one of them is not asked for.
func readOpenB(nodes, pods io.Reader) (pack.Problem, error) {
	p := pack.Problem{Resources: []string{"cpu", "memory", "gpu"}}
	kinds, wanted := map[node]int64{}, map[pod]int64{}
	err := readTable(nodes, []string{"cpu_milli", "memory_mib", "gpu", "model"}, func(r row) {
		kinds[node{r.int("cpu_milli"), r.int("memory_mib"), r.int("gpu"), r.text("model")}]++
	})
	if err != nil {
		return p, fmt.Errorf("nodes: %w", err)
	}
	err = readTable(pods, []string{"cpu_milli", "memory_mib", "num_gpu", "gpu_milli", "gpu_spec"}, func(r row) {
		wanted[pod{r.int("cpu_milli"), r.int("memory_mib"), r.int("num_gpu") * r.int("gpu_milli"), r.text("gpu_spec")}]++
	})
	if err != nil {
		return p, fmt.Errorf("pods: %w", err)
	}
	models := slices.SortedFunc(maps.Keys(kinds), func(a, b node) int {
		return cmp.Or(cmp.Compare(a.cpu, b.cpu), cmp.Compare(a.memory, b.memory), cmp.Compare(a.gpus, b.gpus),
			cmp.Compare(a.model, b.model))
	})
	for _, n := range models {
		p.Nodes = append(p.Nodes, pack.NodeType{
			Name:     fmt.Sprintf("%dm-%dMi-%dx%s", n.cpu, n.memory, n.gpus, n.model),
			Capacity: []int64{n.cpu, n.memory, 1000 * n.gpus}, Cost: price(n), Stock: -1,
		})
	}
	for _, w := range slices.SortedFunc(maps.Keys(wanted), func(a, b pod) int {
		return cmp.Or(cmp.Compare(a.cpu, b.cpu), cmp.Compare(a.memory, b.memory), cmp.Compare(a.gpu, b.gpu),
			cmp.Compare(a.models, b.models))
	}) {
		item := pack.Item{Name: fmt.Sprintf("%dm-%dMi-%d%s", w.cpu, w.memory, w.gpu, w.models), Count: wanted[w],
			Need: []int64{w.cpu, w.memory, w.gpu}}
		if w.models != "" {
			for _, n := range models {
				item.On = append(item.On, slices.Contains(strings.Split(w.models, "|"), n.model))
			}
		}
		p.Items = append(p.Items, item)
	}
	return p, nil
}

// row is one line of a table. The first error is kept.
type row struct {
	columns map[string]int
	cells   []string
	err     *error
}

func (r row) text(name string) string { return r.cells[r.columns[name]] }

func (r row) int(name string) int64 {
	n, err := strconv.ParseInt(r.text(name), 10, 40)
	if (err != nil || n < 0 || n > 1<<30) && *r.err == nil {
		*r.err = fmt.Errorf("%s: %q is not a number from 0 to 2^30", name, clip(r.text(name)))
	}
	return n
}

// readTable reads a table with a header, which must have the columns.
func readTable(r io.Reader, columns []string, each func(row)) error {
	in := csv.NewReader(io.LimitReader(r, maxArchive))
	head, err := in.Read()
	if err != nil {
		return err
	}
	at := map[string]int{}
	for i, name := range head {
		at[name] = i
	}
	for _, name := range columns {
		if _, ok := at[name]; !ok {
			return fmt.Errorf("there is no column %s", name)
		}
	}
	for {
		cells, err := in.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err // which names the line
		}
		if each(row{columns: at, cells: cells, err: &err}); err != nil {
			line, _ := in.FieldPos(0)
			return fmt.Errorf("line %d: %w", line, err)
		}
	}
}
