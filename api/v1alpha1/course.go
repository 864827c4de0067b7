package v1alpha1

// Course shows how amounts changed while something took its time, and what went on meanwhile. Times
// are seconds from its begin.
type Course struct {
	// Title, and in a sentence what the drawing shows, for those who can't see it.
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
	// End of the time, above 0.
	End float64 `json:"end"`
	// Phases in the order of their begin; they may overlap.
	Phases []CoursePhase `json:"phases,omitempty"`
	// Curves are the amounts, in the order that they are read.
	Curves []Curve `json:"curves,omitempty"`
}

// CoursePhase is a part of the time.
type CoursePhase struct {
	Name string `json:"name"`
	// State in a word, by which phases of one kind look alike: "creating", "waiting".
	State string  `json:"state"`
	From  float64 `json:"from"`
	To    float64 `json:"to"`
}

// Curve is an amount over the whole time.
type Curve struct {
	// Title and Unit: "Objects created", "objects/s".
	Title string `json:"title"`
	Unit  string `json:"unit"`
	// Amounts in equal pieces of the time, not below 0.
	Amounts []float64 `json:"amounts"`
	// Limits are lines across: "asked for: 100".
	Limits []LevelLimit `json:"limits,omitempty"`
}

// Spread shows where quantiles of times lie, below each other on one logarithmic scale.
type Spread struct {
	// Title, and in a sentence what the drawing shows, for those who can't see it.
	Title       string      `json:"title"`
	Description string      `json:"description,omitempty"`
	Rows        []SpreadRow `json:"rows"`
}

// SpreadRow is what was measured under one name.
type SpreadRow struct {
	Name string `json:"name"`
	// Marks are the quantiles that are known, in ascending order.
	Marks []SpreadMark `json:"marks"`
	// Limit, in seconds, is one that LimitName says; 0 is none. Passed says that it is.
	Limit     float64 `json:"limit,omitempty"`
	LimitName string  `json:"limitName,omitempty"`
	Passed    bool    `json:"passed,omitempty"`
}

// SpreadMark is a quantile and its interval, in seconds.
type SpreadMark struct {
	// Name is short: "50", "99".
	Name string  `json:"name"`
	At   float64 `json:"at"`
	// Low and High bound it; both are At where the interval is not known.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}
