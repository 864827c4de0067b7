package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/report/chart"
)

// Bounds of a drawing: marks on its axis, steps of its level, the share of its
// width that a label takes on a phone, and the share between two lines.
const (
	drawnTicks = 6
	drawnSteps = 400
	labelShare = 0.13
	lineShare  = 0.02
)

// drawing is the timeline as SVG under an id of the page.
func (v timeView) drawing(id string) string {
	d := chart.Timeline{ID: id, Title: cmp.Or(oneLine(v.Title), "Timeline"), Description: v.says(),
		Moments: v.drawnMoments()}
	step := timeStep(v.end, drawnTicks)
	for t := 0.0; t <= v.end; t += step {
		tick := chart.Tick{At: t / v.end, Label: tickText(t, step)}
		if tick.At > 1-labelShare && t > 0 {
			tick.Label = "" // no room beside the one before
		}
		d.Ticks = append(d.Ticks, tick)
	}
	for _, r := range v.rows {
		d.Rows = append(d.Rows, v.drawnRow(r))
	}
	if v.Level != nil && len(v.Level.Steps) > 0 {
		d.Levels = []chart.StepCurve{v.drawnLevel(v.Level)}
	}
	return d.Draw()
}

// says is the drawing in words.
func (v timeView) says() string {
	out := oneLine(v.Description)
	if v.Level != nil {
		if s := levelText(v.Level); s != "" {
			out += " " + s + "."
		}
	}
	return cmp.Or(out, "What happens over time; the tables below say the same.")
}

func (v timeView) drawnRow(r timeRow) chart.Row {
	out := chart.Row{Name: r.label()}
	for _, s := range r.Spans {
		state := v.drawnState(v.stateAt(s.State))
		state.Mark = s.Mark
		out.Spans = append(out.Spans, chart.RowSpan{From: v.share(s.From), To: v.share(s.To), State: state,
			Label: fmt.Sprintf("%s: %s from %s to %s", r.label(), oneLine(s.State), timeText(s.From), timeText(s.To))})
	}
	for _, e := range r.Events {
		out.Signs = append(out.Signs, chart.Sign{At: v.share(e.At), Char: eventSign(e.Mark),
			Label: moment{e, r.names}.says()})
	}
	return out
}

// drawnState is how a state is drawn.
func (v timeView) drawnState(i int) chart.State {
	if i < 0 {
		return chart.State{}
	}
	return v.states[i].drawn(i)
}

// drawn is the i-th state as charts have it.
func (s timeState) drawn(i int) chart.State {
	return chart.State{Name: oneLine(s.name), Letter: string(s.letter), Mark: s.mark, Index: i}
}

// drawnMoments are the events of the whole as lines. They are numbered as in the
// table of events; where several stand close together, one label counts them.
func (v timeView) drawnMoments() []chart.Tick {
	var out []chart.Tick
	last := math.Inf(-1)
	first := 0
	for i, m := range v.moments {
		if len(m.names) > 0 {
			continue
		}
		at := v.share(m.At)
		if at-last >= labelShare {
			first, last = i+1, at
			out = append(out, chart.Tick{At: at, Label: strconv.Itoa(first)})
			continue
		}
		for k := len(out) - 1; k >= 0; k-- {
			if out[k].Label != "" {
				out[k].Label = fmt.Sprintf("%d-%d", first, i+1)
				break
			}
		}
		if at > out[len(out)-1].At+lineShare {
			out = append(out, chart.Tick{At: at})
		}
	}
	return out
}

// drawnLevel is the level with a scale from 0, or below, to its greatest amount.
func (v timeView) drawnLevel(l *v1alpha1.Level) chart.StepCurve {
	low, high := 0.0, 0.0
	for _, s := range l.Steps {
		low, high = math.Min(low, s.Amount), math.Max(high, s.Amount)
	}
	for _, x := range l.Limits {
		low, high = math.Min(low, x.Amount), math.Max(high, x.Amount)
	}
	height := func(amount float64) float64 { return (amount - low) / math.Max(high-low, math.SmallestNonzeroFloat64) }
	unit := oneLine(l.Unit)
	out := chart.StepCurve{Title: oneLine(l.Title), Zero: grouped(low), Most: grouped(high) + " " + unit}
	if len(l.Steps) <= drawnSteps {
		for _, s := range l.Steps {
			out.Steps = append(out.Steps, chart.Step{At: v.share(s.At), Height: height(s.Amount)})
		}
	} else {
		for i, amount := range leastLevels(l, v.end, drawnSteps) {
			if !math.IsNaN(amount) {
				out.Steps = append(out.Steps, chart.Step{At: float64(i) / drawnSteps, Height: height(amount)})
			}
		}
	}
	out.Limits = drawnLimits(l.Limits, height)
	return out
}

// drawnLimits are the lines across, the highest first.
func drawnLimits(list []v1alpha1.LevelLimit, height func(amount float64) float64) []chart.Limit {
	out := each(list, func(x v1alpha1.LevelLimit) chart.Limit {
		return chart.Limit{Height: height(x.Amount), Label: oneLine(x.Name) + ": " + grouped(x.Amount)}
	})
	slices.SortStableFunc(out, func(a, b chart.Limit) int { return cmp.Compare(b.Height, a.Height) })
	return out
}
