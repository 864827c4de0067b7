package v1alpha1

import "plimsoll.dev/unit"

// Answer is what the commands of "tune" answer: a typed result for programs, and
// the same as tables, texts and drawings for people. Every output format shows it.
type Answer struct {
	APIVersion string `json:"apiVersion"`
	// Kind says what was asked: ProfileExplanation, Check, Apply, Rollout,
	// HealthSimulation, KubeletMerge, MachineConfigRender, RouterAdvice.
	Kind string `json:"kind"`
	// Title stands above everything: "Which profile each node gets".
	Title string `json:"title"`
	// Era whose rules were applied: 4.3, 4.4, 4.5 or current; empty where none matters.
	Era string `json:"era,omitempty"`
	// Verdict is what a reader needs first.
	Verdict AnswerVerdict `json:"verdict"`
	// Findings are errors, warnings and remarks, errors first.
	Findings []Finding `json:"findings"`
	// Result holds everything, typed by Kind; the parts below show it to people.
	Result any `json:"result,omitempty"`
	// Parts in reading order.
	Parts []Part `json:"-"`
	// Names are the lines of format name; empty for the ids of the findings.
	Names []string `json:"-"`
}

// AnswerVerdict is an answer in a sentence or two.
type AnswerVerdict struct {
	// OK is false when what was asked for does not hold.
	OK bool `json:"ok"`
	// Summary says what came out, in one sentence with the numbers.
	Summary string `json:"summary"`
	// Problem names the worst that was found; empty when there is nothing.
	Problem string `json:"problem,omitempty"`
}

// Part is a piece of an answer under a heading of its own. Any of its fields may
// be empty; they are shown in this order.
type Part struct {
	// Title of the part; empty joins it to the part before.
	Title string
	// Lead is the part in a few sentences, a paragraph each.
	Lead []string
	// Timeline is drawn as bars over time.
	Timeline *Timeline
	// Tables of the part.
	Tables []Table
	// Texts are files, differences and listings, shown as they are.
	Texts []Text
	// Wide parts are left out of the default output for terminals.
	Wide bool
}

// Text is a text of its own lines.
type Text struct {
	// Title is the name of the file, or what the text is.
	Title string
	// Language colours the text where colour is an extra: "yaml", "ini", "diff", "haproxy" or nothing.
	Language string
	// Body ends with a line feed.
	Body string
}

// Timeline shows what happens to several things over time, and how much of a
// whole is left meanwhile. Times are seconds from the start.
type Timeline struct {
	// Title and, in a sentence, what the drawing shows, for those who can't see it.
	Title, Description string
	// End of the time that is shown, above 0.
	End unit.Duration
	// Rows are the things, in reading order.
	Rows []TimelineRow
	// Level is a step curve below the bars; nil draws none.
	Level *Level
	// Events are moments that concern no row, or several.
	Events []TimelineEvent
}

// TimelineRow is one thing with its states.
type TimelineRow struct {
	// Name of the thing.
	Name string
	// Spans in order of time; they don't overlap.
	Spans []TimelineSpan
	// Events are moments of this thing.
	Events []TimelineEvent
}

// TimelineSpan is a state that lasts.
type TimelineSpan struct {
	From, To unit.Duration
	// State in a word: "draining", "rebooting", "updated".
	State string
	// Mark judges the state: "good", "warn", "bad" or nothing.
	Mark string
}

// TimelineEvent is a moment: what happens, in a few words.
type TimelineEvent struct {
	At   unit.Duration
	Text string
	// Mark judges the event: "good", "warn", "bad" or nothing.
	Mark string
}

// Level is an amount that changes in steps, drawn against limits.
type Level struct {
	// Title and Unit: "nodes that take pods", "nodes".
	Title, Unit string
	// Steps in order of time, the first at 0.
	Steps []LevelStep
	// Limits are lines across: "needed: 95".
	Limits []LevelLimit
}

// LevelStep is the amount from a time on.
type LevelStep struct {
	At     unit.Duration
	Amount float64
}

// LevelLimit is an amount to compare with.
type LevelLimit struct {
	Name   string
	Amount float64
}
