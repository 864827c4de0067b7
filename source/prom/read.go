package prom

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"plimsoll.dev/source/files"
)

// Bounds of what is read of a file. A day of the metrics of three members at two a minute is a million samples.
const (
	maxLine    = 64 << 10
	maxSamples = 8 << 20
	maxSeries  = 100_000
	maxLabels  = 128 << 20 // bytes of them
	maxText    = 64 << 30
)

// Store is what was read of files, by series.
type Store struct {
	series map[string]*series
	byName map[string][]*series
	texts  map[string]string
	// written are series by how a file writes them, for they come again with each sample.
	written map[string]*series
	count   int
	room    int // bytes of labels
	// single says that samples have no times: each is of the one moment of a scrape.
	single, timed bool
	last          int64
	// Cut says that a file ends within a line.
	Cut bool
}

// series are the samples of equal labels, in the order of their times.
type series struct {
	labels map[string]string
	key    string
	at     []int64 // milliseconds
	value  []float64
}

// NewStore is one without samples.
func NewStore() *Store {
	return &Store{series: map[string]*series{}, byName: map[string][]*series{}, texts: map[string]string{},
		written: map[string]*series{}}
}

// Last is the time of the last sample, the zero time where samples have none.
func (s *Store) Last() time.Time {
	if s.last == 0 {
		return time.Time{}
	}
	return time.UnixMilli(s.last)
}

// Single says that the samples have no times: they are of one scrape, and counters count since the start.
func (s *Store) Single() bool { return s.single }

// Empty says that nothing of what is asked for was in the files.
func (s *Store) Empty() bool { return len(s.series) == 0 }

// Read adds a file in the text format of Prometheus or OpenMetrics, packed by gzip or not. No more is kept than what
// [Etcd] asks for. A sample without an instance is of the file's, so that the metrics of several members, each saved
// from itself, are told apart.
func (s *Store) Read(in io.Reader, instance string) error {
	plain, err := files.Unpacked(in)
	if errors.Is(err, io.EOF) {
		return nil // it is empty
	}
	if err != nil {
		return err
	}
	clear(s.written) // the instance is another
	r := bufio.NewReaderSize(io.LimitReader(plain, maxText), maxLine)
	for n := 1; ; n++ {
		line, err := r.ReadSlice('\n')
		ended := errors.Is(err, io.EOF)
		switch {
		case errors.Is(err, bufio.ErrBufferFull) && !named(line):
			for errors.Is(err, bufio.ErrBufferFull) {
				_, err = r.ReadSlice('\n')
			}
			if errors.Is(err, io.EOF) {
				return s.sort()
			}
			continue
		case errors.Is(err, bufio.ErrBufferFull):
			return fmt.Errorf("line %d: it is longer than %d bytes, as no line of etcd's metrics is", n, maxLine)
		case err != nil && !ended:
			return err
		}
		if bad := s.line(bytes.TrimRight(line, "\r\n"), instance); bad != nil {
			if !ended {
				return fmt.Errorf("line %d: %w", n, bad)
			}
			s.Cut = true
		}
		if ended {
			return s.sort()
		}
	}
}

// named says whether a line begins with the name of a metric that is wanted.
func named(line []byte) bool {
	end := bytes.IndexAny(line, "{ \t")
	return end > 0 && wanted[string(line[:end])]
}

// errLine is what is wrong with a line that is none.
var errLine = errors.New(`it is no line of metrics (write them like etcd_server_has_leader{instance="a"} 1)`)

// line takes one sample: name{label="value"} value [time].
func (s *Store) line(line []byte, instance string) error {
	line = bytes.TrimLeft(line, " \t")
	if len(line) == 0 || line[0] == '#' || line[0] == '{' { // names in quotes are none of etcd's
		return nil
	}
	end := bytes.IndexAny(line, "{ \t")
	if end <= 0 {
		return errLine
	}
	if !wanted[string(line[:end])] {
		return nil
	}
	one, rest, err := s.of(line, end, instance)
	if err != nil {
		return err
	}
	rest, _, _ = bytes.Cut(rest, []byte("#")) // an exemplar
	fields := bytes.Fields(rest)
	if len(fields) < 1 || len(fields) > 2 {
		return errLine
	}
	value, err := strconv.ParseFloat(string(fields[0]), 64)
	if err != nil {
		return errLine
	}
	var at int64
	if len(fields) == 2 {
		if at, err = moment(string(fields[1])); err != nil {
			return err
		}
	}
	return s.add(one, at, value, len(fields) == 2)
}

