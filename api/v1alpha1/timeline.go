package v1alpha1

import "plimsoll.dev/unit"

// Timeline shows what happens to several things over time, and how much of a
// whole is left meanwhile. Times are seconds from the start.
type Timeline struct {
	// Title, and in a sentence what the drawing shows, for those who can't see it.
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
	// End of the time that is shown, above 0.
	End unit.Duration `json:"end"`
	// Rows are the things, in reading order.
	Rows []TimelineRow `json:"rows,omitempty"`
	// Level is a step curve below the bars; nil draws none.
	Level *Level `json:"level,omitempty"`
	// Events are moments that concern no row, or several.
	Events []TimelineEvent `json:"events,omitempty"`
}

// TimelineRow is one thing with its states.
type TimelineRow struct {
	// Name of the thing.
	Name string `json:"name"`
	// Group that the thing belongs to; things of different groups are told apart where
	// the same happens to them.
	Group string `json:"group,omitempty"`
	// Spans in order of time; they don't overlap.
	Spans []TimelineSpan `json:"spans"`
	// Events are moments of this thing.
	Events []TimelineEvent `json:"events,omitempty"`
}

// TimelineSpan is a state that lasts.
type TimelineSpan struct {
	From unit.Duration `json:"from"`
	To   unit.Duration `json:"to"`
	// State in a word: "draining", "rebooting", "updated".
	State string `json:"state"`
	// Mark judges the state: "good", "warn", "bad" or nothing.
	Mark string `json:"mark,omitempty"`
}

// TimelineEvent is a moment: what happens, in a few words.
type TimelineEvent struct {
	At   unit.Duration `json:"at"`
	Text string        `json:"text"`
	// Mark judges the event: "good", "warn", "bad" or nothing.
	Mark string `json:"mark,omitempty"`
}

// Level is an amount that changes in steps, drawn against limits.
type Level struct {
	// Title and Unit: "nodes that take pods", "nodes".
	Title string `json:"title"`
	Unit  string `json:"unit"`
	// Steps in order of time, the first at 0.
	Steps []LevelStep `json:"steps"`
	// Limits are lines across: "needed: 95".
	Limits []LevelLimit `json:"limits,omitempty"`
}

// LevelStep is the amount from a time on.
type LevelStep struct {
	At     unit.Duration `json:"at"`
	Amount float64       `json:"amount"`
}

// LevelLimit is an amount to compare with.
type LevelLimit struct {
	Name   string  `json:"name"`
	Amount float64 `json:"amount"`
}
