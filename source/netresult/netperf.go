package netresult

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"plimsoll.dev/bench"
	"plimsoll.dev/bench/measure"
	"plimsoll.dev/bench/network"
)

var (
	netperfKey = regexp.MustCompile(`(?m)^([A-Z0-9_]+)=(.*?)\r?$`)
	netperfRR  = regexp.MustCompile(`(?m)^ *[0-9]+ +[0-9]+ +([0-9]+) +([0-9]+) +([0-9.]+) +([0-9.]+)`)
	netperfOne = regexp.MustCompile(`(?m)^ *[0-9]+ +[0-9]+ +([0-9]+) +([0-9.]+) +([0-9.]+)`)
	netperfTry = regexp.MustCompile(`first burst ([0-9]+)`)
)

var (
	netperfMean = network.Remark{ID: "netperf.mean", Figure: "the rate of a request/response test",
		Is: "all that this output has of latency", Instead: "connections / rate as the mean; -- -k all has percentiles"}
	netperfBurst = network.Remark{ID: "netperf.burst", Figure: "one connection with -b",
		Is: "several requests under way at once", Instead: "as many connections as requests, for the latency's sake"}
)

// readNetperf reads the classic output of a test, or the lines KEY=VALUE of -k.
func readNetperf(text []byte) (*network.Run, error) {
	keys := map[string]string{}
	for _, m := range netperfKey.FindAllSubmatch(text, -1) {
		keys[string(m[1])] = strings.TrimSpace(string(m[2]))
	}
	title, _, _ := strings.Cut(string(text), "\n")
	if strings.Contains(title, "UDP") || keys["PROTOCOL"] == "UDP" {
		return nil, errNotTCP
	}
	if keys["THROUGHPUT"] != "" {
		return netperfKeys(keys, title)
	}
	burst := 0
	if m := netperfTry.FindStringSubmatch(title); m != nil {
		burst, _ = strconv.Atoi(m[1])
	}
	name := strings.ToUpper(title)
	c := network.Cell{Pattern: network.RequestResponse, Connections: 1 + burst}
	switch {
	case strings.Contains(name, "CONNECT"):
		c.Pattern = network.Connect
	case !strings.Contains(name, "REQUEST"):
		return netperfStream(string(text), strings.Contains(name, "MAERTS"))
	}
	m := netperfRR.FindStringSubmatch(string(text))
	if m == nil {
		return nil, errors.New("has no line of results")
	}
	c.Request, _ = strconv.Atoi(m[1])
	c.Response, _ = strconv.Atoi(m[2])
	r := measure.Repetition{Seconds: number(m[3])}
	r.Transactions = number(m[4]) * r.Seconds
	return netperfRun(c, r, burst), nil
}

// netperfStream of the client's writes, or of the server's: TCP_MAERTS.
func netperfStream(text string, back bool) (*network.Run, error) {
	m := netperfOne.FindStringSubmatch(text)
	if m == nil {
		return nil, errors.New("has no line of results")
	}
	size, _ := strconv.Atoi(m[1])
	r := measure.Repetition{Seconds: number(m[2])}
	r.Bytes = number(m[3]) * 1e6 / 8 * r.Seconds
	return netperfWrites(r, size, back), nil
}

func netperfWrites(r measure.Repetition, size int, back bool) *network.Run {
	c := network.Cell{Pattern: network.Stream, Connections: 1, Request: size}
	if back {
		c.Request, c.Response = 0, size
	}
	r.Transactions = r.Bytes / float64(max(1, size))
	return one("netperf", c, r)
}

func netperfRun(c network.Cell, r measure.Repetition, burst int) *network.Run {
	run := one("netperf", c, r)
	run.Cells[0].Repetitions[0].Bytes = r.Transactions * float64(c.Bytes())
	if burst > 0 {
		run.Remarks = append(run.Remarks, netperfBurst)
	}
	if r.Latency.Mean == 0 {
		run.Remarks = append(run.Remarks, netperfMean)
	}
	return run
}

// netperfKeys of an omni test. What -k did not ask for is not there.
func netperfKeys(keys map[string]string, title string) (*network.Run, error) {
	rate, whole := number(keys["THROUGHPUT"]), func(k string) int { return int(number(keys[k])) }
	r := measure.Repetition{Seconds: number(keys["ELAPSED_TIME"]), Retransmits: number(keys["LOCAL_TRANSPORT_RETRANS"])}
	if r.Seconds == 0 {
		r.Seconds = 1 // rates are all that is known
	}
	micro := func(k string) bench.Quantile { return quantile(seconds(number(keys[k]) / 1e6)) }
	r.Latency = bench.Summary{Mean: micro("MEAN_LATENCY").Value, Min: micro("MIN_LATENCY").Value,
		Max: micro("MAX_LATENCY").Value, P50: micro("P50_LATENCY"), P90: micro("P90_LATENCY"), P99: micro("P99_LATENCY")}
	if bits := netperfBits[keys["THROUGHPUT_UNITS"]]; bits > 0 {
		r.Bytes, r.Latency = rate*bits/8*r.Seconds, bench.Summary{}
		if keys["DIRECTION"] == "Recv" {
			return netperfWrites(r, whole("REMOTE_SEND_SIZE"), true), nil
		}
		return netperfWrites(r, whole("LOCAL_SEND_SIZE"), false), nil
	}
	if keys["THROUGHPUT_UNITS"] != "Trans/s" {
		return nil, fmt.Errorf("has a throughput in %.20q (Trans/s or 10^6bits/s: -k throughput,throughput_units)",
			keys["THROUGHPUT_UNITS"])
	}
	burst := whole("BURST_SIZE")
	c := network.Cell{Pattern: network.RequestResponse, Connections: 1 + burst, Request: whole("REQUEST_SIZE"),
		Response: whole("RESPONSE_SIZE")}
	if strings.Contains(strings.ToUpper(title), "CONNECT/REQUEST") || strings.Contains(keys["DIRECTION"], "Connect") {
		c.Pattern = network.Connect
	}
	r.Transactions = rate * r.Seconds
	r.Latency.N = int(r.Transactions)
	return netperfRun(c, r, burst), nil
}

// netperfBits of a unit of throughput.
var netperfBits = map[string]float64{"10^3bits/s": 1e3, "10^6bits/s": 1e6, "10^9bits/s": 1e9}

// number that is at least 0; netperf writes -1 for what it does not know.
func number(text string) float64 {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v > 0) || v > 1e18 {
		return 0
	}
	return v
}