// of is the series of a line whose name ends there, and what stands behind it.
func (s *Store) of(line []byte, end int, instance string) (*series, []byte, error) {
	// A label may have braces: the last one is not the end where an exemplar follows, which then is read as any line.
	if last := bytes.LastIndexByte(line, '}'); last > 0 {
		if one := s.written[string(line[:last+1])]; one != nil {
			return one, line[last+1:], nil
		}
	}
	labels := map[string]string{nameLabel: s.text(line[:end])}
	rest := bytes.TrimLeft(line[end:], " \t")
	if len(rest) > 0 && rest[0] == '{' {
		var err error
		if rest, err = s.labels(rest[1:], labels); err != nil {
			return nil, nil, err
		}
	}
	if labels["instance"] == "" && instance != "" {
		labels["instance"] = instance
	}
	key := keyOf(labels)
	one := s.series[key]
	if one == nil {
		if len(s.series) >= maxSeries {
			return nil, nil, fmt.Errorf("there are more than %d series of etcd: give those of one cluster", maxSeries)
		}
		one = &series{labels: labels, key: key}
		s.room += 2 * len(key)
		s.series[key] = one
		s.byName[labels[nameLabel]] = append(s.byName[labels[nameLabel]], one)
	}
	if written := line[:len(line)-len(rest)]; len(s.written) < maxSeries {
		s.written[string(written)] = one
		s.room += len(written)
	}
	if s.room += len(labels[nameLabel]); s.room > maxLabels {
		return nil, nil, fmt.Errorf("the labels of etcd's metrics are longer than %d MiB: give those of one cluster",
			maxLabels>>20)
	}
	return one, rest, nil
}

// moment is a time in milliseconds. OpenMetrics has seconds, the older format milliseconds, of which there are more
// than there will be seconds in three thousand years.
func moment(text string) (int64, error) {
	f, err := strconv.ParseFloat(text, 64)
	const seconds = 1e11
	switch {
	case err != nil || math.IsNaN(f) || f <= 0 || f > 1000*seconds:
		return 0, errLine
	case f < seconds:
		f *= 1000
	}
	return int64(math.Round(f)), nil
}

// labels reads up to the brace that closes, and returns what is behind it.
func (s *Store) labels(text []byte, into map[string]string) ([]byte, error) {
	for {
		text = bytes.TrimLeft(text, " \t,")
		if len(text) > 0 && text[0] == '}' {
			return text[1:], nil
		}
		name, rest, ok := bytes.Cut(text, []byte("="))
		rest = bytes.TrimLeft(rest, " \t")
		if name = bytes.TrimSpace(name); !ok || len(name) == 0 || len(rest) == 0 || rest[0] != '"' {
			return nil, errLine
		}
		var value []byte
		i := 1
		for ; i < len(rest) && rest[i] != '"'; i++ {
			if rest[i] == '\\' && i+1 < len(rest) {
				if i++; rest[i] == 'n' {
					value = append(value, '\n')
					continue
				}
			}
			value = append(value, rest[i])
		}
		if i >= len(rest) {
			return nil, errLine
		}
		into[s.text(name)] = s.text(value)
		text = rest[i+1:]
	}
}

// text of a label, which comes again with each sample.
func (s *Store) text(t []byte) string {
	if known, ok := s.texts[string(t)]; ok {
		return known
	}
	made := string(t)
	s.texts[made] = made
	return made
}

func (s *Store) add(one *series, at int64, value float64, timed bool) error {
	if timed && s.single || !timed && s.timed {
		return errors.New("some samples have a time and some have none: give files of one kind")
	}
	s.timed, s.single = timed, !timed
	if s.count++; s.count > maxSamples {
		return fmt.Errorf("there are more than %d samples of etcd: give those of one day", maxSamples)
	}
	one.at, one.value = append(one.at, at), append(one.value, value)
	s.last = max(s.last, at)
	return nil
}

// sort puts samples into the order of their times, of which each has one sample: blocks that were written beside each
// other may have one twice.
func (s *Store) sort() error {
	for _, one := range s.series {
		if slices.IsSorted(one.at) && !twice(one.at) {
			continue
		}
		order := make([]int, len(one.at))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return int(one.at[a] - one.at[b]) })
		at, value := make([]int64, 0, len(order)), make([]float64, 0, len(order))
		for _, i := range order {
			if n := len(at); n > 0 && at[n-1] == one.at[i] {
				value[n-1] = one.value[i]
				continue
			}
			at, value = append(at, one.at[i]), append(value, one.value[i])
		}
		one.at, one.value = at, value
	}
	for _, list := range s.byName {
		slices.SortFunc(list, func(a, b *series) int { return strings.Compare(a.key, b.key) })
	}
	return nil
}

func twice(at []int64) bool { return len(slices.Compact(slices.Clone(at))) < len(at) }

const nameLabel = "__name__"

// keyOf labels is the same for equal ones.
func keyOf(labels map[string]string) string {
	names := make([]string, 0, len(labels))
	for name := range labels {
		names = append(names, name)
	}
	slices.Sort(names)
	var out strings.Builder
	for _, name := range names {
		out.WriteString(strconv.Quote(name) + strconv.Quote(labels[name]))
	}
	return out.String()
}
