package report

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/report/chart"
	"plimsoll.dev/unit"
)

// courseView is a course prepared for all formats.
type courseView struct {
	*v1alpha1.Course
	end    float64
	states []timeState
	// phases that are shown, and how many are left out.
	phases []v1alpha1.CoursePhase
	left   int
}

// newCourseView prepares a course of which most phases are shown at most; 0 is all.
func newCourseView(src *v1alpha1.Course, most int) courseView {
	v := courseView{Course: src, end: src.End, phases: src.Phases}
	if !(v.end > 0) {
		v.end = 1
	}
	if most > 0 && len(v.phases) > most {
		v.phases, v.left = v.phases[:most], len(v.phases)-most
	}
	v.states = statesOf(each(src.Phases, func(p v1alpha1.CoursePhase) v1alpha1.TimelineRow {
		return v1alpha1.TimelineRow{Spans: []v1alpha1.TimelineSpan{{State: p.State}}}
	}))
	return v
}

// share is where a time stands, from 0 to 1.
func (v courseView) share(t float64) float64 { return math.Max(0, math.Min(1, t/v.end)) }

// stateAt is the index of a state that a phase has.
func (v courseView) stateAt(name string) int {
	for i, s := range v.states {
		if s.name == name {
			return i
		}
	}
	return 0
}

// fineStep is timeStep for times that may be short.
func fineStep(end float64, n int) float64 {
	for scale := 0.001; scale < 0.9; scale *= 10 {
		for _, s := range []float64{1, 2, 5} {
			if end <= s*scale*float64(n) {
				return s * scale
			}
		}
	}
	return timeStep(end, n)
}

// fineTick is tickText for times that may be short.
func fineTick(t, step float64) string {
	if step >= 1 {
		return tickText(t, step)
	}
	return strconv.FormatFloat(math.Round(t/step)*step, 'g', 6, 64) + " s"
}

// secondsText is a time for tables and sentences, with three digits.
func secondsText(s float64) string {
	if s > 0 && s < 1 {
		scale := math.Pow(10, 2-math.Floor(math.Log10(s)))
		return unit.Format(math.Round(s*scale)/scale*1000, unit.None) + " ms"
	}
	return unit.Format(math.Round(s*100)/100, unit.Seconds)
}

// topOf is the top of a curve's scale: its largest amount or limit, above 0.
func topOf(c v1alpha1.Curve) float64 {
	out := 0.0
	for _, a := range c.Amounts {
		out = math.Max(out, a)
	}
	for _, l := range c.Limits {
		out = math.Max(out, l.Amount)
	}
	return math.Max(out, math.SmallestNonzeroFloat64)
}

// curveText is the curve in a sentence.
func curveText(c v1alpha1.Curve) string {
	largest := 0.0
	for _, a := range c.Amounts {
		largest = math.Max(largest, a)
	}
	out := fmt.Sprintf("%s: at most %s %s", oneLine(c.Title), grouped(rounded(largest)), oneLine(c.Unit))
	for _, l := range c.Limits {
		out += fmt.Sprintf("; %s: %s", oneLine(l.Name), grouped(rounded(l.Amount)))
	}
	return out
}

// rounded is an amount with at least three digits.
func rounded(v float64) float64 {
	if v >= 100 {
		return math.Round(v)
	}
	return math.Round(v*10) / 10
}

// note says how many phases are left out.
func (v courseView) note() string {
	if v.left == 0 {
		return ""
	}
	return fmt.Sprintf("and %s more", words.Count(v.left, "phase"))
}

// says are the curves in words.
func (v courseView) says() []string { return each(v.Curves, curveText) }

// drawing is the course as SVG under an id of the page.
func (v courseView) drawing(id string) string {
	d := chart.Timeline{ID: id, Title: cmp.Or(oneLine(v.Title), "Course"),
		Description: strings.Join(append([]string{oneLine(v.Description)}, v.says()...), ". ")}
	step := fineStep(v.end, drawnTicks)
	for i := 0; float64(i)*step <= v.end; i++ {
		tick := chart.Tick{At: float64(i) * step / v.end, Label: fineTick(float64(i)*step, step)}
		if tick.At > 1-labelShare && i > 0 {
			tick.Label = "" // no room beside the one before
		}
		d.Ticks = append(d.Ticks, tick)
	}
	for _, p := range v.phases {
		d.Rows = append(d.Rows, chart.Row{Name: oneLine(p.Name), Spans: []chart.RowSpan{{From: v.share(p.From),
			To: v.share(p.To), State: v.drawnState(v.stateAt(p.State)), Label: phaseText(p)}}})
	}
	for _, c := range v.Curves {
		d.Levels = append(d.Levels, drawnCurve(c))
	}
	return d.Draw()
}

