package schedulertest

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"plimsoll.dev/place/scheduler"
)

// OpenBPods are the pods that each OpenB node admits; the trace doesn't say.
const OpenBPods = 110

// GPU counts the GPUs of the OpenB trace.
type GPU func(count, milli int64) int64

// WholeGPUs counts devices: a pod with a share of one takes it all. The trace's
// nodes then lack some, and 1,008 pods fit nowhere.
func WholeGPUs(count, _ int64) int64 { return count }

// GPUShares counts thousandths, wherever on the node they are.
func GPUShares(count, milli int64) int64 { return count * milli }

// OpenB is the trace as a session: nodes and pods in the tables' order, which is
// the order of creation. Pods that ask for the same are one class. The column
// gpu_spec, the models that a pod accepts, is empty throughout this table.
func OpenB(nodes, pods io.Reader, count GPU) (Session, error) {
	s := Session{Name: "openb", Profile: scheduler.Profile{Release: "1.36"}}
	err := table(nodes, []string{"cpu_milli", "memory_mib", "gpu"}, func(name string, n []int64) {
		r := scheduler.Resources{CPU: n[0], Memory: n[1] * mebi, Pods: OpenBPods}
		if n[2] > 0 {
			r.Scalar = map[string]int64{OpenBGPU: count(n[2], 1000)}
		}
		s.Nodes = append(s.Nodes, scheduler.Node{Name: name, Labels: map[string]string{hostname: name}, Allocatable: r})
	})
	if err != nil {
		return s, fmt.Errorf("nodes: %w", err)
	}
	classes := map[string]int32{}
	err = table(pods, []string{"cpu_milli", "memory_mib", "num_gpu", "gpu_milli"}, func(_ string, n []int64) {
		c := pod(n[0], n[1])
		if gpus := count(n[2], n[3]); gpus > 0 {
			c.Request.Scalar = map[string]int64{OpenBGPU: gpus}
		}
		c.Name = fmt.Sprintf("cpu-%d-memory-%d-gpu-%d", n[0], n[1], c.Request.Scalar[OpenBGPU])
		class, ok := classes[c.Name]
		if !ok {
			class = int32(len(s.Classes))
			classes[c.Name] = class
			s.Classes = append(s.Classes, c)
		}
		s.Arrivals = append(s.Arrivals, class)
	})
	if err != nil {
		return s, fmt.Errorf("pods: %w", err)
	}
	return s, nil
}

// OpenBGPU is the extended resource that the trace's GPUs become.
const OpenBGPU = "nvidia.com/gpu"

// table yields the first cell and the named numbers of each row.
func table(r io.Reader, columns []string, each func(name string, numbers []int64)) error {
	rows, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		return fmt.Errorf("the table is empty (it needs the columns %v)", columns)
	}
	at := map[string]int{}
	for i, name := range rows[0] {
		at[name] = i
	}
	for i, row := range rows[1:] {
		numbers := make([]int64, len(columns))
		for j, name := range columns {
			column, ok := at[name]
			if !ok {
				return fmt.Errorf("there is no column %s", name)
			}
			if numbers[j], err = strconv.ParseInt(row[column], 10, 40); err != nil || numbers[j] < 0 {
				return fmt.Errorf("line %d: %s %q is not a number from 0", i+2, name, row[column])
			}
		}
		each(row[0], numbers)
	}
	return nil
}
