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

	"plimsoll.dev/unit"
)

// trace is what the tables hold, grouped.
type trace struct {
	nodes   []nodeType
	pods    []podType
	leftOut []string // what could not be expressed
}

// nodeType is a number of equal nodes.
type nodeType struct {
	cpus   int
	memory unit.Bytes
	gpus   int64
	model  string
	count  int
}

// podType is a number of pods that request the same.
type podType struct {
	cpu    unit.CPU
	memory unit.Bytes
	gpus   int64  // whole GPUs, or 1 with a share
	share  int64  // of each GPU, in thousandths
	model  string // the only model that will do; empty for any
	count  int
	byQOS  map[string]int
}

func (n nodeType) name() string {
	s := fmt.Sprintf("%dcpu-%s", n.cpus, n.memory)
	if n.gpus > 0 {
		s += fmt.Sprintf("-%dx%s", n.gpus, n.model)
	}
	return s
}

func (p podType) name() string {
	s := fmt.Sprintf("%scpu-%s", p.cpu, p.memory)
	if p.gpus > 0 {
		s += fmt.Sprintf("-%dx%dgpu", p.gpus, p.share)
	}
	if p.model != "" {
		s += "-" + p.model
	}
	return s
}

// readNodes reads the table of nodes: sn, cpu_milli, memory_mib, gpu, model.
func (t *trace) readNodes(r io.Reader, limit int) error {
	type key struct {
		cpu, memory, gpu int64
		model            string
	}
	counts := map[key]int{}
	n := 0
	err := table(r, []string{"cpu_milli", "memory_mib", "gpu", "model"}, func(row row) error {
		if n++; limit > 0 && n > limit {
			return nil
		}
		k := key{row.int("cpu_milli"), row.int("memory_mib"), row.int("gpu"), row.text("model")}
		if row.err == nil && k.cpu%1000 != 0 {
			return fmt.Errorf("%d millicores are not whole cores", k.cpu)
		}
		counts[k]++
		return row.err
	})
	for k, count := range counts {
		t.nodes = append(t.nodes, nodeType{int(k.cpu / 1000), unit.Bytes(k.memory) * unit.MiB, k.gpu, k.model, count})
	}
	slices.SortFunc(t.nodes, func(a, b nodeType) int {
		return cmp.Or(cmp.Compare(a.gpus, b.gpus), cmp.Compare(a.model, b.model), cmp.Compare(a.cpus, b.cpus),
			cmp.Compare(a.memory, b.memory))
	})
	return err
}

// readPods reads the table of pods: cpu_milli, memory_mib, num_gpu, gpu_milli,
// gpu_spec, qos; the times are not used.
func (t *trace) readPods(r io.Reader) error {
	type key struct {
		cpu, memory, gpus, share int64
		model                    string
	}
	found := map[key]podType{}
	several := map[string]int{}
	err := table(r, []string{"cpu_milli", "memory_mib", "num_gpu", "gpu_milli", "gpu_spec", "qos"}, func(row row) error {
		k := key{row.int("cpu_milli"), row.int("memory_mib"), row.int("num_gpu"), row.int("gpu_milli"), row.text("gpu_spec")}
		if strings.Contains(k.model, "|") {
			several[k.model]++
			k.model = ""
		}
		if k.gpus == 0 {
			k.share = 0
		}
		p, ok := found[k]
		if !ok {
			p = podType{cpu: unit.CPU(k.cpu), memory: unit.Bytes(k.memory) * unit.MiB, gpus: k.gpus, share: k.share,
				model: k.model, byQOS: map[string]int{}}
		}
		p.count++
		p.byQOS[row.text("qos")]++
		found[k] = p
		return row.err
	})
	t.pods = slices.SortedFunc(maps.Values(found), func(a, b podType) int {
		return cmp.Or(cmp.Compare(a.gpus*a.share, b.gpus*b.share), cmp.Compare(a.gpus, b.gpus), cmp.Compare(a.cpu, b.cpu),
			cmp.Compare(a.memory, b.memory), cmp.Compare(a.model, b.model))
	})
	for model, n := range several {
		t.leftOut = append(t.leftOut, fmt.Sprintf("pods that take any of the GPU models %s: %d; "+
			"a node selector can't say so, and they are given none", model, n))
	}
	slices.Sort(t.leftOut)
	return err
}

// row is one line of a table. The first error is kept.
type row struct {
	columns map[string]int
	cells   []string
	err     error
}

func (r *row) text(name string) string { return r.cells[r.columns[name]] }

func (r *row) int(name string) int64 {
	n, err := strconv.ParseInt(r.text(name), 10, 40)
	if (err != nil || n < 0) && r.err == nil {
		r.err = fmt.Errorf("%s: %q is not a number from 0", name, r.text(name))
	}
	return n
}

// table reads a table with a header, which must have the columns.
func table(r io.Reader, columns []string, each func(row) error) error {
	in := csv.NewReader(r)
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
		var wrong *csv.ParseError
		if errors.As(err, &wrong) {
			return fmt.Errorf("line %d: %w", wrong.Line, wrong.Err)
		}
		if err != nil {
			return err
		}
		if err := each(row{columns: at, cells: cells}); err != nil {
			line, _ := in.FieldPos(0)
			return fmt.Errorf("line %d: %w", line, err)
		}
	}
}
