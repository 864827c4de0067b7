package netresult

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"plimsoll.dev/bench"
	"plimsoll.dev/bench/measure"
	"plimsoll.dev/bench/network"
)

// MaxText is more than any result has bytes.
const MaxText = 64 << 20

// Tools whose results are read.
const Tools = "uperf -a, netperf, iperf3 -J, k8s-netperf (JSON or CSV) and wrk"

// Read a result of one of Tools, which is known by what stands in it. told is the cell that it is of, where
// the caller knows what the file does not say; nil takes what the file says.
func Read(file string, text []byte, told *network.Cell) (*network.Run, error) {
	if len(text) > MaxText {
		return nil, fmt.Errorf("%s: is longer than 64 MiB", file)
	}
	read := reader(text)
	if read == nil {
		return nil, fmt.Errorf("%s: is no result that is known (%s)", file, Tools)
	}
	run, err := read(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	run.RunID = file
	if told != nil {
		if len(run.Cells) > 1 {
			return nil, fmt.Errorf("%s: holds %d cells, which can't all be %s", file, len(run.Cells), told.Name())
		}
		run.Cells[0].Cell = *told
	}
	byLaw(run)
	if err := sane(file, run); err != nil {
		return nil, err
	}
	return run, nil
}

// reader for a text; nil where none is.
func reader(text []byte) func([]byte) (*network.Run, error) {
	has := func(words ...string) bool {
		return !slices.ContainsFunc(words, func(w string) bool { return !bytes.Contains(text, []byte(w)) })
	}
	begin := bytes.TrimSpace(text)
	switch {
	case bytes.HasPrefix(begin, []byte("[")) && has(`"driver"`):
		return readK8sJSON
	case bytes.HasPrefix(begin, []byte("{")) && has(`"start"`, `"end"`):
		return readIperf
	case bytes.HasPrefix(begin, []byte("Driver,Profile")):
		return readK8sCSV
	case has("running profile:", "op/s"):
		return readUperf
	case has("Requests/sec:", "threads and", "connections"):
		return readWrk
	case has(" TEST from ", " to "), has("THROUGHPUT="):
		return readNetperf
	}
	return nil
}

// sane refuses what no measurement has.
func sane(file string, run *network.Run) error {
	for _, m := range run.Cells {
		if m.Connections < 1 {
			return fmt.Errorf("%s: does not say how many connections there were (--cell tells it)", file)
		}
		for _, r := range m.Repetitions {
			for _, v := range []float64{r.Seconds, r.Transactions, r.Bytes} {
				if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
					return fmt.Errorf("%s: holds a figure that is no number", file)
				}
			}
			if r.Seconds == 0 || r.Transactions+r.Bytes == 0 {
				return fmt.Errorf("%s: nothing was measured in %s", file, m.Name())
			}
		}
	}
	return nil
}

var errNotTCP = errors.New("is not of TCP, which is what is compared")

// Join puts the repetitions of equal cells together, file by file.
func Join(runs []*network.Run) (*network.Run, error) {
	if len(runs) == 0 {
		return nil, errors.New("no result is given")
	}
	out := *runs[0]
	out.Cells, out.Remarks = nil, nil
	for _, r := range runs {
		if r.Tool != runs[0].Tool {
			return nil, fmt.Errorf("%s is of %s and %s of %s: figures of two programs are not repetitions of each other",
				runs[0].RunID, runs[0].Tool, r.RunID, r.Tool)
		}
		for _, m := range r.Cells {
			i := slices.IndexFunc(out.Cells, func(o network.Measured) bool { return o.Cell == m.Cell })
			if i < 0 {
				out.Cells = append(out.Cells, network.Measured{Cell: m.Cell})
				i = len(out.Cells) - 1
			}
			out.Cells[i].Repetitions = append(out.Cells[i].Repetitions, m.Repetitions...)
		}
		for _, m := range r.Remarks {
			if !slices.Contains(out.Remarks, m) {
				out.Remarks = append(out.Remarks, m)
			}
		}
	}
	out.Parameters.Cells = nil
	for _, m := range out.Cells {
		out.Parameters.Cells = append(out.Parameters.Cells, m.Cell)
	}
	return &out, nil
}

// byLaw fills means in that the file does not have, or has wrongly: connections / rate.
func byLaw(run *network.Run) {
	for i := range run.Cells {
		m := &run.Cells[i]
		for j := range m.Repetitions {
			r := &m.Repetitions[j]
			if m.Waits() && r.Latency.Mean == 0 && r.Rate() > 0 {
				r.Latency.Mean, r.Derived = seconds(float64(m.Connections)/r.Rate()), true
			}
		}
	}
}

// one run of one cell.
func one(tool string, c network.Cell, r measure.Repetition, remarks ...network.Remark) *network.Run {
	return &network.Run{Tool: tool, Cells: []network.Measured{{Cell: c, Repetitions: []measure.Repetition{r}}},
		Remarks: remarks}
}

// seconds as a duration; 0 for what is no time.
func seconds(s float64) time.Duration {
	if !(s > 0) || s > math.MaxInt64/1e9/2 {
		return 0
	}
	return time.Duration(math.Round(s * 1e9))
}

// quantile that a program tells without an interval.
func quantile(d time.Duration) bench.Quantile {
	return bench.Quantile{Value: d, Known: d > 0, Low: d, High: d}
}

// scaled reads "5.80ms" or "17.76GB": a number and one of the suffixes, the longest that fits.
func scaled(text string, scales map[string]float64) (float64, bool) {
	digits := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ/")
	scale, known := scales[text[len(digits):]]
	v, err := strconv.ParseFloat(digits, 64)
	return v * scale, known && err == nil && v >= 0
}

// Scales of times, and of bytes, which both uperf and wrk count by 1024. uperf cuts MB off to M where it is long.
var (
	times = map[string]float64{"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "h": 3600}
	sizes = map[string]float64{"": 1, "B": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40,
		"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
)
