package netresult

import (
	"errors"
	"regexp"
	"strconv"

	"plimsoll.dev/bench"
	"plimsoll.dev/bench/measure"
	"plimsoll.dev/bench/network"
)

var wrkRemarks = []network.Remark{
	{ID: "wrk.thread", Figure: "Req/Sec of Thread Stats", Is: "the rate of one thread", Instead: "Requests/sec"},
	{ID: "wrk.corrected", Figure: "Latency", Is: "with values that nobody measured, for requests that a hesitating " +
		"server kept from being sent (since 4.0)", Instead: "connections / rate as the mean; percentiles as they are"},
	{ID: "wrk.bytes", Figure: "Transfer/sec", Is: "of the responses with their headers, requests not counted"},
}

var (
	wrkEnds = regexp.MustCompile(`([0-9]+) threads? and ([0-9]+) connections?`)
	wrkMost = regexp.MustCompile(`(?m)^ *Latency +[0-9.]+[a-z]+ +[0-9.]+[a-z]+ +([0-9.]+[a-z]+)`)
	wrkPart = regexp.MustCompile(`(?m)^ *(50|75|90|99)(?:\.[0-9]+)?% +([0-9.]+[a-z]+)`)
	wrkDone = regexp.MustCompile(`([0-9]+) requests in ([0-9.]+[a-z]+), ([0-9.]+[A-Z]+) read`)
	wrkBad  = regexp.MustCompile(`(?m)^ *(Socket errors|Non-2xx or 3xx responses): *(.*?)\r?$`)
)

// readWrk reads what wrk prints, with or without --latency.
func readWrk(text []byte) (*network.Run, error) {
	ends, done := wrkEnds.FindSubmatch(text), wrkDone.FindSubmatch(text)
	if ends == nil || done == nil {
		return nil, errors.New("is cut off: the line of the requests that were done is not there")
	}
	c := network.Cell{Pattern: network.RequestResponse}
	threads, _ := strconv.Atoi(string(ends[1]))
	c.Connections, _ = strconv.Atoi(string(ends[2]))
	c.Connections -= c.Connections % max(1, threads) // each thread opens as many as the others
	var r measure.Repetition
	r.Transactions = number(string(done[1]))
	r.Seconds, _ = scaled(string(done[2]), times)
	r.Bytes, _ = scaled(string(done[3]), sizes)
	r.Latency.N = int(r.Transactions)
	if m := wrkMost.FindSubmatch(text); m != nil {
		most, _ := scaled(string(m[1]), times)
		r.Latency.Max = seconds(most)
	}
	for _, m := range wrkPart.FindAllSubmatch(text, -1) {
		to := map[string]*bench.Quantile{"50": &r.Latency.P50, "90": &r.Latency.P90, "99": &r.Latency.P99}[string(m[1])]
		if v, ok := scaled(string(m[2]), times); ok && to != nil {
			*to = quantile(seconds(v))
		}
	}
	run := one("wrk", c, r, wrkRemarks...)
	for _, m := range wrkBad.FindAllSubmatch(text, 3) {
		run.Remarks = append(run.Remarks, network.Remark{ID: "wrk." + string(m[1][:3]), Figure: "Requests/sec",
			Is: "with failures in it: " + string(m[1]) + ": " + string(m[2])})
	}
	return run, nil
}
