package netresult

import (
	"errors"
	"regexp"
	"strconv"

	"plimsoll.dev/bench"
	"plimsoll.dev/bench/measure"
	"plimsoll.dev/bench/network"
)

var uperfRemarks = []network.Remark{
	{ID: "uperf.ops", Figure: "op/s of a Txn line", Is: "flowops a second, two for a request and its response, over a " +
		"window that is longer than the duration", Instead: "the count and the mean of the transaction averages"},
	{ID: "uperf.total", Figure: "the rates of the Total line", Is: "divided by the time of connecting and closing, " +
		"too", Instead: "its bytes alone"},
	{ID: "uperf.group", Figure: "the Group lines", Is: "transactions and flowops counted together, bytes twice"},
	{ID: "uperf.percentiles", Figure: "max and min", Is: "the only extremes: uperf has no percentiles"},
}

var (
	uperfStart = regexp.MustCompile(`Starting ([0-9]+) (?:threads|processes) running profile:`)
	uperfBytes = regexp.MustCompile(`(?m)^Total +([0-9.]+[BKMGT]*) */ *[0-9.]+\(s\) =`)
	uperfMeans = regexp.MustCompile(`(?m)^([A-Za-z]+[0-9]*) +([0-9]+) +([0-9.]+[nmu]?s) +[0-9.]+[nmu]?s` +
		` +([0-9.]+[nmu]?s) +([0-9.]+[nmu]?s)`)
)

// uperfRow is a line of averages.
type uperfRow struct {
	name            string
	count           float64
	mean, most, min float64
}

// readUperf reads what "uperf -a" prints. The transaction with the highest count is what was measured.
func readUperf(text []byte) (*network.Run, error) {
	var best uperfRow
	ops := map[string]float64{}
	for _, m := range uperfMeans.FindAllSubmatch(text, -1) {
		row := uperfRow{name: string(m[1])}
		row.count, _ = strconv.ParseFloat(string(m[2]), 64)
		for i, to := range []*float64{&row.mean, &row.most, &row.min} {
			*to, _ = scaled(string(m[3+i]), times)
		}
		if len(row.name) > 3 && row.name[:3] == "Txn" {
			if row.count > best.count {
				best = row
			}
		} else {
			ops[row.name] += row.count
		}
	}
	if best.count == 0 || len(ops) == 0 {
		return nil, errors.New("has no averages of transactions and flowops (run uperf with -a)")
	}
	c := network.Cell{Pattern: uperfPattern(ops, best.count)}
	if m := uperfStart.FindSubmatch(text); m != nil {
		c.Connections, _ = strconv.Atoi(string(m[1]))
	}
	r := measure.Repetition{Transactions: best.count, Derived: true}
	r.Seconds = best.count * best.mean / float64(max(1, c.Connections))
	r.Latency = bench.Summary{N: int(best.count), Mean: seconds(best.mean), Min: seconds(best.min),
		Max: seconds(best.most)}
	if m := uperfBytes.FindSubmatch(text); m != nil {
		r.Bytes, _ = scaled(string(m[1]), sizes)
	}
	return one("uperf", c, r, uperfRemarks...), nil
}

// uperfPattern by how often which flowop was done.
func uperfPattern(ops map[string]float64, transactions float64) network.Pattern {
	often := func(names ...string) bool {
		n := 0.0
		for _, name := range names {
			n += ops[name]
		}
		return n > transactions/2
	}
	switch {
	case often("connect", "accept"):
		return network.Connect
	case often("write", "send") && often("read", "recv"):
		return network.RequestResponse
	}
	return network.Stream
}