func (v courseView) drawnState(i int) chart.State {
	if i >= len(v.states) {
		return chart.State{}
	}
	return v.states[i].drawn(i)
}

func phaseText(p v1alpha1.CoursePhase) string {
	return fmt.Sprintf("%s: %s from %s to %s", oneLine(p.Name), oneLine(p.State), secondsText(p.From), secondsText(p.To))
}

func drawnCurve(c v1alpha1.Curve) chart.StepCurve {
	top := topOf(c)
	height := func(amount float64) float64 { return amount / top }
	out := chart.StepCurve{Title: oneLine(c.Title), Zero: "0", Most: grouped(rounded(top)) + " " + oneLine(c.Unit),
		Limits: drawnLimits(c.Limits, height)}
	for i, a := range c.Amounts {
		out.Steps = append(out.Steps, chart.Step{At: float64(i) / float64(len(c.Amounts)), Height: height(a)})
	}
	return out
}

// lines are the course as text of a width: a letter for what goes on, and for amounts a digit.
func (v courseView) lines(width int) []string {
	names := 0
	for _, p := range v.phases {
		names = max(names, table.Width(oneLine(p.Name)))
	}
	for _, c := range v.Curves {
		names = max(names, table.Width(oneLine(c.Unit)))
	}
	if width == 0 {
		width = freeWidth + names
	}
	names = min(names, width/3)
	columns := max(1, width-names-4)
	g := timeGrid{names: names}
	labels, ticks := v.axis(columns)
	out := []string{g.row("", labels), g.row("", ticks)}
	for _, p := range v.phases {
		from := min(columns-1, int(v.share(p.From)*float64(columns)))
		to := max(from+1, int(math.Ceil(v.share(p.To)*float64(columns))))
		out = append(out, g.row(oneLine(p.Name),
			strings.Repeat(" ", from)+strings.Repeat(string(v.states[v.stateAt(p.State)].letter), to-from)))
	}
	for _, c := range v.Curves {
		out = append(out, g.row(oneLine(c.Unit), digits(c, columns)))
	}
	return out
}

// axis is a line of marks in time, and one of ticks below it.
func (v courseView) axis(columns int) (labels, ticks string) {
	names, marks := []byte(strings.Repeat(" ", columns)), []byte(strings.Repeat(" ", columns))
	step := fineStep(v.end, max(1, columns/axisRoom))
	for i := 0; float64(i)*step < v.end; i++ {
		at := int(float64(i) * step / v.end * float64(columns))
		marks[at] = '|'
		if text := fineTick(float64(i)*step, step); at+len(text) <= columns {
			copy(names[at:], text)
		}
	}
	return strings.TrimRight(string(names), " "), strings.TrimRight(string(marks), " ")
}

// digits are the means of a curve in each column, as ninths of its top; a dot is nothing.
func digits(c v1alpha1.Curve, columns int) string {
	n, top := len(c.Amounts), topOf(c)
	if n == 0 {
		return ""
	}
	out := make([]byte, columns)
	for i := range out {
		from := i * n / columns
		to := max(from+1, (i+1)*n/columns)
		sum := 0.0
		for _, a := range c.Amounts[from:to] {
			sum += a
		}
		switch mean := sum / float64(to-from); {
		case mean > 0:
			out[i] = byte('0' + min(9, int(math.Round(mean/top*9))))
		default:
			out[i] = '.'
		}
	}
	return string(out)
}

// key says what the letters and digits mean.
func (v courseView) key() string {
	parts := each(v.states, func(s timeState) string { return string(s.letter) + " " + oneLine(s.name) })
	if len(v.Curves) > 0 {
		parts = append(parts, "digits are ninths of the most, a dot is nothing")
	}
	return strings.Join(parts, ", ")
}

// tables are a course as tables: what went on, and the amounts.
func (v courseView) tables() []Grid {
	title := cmp.Or(oneLine(v.Title), "Course")
	phases := newTable(title+": phases", []string{"Phase", "State", ">From", ">To"}, nil)
	for _, p := range v.Phases {
		phases.row(oneLine(p.Name), oneLine(p.State), secondsText(p.From), secondsText(p.To))
	}
	out := []Grid{phases}
	for _, c := range v.Curves {
		g := newTable(oneLine(c.Title), []string{">From", ">" + cmp.Or(oneLine(c.Unit), "Amount")}, nil)
		for i, a := range c.Amounts {
			g.row(secondsText(float64(i)*v.end/float64(len(c.Amounts))), grouped(rounded(a)))
		}
		out = append(out, g)
	}
	return out
}
