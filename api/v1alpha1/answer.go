package v1alpha1

// Answer is what the commands of "tune" and "bench", and "lab status", answer: a typed result for programs, and
// the same as tables, texts and drawings for people. Every output format shows it.
type Answer struct {
	APIVersion string `json:"apiVersion"`
	// Kind says what was asked: ProfileExplanation, Check, Apply, Rollout,
	// HealthSimulation, KubeletMerge, MachineConfigRender, PerformanceRender, RouterAdvice, LabStatus, NetworkRun,
	// NetworkComparison, NetworkMatrix, OpenFlowTrace, OpenFlowAudit, OpenFlowCost.
	Kind string `json:"kind"`
	// Title stands above everything: "Which profile each node gets".
	Title string `json:"title"`
	// Release whose rules were applied: "4.5", "current", or text that says more of a
	// release that is not known in all; empty where none matters.
	Release string `json:"release,omitempty"`
	// Verdict is what a reader needs first.
	Verdict AnswerVerdict `json:"verdict"`
	// Findings are errors, warnings and remarks, errors first.
	Findings []Finding `json:"findings"`
	// Aside are findings that count no more, and rules that say nothing: for the formats that have a word for that.
	Aside []Aside `json:"-"`
	// Baseline says that an earlier answer was given: Findings are what it does not have.
	Baseline bool `json:"-"`
	// Result holds everything, typed by Kind; the parts below show it to people.
	Result any `json:"result,omitempty"`
	// Parts in reading order.
	Parts []Part `json:"-"`
	// Names are the lines of format name; empty for the ids of the findings.
	Names []string `json:"-"`
}

// Aside is a finding that does not count, and why, or a rule that says nothing, of which ID and Message are set.
type Aside struct {
	Finding
	// Skipped is why it does not count, or the rule says nothing; empty where that is by the baseline alone.
	Skipped string
	// Waiver covers the finding.
	Waiver *Waived
	// Baseline is "unchanged" for a finding that the earlier answer has as well, "new" for one that it has not, "absent"
	// for one that is gone; empty without an earlier answer.
	Baseline string
}

// Waived is who says that a finding may stand, why, and until which day.
type Waived struct{ Reason, Owner, Until string }

// AnswerVerdict is an answer in a sentence or two.
type AnswerVerdict struct {
	// OK is false when what was asked for does not hold.
	OK bool `json:"ok"`
	// Summary says what came out, in one sentence with the numbers.
	Summary string `json:"summary"`
	// Problem names the worst that was found; empty when there is nothing.
	Problem string `json:"problem,omitempty"`
	// Open names what the answer needs and did not get; a verdict with something open is not good.
	Open []string `json:"open,omitempty"`
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
	// Course is drawn as curves over time, and Spread, on pages, as quantiles on a scale.
	Course *Course
	Spread *Spread
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
