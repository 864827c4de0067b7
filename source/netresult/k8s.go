package netresult

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"plimsoll.dev/bench/measure"
	"plimsoll.dev/bench/network"
)

var (
	k8sMean = network.Remark{ID: "k8s-netperf.samples", Figure: "throughput", Is: "the mean of the samples, which are " +
		"not in the file", Instead: "one repetition: give a file for each run to have an interval"}
	k8sUperf = network.Remark{ID: "k8s-netperf.uperf", Figure: "99%tile Observed Latency of driver uperf",
		Is:      "the 99th percentile of the means of seconds, and not multiplied by the connections",
		Instead: "connections / rate"}
	k8sNetperf = network.Remark{ID: "k8s-netperf.netperf", Figure: "99%tile Observed Latency of driver netperf",
		Is: "the mean of the processes' own 99th percentiles, of which none is that of all", Instead: "connections / rate"}
	k8sVerdict = network.Remark{ID: "k8s-netperf.verdict", Figure: "pass or fail",
		Is:      "the signed difference of host and pod in one stream: a pod that is faster always passes",
		Instead: "bench compare"}
)

// k8sRow is a result of k8s-netperf, by the names of its JSON.
type k8sRow struct {
	Driver      string  `json:"driver"`
	Profile     string  `json:"profile"`
	Parallelism int     `json:"parallelism"`
	Samples     int     `json:"samples"`
	Size        int     `json:"messageSize"`
	Burst       int     `json:"burst"`
	Throughput  float64 `json:"throughput"`
	Metric      string  `json:"tputMetric"`
	HostNetwork bool    `json:"hostNetwork"`
	SameNode    bool    `json:"local"`
	Service     bool    `json:"service"`
	AcrossAZ    bool    `json:"acrossAZ"`
}

func readK8sJSON(text []byte) (*network.Run, error) {
	var rows []k8sRow
	if err := json.Unmarshal(text, &rows); err != nil {
		return nil, err
	}
	return k8sRun(rows)
}

func readK8sCSV(text []byte) (*network.Run, error) {
	lines, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		return nil, err
	}
	var rows []k8sRow
	for _, line := range lines[1:] {
		at := func(name string) string {
			for i, h := range lines[0] {
				if h == name {
					return line[i]
				}
			}
			return ""
		}
		whole := func(name string) int { n, _ := strconv.Atoi(at(name)); return n }
		rows = append(rows, k8sRow{Driver: at("Driver"), Profile: at("Profile"), Parallelism: whole("Parallelism"),
			Samples: whole("# of Samples"), Size: whole("Message Size"), Burst: whole("Burst"),
			Throughput: number(at("Avg Throughput")), Metric: at("Throughput Metric"),
			HostNetwork: at("Host Network") == "true", SameNode: at("Same node") == "true", Service: at("Service") == "true"})
	}
	return k8sRun(rows)
}

// k8sRun is of all rows of one place and driver, which is the first row's; others are refused, since a
// cell has one place.
func k8sRun(rows []k8sRow) (*network.Run, error) {
	if len(rows) == 0 {
		return nil, errors.New("has no results")
	}
	run := &network.Run{Tool: "k8s-netperf with " + rows[0].Driver, Place: rows[0].place(),
		Remarks: []network.Remark{k8sMean, k8sVerdict}}
	switch rows[0].Driver {
	case "uperf":
		run.Remarks = append(run.Remarks, k8sUperf)
	case "netperf":
		run.Remarks = append(run.Remarks, k8sNetperf)
	}
	for i, row := range rows {
		if row.Driver != rows[0].Driver || row.place() != run.Place {
			return nil, fmt.Errorf("result %d is of %s, %s, the first of %s, %s (one driver and place a file)", i+1,
				row.Driver, row.place(), rows[0].Driver, run.Place)
		}
		if !strings.HasPrefix(row.Profile, "TCP_") {
			run.Remarks = append(run.Remarks, network.Remark{ID: "k8s-netperf." + row.Profile, Figure: row.Profile,
				Is: "not of TCP", Instead: "nothing: it is left out"})
			continue
		}
		run.Cells = append(run.Cells, row.measured())
	}
	if len(run.Cells) == 0 {
		return nil, errors.New("has no results of TCP")
	}
	return run, nil
}

func (row k8sRow) place() string {
	parts := []string{"two nodes"}
	if row.SameNode {
		parts[0] = "one node"
	}
	for _, p := range []struct {
		is   bool
		text string
	}{{row.HostNetwork, "host network"}, {row.Service, "through a service"}, {row.AcrossAZ, "across zones"}} {
		if p.is {
			parts = append(parts, p.text)
		}
	}
	return strings.Join(parts, ", ")
}

func (row k8sRow) measured() network.Measured {
	c := network.Cell{Pattern: network.RequestResponse, Connections: row.Parallelism, Request: row.Size,
		Response: row.Size}
	r := measure.Repetition{Seconds: 1} // rates are all that is known
	if strings.Contains(row.Profile, "STREAM") {
		c.Pattern, c.Response = network.Stream, 0
		r.Bytes = row.Throughput * 1e6 / 8
		r.Transactions = r.Bytes / float64(max(1, row.Size))
	} else {
		if strings.Contains(row.Profile, "CRR") {
			c.Pattern = network.Connect
		}
		c.Connections *= 1 + row.Burst
		r.Transactions, r.Bytes = row.Throughput, row.Throughput*float64(2*row.Size)
	}
	return network.Measured{Cell: c, Repetitions: []measure.Repetition{r}}
}
