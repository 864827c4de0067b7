package netresult

import (
	"encoding/json"
	"fmt"
	"strings"

	"plimsoll.dev/bench/measure"
	"plimsoll.dev/bench/network"
)

var (
	iperfSent = network.Remark{ID: "iperf3.sent", Figure: "sum_sent", Is: "what was put into buffers, not what arrived",
		Instead: "sum_received"}
	iperfRTT = network.Remark{ID: "iperf3.rtt", Figure: "mean_rtt", Is: "TCP's own smoothed round trip under " +
		"load, not the latency of a request"}
	iperfOmit = network.Remark{ID: "iperf3.omit", Figure: "the throughput",
		Is: "with the slow start of the connections in it", Instead: "nothing; run iperf3 with -O 2"}
	iperfCPU = network.Remark{ID: "iperf3.cpu", Figure: "cpu_utilization_percent",
		Is: "of the processes alone: interrupts are in nobody's account"}
)

type iperfSum struct {
	Seconds     float64 `json:"seconds"`
	Bytes       float64 `json:"bytes"`
	Retransmits float64 `json:"retransmits"`
}

// readIperf reads what "iperf3 -J" prints.
func readIperf(text []byte) (*network.Run, error) {
	var x struct {
		Start struct {
			Version string `json:"version"`
			System  string `json:"system_info"`
			Test    struct {
				Protocol string  `json:"protocol"`
				Streams  int     `json:"num_streams"`
				Size     int     `json:"blksize"`
				Omit     float64 `json:"omit"`
				Reverse  int     `json:"reverse"`
			} `json:"test_start"`
		} `json:"start"`
		End struct {
			Sent     iperfSum `json:"sum_sent"`
			Received iperfSum `json:"sum_received"`
			CPU      struct {
				HostUser     float64 `json:"host_user"`
				HostSystem   float64 `json:"host_system"`
				RemoteUser   float64 `json:"remote_user"`
				RemoteSystem float64 `json:"remote_system"`
			} `json:"cpu_utilization_percent"`
		} `json:"end"`
		Error string `json:"error"`
	}
	if err := json.Unmarshal(text, &x); err != nil {
		return nil, err
	}
	test, end := x.Start.Test, x.End
	switch {
	case x.Error != "":
		return nil, fmt.Errorf("iperf3 failed: %.200q", x.Error)
	case test.Protocol != "" && !strings.EqualFold(test.Protocol, "TCP"):
		return nil, errNotTCP
	}
	c := network.Cell{Pattern: network.Stream, Connections: test.Streams, Request: test.Size}
	if test.Reverse != 0 {
		c.Request, c.Response = 0, test.Size
	}
	r := measure.Repetition{Seconds: end.Received.Seconds, Bytes: end.Received.Bytes, Retransmits: end.Sent.Retransmits}
	r.Transactions = r.Bytes / float64(max(1, test.Size))
	part := func(percent float64) float64 { return percent / 100 * r.Seconds }
	if end.CPU.HostUser+end.CPU.HostSystem > 0 && end.CPU.RemoteUser+end.CPU.RemoteSystem > 0 {
		r.Client = &measure.CPU{User: part(end.CPU.HostUser), System: part(end.CPU.HostSystem)}
		r.Server = &measure.CPU{User: part(end.CPU.RemoteUser), System: part(end.CPU.RemoteSystem)}
	}
	run := one("iperf3", c, r, iperfSent, iperfRTT, iperfCPU)
	if test.Omit == 0 {
		run.Remarks = append(run.Remarks, iperfOmit)
	}
	run.Ends.Client.Kernel = x.Start.System
	run.Ends.Client.Versions = map[string]string{"iperf3": x.Start.Version}
	return run, nil
}
