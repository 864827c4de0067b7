package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// known is what the study says of an instance.
type known struct {
	name string
	// optimum, or -1 when the study leaves it open; best of its heuristics.
	optimum, best int64
}

// items is the number of items, which the name tells: class_items_dims_index.
func (k known) items() int {
	if parts := strings.Split(k.name, "_"); len(parts) == 4 {
		if n, err := strconv.Atoi(parts[1]); err == nil {
			return n
		}
	}
	return -1
}

// readSummary reads a table with tabs between the columns instance_name, OPT and
// best_overall, among others.
func readSummary(r io.Reader) ([]known, error) {
	in := csv.NewReader(io.LimitReader(r, maxFile))
	in.Comma = '\t'
	head, err := in.Read()
	if err != nil {
		return nil, err
	}
	columns := map[string]int{}
	for i, name := range head {
		columns[name] = i
	}
	for _, name := range []string{"instance_name", "OPT", "best_overall"} {
		if _, ok := columns[name]; !ok {
			return nil, fmt.Errorf("there is no column %s", name)
		}
	}
	var out []known
	for {
		cells, err := in.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		k := known{name: cells[columns["instance_name"]]}
		if k.optimum, err = strconv.ParseInt(cells[columns["OPT"]], 10, 32); err != nil {
			return nil, fmt.Errorf("%s: OPT: %w", k.name, err)
		}
		if k.best, err = strconv.ParseInt(cells[columns["best_overall"]], 10, 32); err != nil {
			return nil, fmt.Errorf("%s: best_overall: %w", k.name, err)
		}
		if k.items() < 0 {
			return nil, fmt.Errorf("%q: is no name of an instance (class1_20_3_0 would be)", clip(k.name))
		}
		out = append(out, k)
	}
}
