package kube

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/unit"
)

// ReadSnapshot reads what "kubectl get nodes,pods,services,deployments,... -A
// -o json" wrote; several such outputs may stand one behind the other, and YAML
// is read as well, though ten times slower. name is the file's name for places.
// The text is read piece by piece and never held as a whole.
//
// The error is a [yamlpos.Problems], or what r failed with.
func ReadSnapshot(in io.Reader, name string, opt Options) (*v1alpha1.Inventory, error) {
	set := opt.withDefaults()
	p := &pipeline{name: name, set: set, work: make(chan *batch, 4), free: make(chan *batch, 8)}
	total, err := p.run(in, func() *reader { return newReader(set, true) })
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if total.known == 0 && !p.lists && len(total.bad.list) == 0 {
		total.bad.file(name, nothingWhat, "write it with 'kubectl get "+set.kinds+" -A -o json'")
	}
	if err := total.bad.err(); err != nil {
		return nil, err
	}
	return total.inventory(set, true, name), nil
}

// pipeline cuts the text into items on one goroutine and reads the items on
// others.
type pipeline struct {
	name string
	set  Options
	work chan *batch
	free chan *batch
	now  *batch // being filled
	// objects so far; full is the problem of the first beyond the bound.
	objects int
	nodes   atomic.Int64
	full    error
	lists   bool // there is a list, be it an empty one
	// fault is what a reader panicked with.
	fault atomic.Pointer[any]
}

// batch is a number of items on their way to be read.
type batch struct {
	text  []byte
	items []item
}

// item is one object, or in YAML one entry of a list.
type item struct {
	start, end int // in the batch's text
	at         cursor
	hint       string // the kind, when the item may leave it out
	depth      int
	yaml       bool
}

// batchSize is enough to make handing over cheap, and little enough to keep the
// text in the processor's cache.
const batchSize = 256 << 10

// maxReaders bounds the goroutines that read items: cutting can't feed more.
const maxReaders = 4

// run reads everything with readers of the maker, and adds up what they found.
func (p *pipeline) run(in io.Reader, maker func() *reader) (*tally, error) {
	readers := make([]*reader, min(max(1, runtime.GOMAXPROCS(0)), maxReaders))
	var wait sync.WaitGroup
	for i := range readers {
		readers[i] = maker()
		readers[i].counted = &p.nodes
		wait.Go(func() {
			defer func() {
				if f := recover(); f != nil {
					p.fault.Store(&f)
					for range p.work { // the cutter must not wait for nobody
					}
				}
			}()
			p.read(readers[i])
		})
	}
	err := p.cut(bufio.NewReaderSize(in, 64<<10))
	p.flush()
	close(p.work)
	wait.Wait()
	if f := p.fault.Load(); f != nil {
		panic(*f) // where the caller catches it
	}
	total := &readers[0].tally
	for _, r := range readers[1:] {
		total.merge(&r.tally)
	}
	var found yamlpos.Problems
	if errors.As(err, &found) {
		for _, problem := range found {
			total.bad.add(problem)
		}
		err = nil
	}
	return total, err
}

// read reads items until there are no more.
func (p *pipeline) read(r *reader) {
	for b := range p.work {
		for _, it := range b.items {
			r.item(p.name, b.text[it.start:it.end], it)
		}
		select {
		case p.free <- b:
		default:
		}
	}
}

func (r *reader) item(file string, text []byte, it item) {
	before := len(r.bad.list)
	defer func() { r.bad.quote(before, text, it.at) }()
	if !it.yaml {
		r.take(newJSON(file, text, it.at.line, it.at.col), it.hint, it.depth)
		return
	}
	err := readYAML(file, text, it.at.line, func(v value) {
		if it.depth == 0 {
			r.take(v, "", 0)
			return
		}
		for e := range v.elems() {
			r.take(e, it.hint, it.depth)
		}
	})
	r.fail(place{file: file, line: it.at.line}, err)
}

// add puts an item, whose text is copied, on its way.
func (p *pipeline) add(text []byte, it item) {
	if p.now == nil {
		select {
		case p.now = <-p.free:
			p.now.text, p.now.items = p.now.text[:0], p.now.items[:0]
		default:
			p.now = &batch{text: make([]byte, 0, batchSize+batchSize/4)}
		}
	}
	it.start = len(p.now.text)
	p.now.text = append(p.now.text, text...)
	it.end = len(p.now.text)
	p.now.items = append(p.now.items, it)
	p.objects++
	switch {
	case p.full != nil:
	case p.objects > p.set.MaxObjects:
		p.full = yamlpos.Problems{{File: p.name, Line: it.at.line, Col: it.at.col,
			What: tooMany(p.set.MaxObjects, "objects"), Fix: "ask kubectl for fewer kinds, or for one namespace"}}
	case p.nodes.Load() > int64(p.set.MaxNodes):
		p.full = yamlpos.Problems{} // who counted them says so
	}
	if len(p.now.text) >= batchSize {
		p.flush()
	}
}

func (p *pipeline) flush() {
	if p.now != nil {
		p.work <- p.now
		p.now = nil
	}
}

// cut finds out whether the text is JSON or YAML and cuts it.
func (p *pipeline) cut(in *bufio.Reader) error {
	head, _ := in.Peek(len(byteOrderMark))
	switch {
	case bytes.Equal(head, byteOrderMark):
		in.Discard(len(byteOrderMark))
	case bytes.HasPrefix(head, packed):
		return yamlpos.Problems{{File: p.name, Line: 1, Col: 1, What: packedWhat, Fix: packedFix}}
	}
	for n := 1; ; n++ {
		head, err := in.Peek(n)
		switch {
		case err == io.EOF:
			return yamlpos.Problems{{File: p.name, Line: 1, Col: 1, What: "the snapshot is empty",
				Fix: "write one with 'kubectl get " + p.set.kinds + " -A -o json'"}}
		case err == bufio.ErrBufferFull:
			return yamlpos.Problems{{File: p.name, Line: 1, Col: 1, What: "the snapshot begins with too much blank space"}}
		case err != nil:
			return err
		case skipSpace(head, n-1) < n:
			if head[n-1] == '{' {
				return p.cutJSON(in)
			}
			return p.cutYAML(in)
		}
	}
}

// tooLong is the problem of an item that is longer than allowed.
func (p *pipeline) tooLong(at cursor) error {
	return yamlpos.Problems{{File: p.name, Line: at.line, Col: at.col,
		What: "an object is longer than " + unit.FormatBytes(p.set.MaxFile), Fix: "is this what kubectl wrote?"}}
}
