package diskmeter

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"plimsoll.dev/bench/disk"
)

// scratch begins the name of the directory that fio has its file in, before the number of our process.
const scratch = ".plimsoll-fio-"

// fio measures the first cell with fio, by the arguments of etcd's advice.
func fio(ctx context.Context, dir string, p disk.Parameters) (*disk.Fio, error) {
	program, err := exec.LookPath("fio")
	if err != nil {
		return nil, fmt.Errorf("fio is not installed: %w", err)
	}
	sweep(dir)
	inside, err := os.MkdirTemp(dir, scratchOf(os.Getpid()))
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(inside)
	c := p.Cells[0]
	cmd := exec.CommandContext(ctx, program, "--name=wal", "--rw=write", "--ioengine=sync", "--fdatasync=1",
		"--bs="+strconv.Itoa(c.Bytes), "--size=64m", "--numjobs="+strconv.Itoa(c.Writers), "--directory="+inside,
		"--unlink=1", "--time_based", fmt.Sprintf("--runtime=%dms", p.Duration.Milliseconds()), "--group_reporting",
		"--percentile_list=50:99:99.9", "--output-format=json")
	cmd.Dir = inside
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("fio: %w: %s", err, strings.TrimSpace(said.String()))
	}
	return readFio(out.Bytes())
}

func scratchOf(pid int) string { return scratch + strconv.Itoa(pid) + "-" }

// sweep takes away what a run has left that was killed while fio ran.
func sweep(dir string) {
	left, _ := filepath.Glob(filepath.Join(dir, scratch+"*"))
	for _, path := range left {
		number, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(path), scratch), "-")
		if pid, err := strconv.Atoi(number); err == nil && gone(pid) {
			os.RemoveAll(path)
		}
	}
}

// readFio reads what fio writes as JSON.
func readFio(text []byte) (*disk.Fio, error) {
	type latency struct {
		Percentile map[string]float64
	}
	var f struct {
		Version string `json:"fio version"`
		Jobs    []struct {
			Write struct{ IOPS float64 }
			Sync  struct {
				Lat latency `json:"lat_ns"`
			}
		}
	}
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, fmt.Errorf("fio's result: %w", err)
	}
	if len(f.Jobs) != 1 || f.Jobs[0].Sync.Lat.Percentile == nil {
		return nil, fmt.Errorf("fio's result has no times of fdatasync (fio 3.5 and later have them)")
	}
	q := func(name string) time.Duration { return time.Duration(f.Jobs[0].Sync.Lat.Percentile[name]) }
	return &disk.Fio{Version: strings.TrimPrefix(f.Version, "fio-"), Rate: f.Jobs[0].Write.IOPS, P50: q("50.000000"),
		P99: q("99.000000"), P999: q("99.900000")}, nil
}
