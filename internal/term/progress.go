package term

import (
	"fmt"
	"io"
	"math"
	"strings"
	"sync"
	"time"

	"plimsoll.dev/internal/table"
	"plimsoll.dev/unit"
)

// ProgressOptions say what is counted and how it is shown.
type ProgressOptions struct {
	// Title begins the line: "packing".
	Title string
	// Unit is the noun of what is counted: "pods".
	Unit string
	// Total is the number at which the work is done; 0 when nobody knows.
	Total int64
	// Elapsed tells the time that has passed in place of a count that nobody has.
	Elapsed bool
	// Quiet shows nothing at all.
	Quiet bool
	// Now is the clock; required.
	Now func() time.Time
}

// On a terminal the line is repainted at most every repaint; elsewhere a line
// is written for every stepPercent and at least every stepTime; work that is
// done within silence writes none.
const (
	repaint     = 100 * time.Millisecond
	stepPercent = 10
	stepTime    = 30 * time.Second
	silence     = 2 * time.Second
)

// Progress tells how far a long piece of work has come. Safe for concurrent use.
type Progress struct {
	opt ProgressOptions
	out io.Writer
	tty bool

	mu      sync.Mutex
	done    int64
	start   time.Time
	last    time.Time
	percent int64
	shown   int
	over    bool
	note    string
}

// NewProgress begins progress on w, which should be the standard error stream.
// Nothing is written before the first interval has passed: short work is silent.
func NewProgress(w io.Writer, opt ProgressOptions) *Progress {
	now := opt.Now()
	return &Progress{opt: opt, out: w, tty: IsTerminal(w), start: now, last: now}
}

// Add counts n more.
func (p *Progress) Add(n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.set(p.done + n)
}

// Set says how many are done in all.
func (p *Progress) Set(done int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.set(done)
}

func (p *Progress) set(done int64) {
	p.done = done
	if p.opt.Quiet || p.over {
		return
	}
	now := p.opt.Now()
	since := now.Sub(p.last)
	if p.tty {
		if since >= repaint {
			p.last = now
			p.paint(p.line(now))
		}
		return
	}
	if now.Sub(p.start) < silence {
		return
	}
	step := p.share() / stepPercent
	if since >= stepTime || step > p.percent && since >= repaint {
		p.last, p.percent = now, step
		fmt.Fprintln(p.out, p.line(now))
	}
}

// Note says something beside the count, until it is said otherwise.
func (p *Progress) Note(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.note = text
}

// Done ends the progress and clears the line of a terminal. More calls of any
// kind do nothing.
func (p *Progress) Done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.tty && p.shown > 0 {
		p.paint("")
		fmt.Fprint(p.out, "\r")
	}
	p.over = true
}

// paint replaces the line on the terminal, without running over its right edge.
func (p *Progress) paint(line string) {
	if limit := Width(p.out, func(string) string { return "" }) - 1; limit > 0 && table.Width(line) > limit {
		line = table.Wrap(line, limit)[0]
	}
	fmt.Fprint(p.out, "\r"+line+strings.Repeat(" ", max(0, p.shown-table.Width(line))))
	p.shown = table.Width(line)
}

// amount is n without a counting noun; bytes keep their scale.
func (p *Progress) amount(n float64) string {
	if p.opt.Unit == unit.ByteUnit {
		return unit.Format(n, unit.ByteUnit)
	}
	return unit.Format(n, unit.None)
}

func (p *Progress) share() int64 {
	if p.opt.Total <= 0 {
		return 0
	}
	return min(100, p.done*100/p.opt.Total)
}

// line is "packing 42 %  210 of 500 pods  35 pods/s  8 s left".
func (p *Progress) line(now time.Time) string {
	elapsed := now.Sub(p.start).Seconds()
	if p.opt.Elapsed {
		return p.opt.Title + "  " + unit.Format(math.Floor(elapsed), unit.Seconds)
	}
	rate := 0.0
	if elapsed > 0 {
		rate = float64(p.done) / elapsed
	}
	count := unit.Format(float64(p.done), p.opt.Unit)
	if p.opt.Total > 0 {
		count = fmt.Sprintf("%3d %%  %s of %s", p.share(), p.amount(float64(p.done)),
			unit.Format(float64(p.opt.Total), p.opt.Unit))
	}
	parts := []string{p.opt.Title + " " + count}
	if rate > 0 {
		parts = append(parts, p.amount(rate)+"/s")
		if left := p.opt.Total - p.done; p.opt.Total > 0 && left > 0 {
			parts = append(parts, unit.Format(float64(int64(float64(left)/rate)+1), unit.Seconds)+" left")
		}
	}
	if p.note != "" {
		parts = append(parts, p.note)
	}
	return strings.Join(parts, "  ")
}
