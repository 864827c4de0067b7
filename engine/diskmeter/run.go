package diskmeter

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"plimsoll.dev/bench"
	"plimsoll.dev/bench/disk"
	"plimsoll.dev/bench/measure"
)

// Options of a run.
type Options struct {
	Directory  string
	Parameters disk.Parameters
	// Fio measures the first cell with fio, too.
	Fio bool
	// Progress is told after each sample: how many there are, and which cell comes next.
	Progress func(done int, next string)
}

// segment of a log, in bytes: that of etcd (server/storage/wal, SegmentSizeBytes).
const segment = 64 << 20

// Run measures all cells in rounds. Nothing is written outside the directory, and nothing stays in it.
func Run(ctx context.Context, o Options) (*disk.Run, error) {
	dir, err := filepath.Abs(o.Directory)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(dir); err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, fmt.Errorf("%s is no directory", dir)
	}
	now := time.Now().UTC()
	run := &disk.Run{RunID: now.Format("20060102-150405"), Started: now.Format(time.RFC3339), Parameters: o.Parameters,
		Directory: dir}
	place, err := look(dir)
	if err != nil {
		return nil, err
	}
	run.FileSystem, run.Options, run.Device, run.Kernel = place.fileSystem, place.options, place.device, place.kernel
	run.Volatile = place.volatile
	if err := room(place.free, o.Parameters); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	for _, cell := range o.Parameters.Cells {
		run.Cells = append(run.Cells, disk.Measured{Cell: cell})
	}
	done := 0
	for range o.Parameters.Repetitions {
		for i, cell := range o.Parameters.Cells {
			if o.Progress != nil {
				o.Progress(done, cell.Name())
			}
			r, err := sample(ctx, dir, cell, o.Parameters)
			if err != nil {
				return nil, err
			}
			run.Cells[i].Repetitions = append(run.Cells[i].Repetitions, r)
			done++
		}
	}
	if o.Fio {
		if o.Progress != nil {
			o.Progress(done, "fio")
		}
		if run.Fio, err = fio(ctx, dir, o.Parameters); err != nil {
			return nil, err
		}
	}
	return run, nil
}

// room refuses a directory that the logs would fill.
func room(free uint64, p disk.Parameters) error {
	most := 0
	for _, c := range p.Cells {
		most = max(most, c.Writers)
	}
	if need := 2 * segment * uint64(most); free < need {
		return fmt.Errorf("%d MiB are free, and %d writers need twice their 64 MiB segments: %d MiB", free>>20, most,
			need>>20)
	}
	return nil
}

// sample a cell once.
func sample(ctx context.Context, dir string, cell disk.Cell, p disk.Parameters) (measure.Repetition, error) {
	logs := make([]*log, cell.Writers)
	for i := range logs {
		l, err := open(dir, cell.Bytes)
		if err != nil {
			return measure.Repetition{}, err
		}
		defer l.close()
		logs[i] = l
	}
	now := time.Now()
	from, to := now.Add(p.Warmup), now.Add(p.Warmup+p.Duration)
	var wait sync.WaitGroup
	errs := make([]error, len(logs))
	for i, l := range logs {
		wait.Go(func() { errs[i] = l.write(ctx, from, to) })
	}
	wait.Wait()
	if err := errors.Join(append(errs, ctx.Err())...); err != nil {
		return measure.Repetition{}, err
	}
	r := measure.Repetition{Seconds: p.Duration.Seconds(), Histogram: &bench.Histogram{}}
	for _, l := range logs {
		r.Histogram.Merge(&l.times)
	}
	r.Latency = r.Histogram.Summary()
	r.Transactions = float64(r.Histogram.N())
	r.Bytes = r.Transactions * float64(cell.Bytes)
	return r, nil
}

// log is a writer with its open segment.
type log struct {
	dir  string
	file *os.File
	// durable waits until the file is on the disk.
	durable func(*os.File) error
	at      int64
	record  []byte
	times   bench.Histogram
}

func open(dir string, bytes int) (*log, error) {
	l := &log{dir: dir, durable: durable, record: make([]byte, bytes)}
	for i := range l.record {
		l.record[i] = byte(i * 131) // no disk shall find it all zeros
	}
	return l, l.next()
}

// next begins a segment whose blocks are there, as etcd does.
func (l *log) next() error {
	l.close()
	f, err := os.CreateTemp(l.dir, ".plimsoll-wal-*")
	if err != nil {
		return err
	}
	if err := os.Remove(f.Name()); err != nil { // at once: it lives as long as it is open
		f.Close()
		return err
	}
	l.file, l.at = f, 0
	if err := allocate(f, segment); err != nil {
		return fmt.Errorf("to make room for a log: %w", err)
	}
	return f.Sync()
}

func (l *log) close() {
	if l.file != nil {
		l.file.Close()
	}
}

// write records until it is time. A record counts where it ends.
func (l *log) write(ctx context.Context, from, to time.Time) error {
	for ctx.Err() == nil {
		if l.at+int64(len(l.record)) > segment {
			if err := l.next(); err != nil {
				return err
			}
		}
		began := time.Now()
		n, err := l.file.WriteAt(l.record, l.at)
		if err == nil {
			err = l.durable(l.file)
		}
		if err != nil {
			return err
		}
		l.at += int64(n)
		now := time.Now()
		if !now.Before(to) {
			return nil
		}
		if !now.Before(from) {
			l.times.Add(now.Sub(began))
		}
	}
	return ctx.Err()
}
