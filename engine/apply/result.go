package apply

import (
	"time"

	"plimsoll.dev/api/v1alpha1"
)

// State says what became of a value that a profile asks for.
type State string

// The states of a value. Missing and Differs are what TuneD's own verification fails on.
const (
	// Changed values are what the profile asks for, and were not before.
	Changed State = "changed"
	// Kept values are what the profile asks for already, or better than that.
	Kept State = "kept"
	// Missing values have no file on the node, though TuneD looks for it.
	Missing State = "missing"
	// Skipped values are ones that TuneD left alone, without a word in most cases: a
	// path in /sys that nothing matches, a section without a device.
	Skipped State = "skipped"
	// Differs: the value is not what the profile asks for.
	Differs State = "differs"
	// Unknown: it can't be told from files whether TuneD did it.
	Unknown State = "unknown"
)

// Value is a value that the profile asks for, with what became of it.
type Value struct {
	// Section of the profile, the plug-in that it is for, the option, and the device
	// where the plug-in has several.
	Section string `json:"section"`
	Plugin  string `json:"plugin"`
	Option  string `json:"option"`
	Device  string `json:"device,omitempty"`
	// Path of the file on the node; empty where the option ends in none.
	Path string `json:"path,omitempty"`
	// Want is what the profile asks for, variables expanded, operators kept: ">2048".
	Want string `json:"want"`
	// Before, After and RolledBack are the file's values; nil where there is no file.
	Before     *string `json:"before,omitempty"`
	After      *string `json:"after,omitempty"`
	RolledBack *string `json:"rolledBack,omitempty"`
	State      State   `json:"state"`
	// Profile that asks for it, and Place the line where it does.
	Profile string          `json:"profile,omitempty"`
	Place   *v1alpha1.Place `json:"place,omitempty"`
	// Note says why, where something is to be said.
	Note string `json:"note,omitempty"`
}

// Change is a file that was changed, though no value above names it.
type Change struct {
	Path       string  `json:"path"`
	Before     *string `json:"before,omitempty"`
	After      *string `json:"after,omitempty"`
	RolledBack *string `json:"rolledBack,omitempty"`
	// Refused says why it could not be put back; empty for what was not to be, or was.
	Refused string `json:"refused,omitempty"`
}

// Result is what came out of applying a profile and taking it back.
type Result struct {
	// Profile that was asked for, the last one after a reload.
	Profile string `json:"profile"`
	// Chain is the profiles that it includes, in the order of their merge, itself last.
	Chain []string `json:"chain,omitempty"`
	// Node is the directory of the simulated node; empty for this machine.
	Node string `json:"node,omitempty"`
	// Version of TuneD and of the kernel, as TuneD tells them.
	Version string `json:"version,omitempty"`
	// Applied is set when TuneD's log proved it. Refusal says why it wasn't.
	Applied bool   `json:"applied"`
	Refusal string `json:"refusal,omitempty"`
	// Verified is set when no value is missing or differs.
	Verified bool `json:"verified"`
	// RolledBack is set when TuneD itself made every value what it was.
	RolledBack bool `json:"rolledBack"`
	// Restored is set when all bytes are what they were, at the end of everything.
	Restored bool `json:"restored"`
	// Leftover are the values that TuneD left behind. This package put them back, but those that are Refused.
	Leftover []Change `json:"leftover,omitempty"`
	// Reformatted counts files whose value TuneD restored in other bytes: without the
	// line feed, or without the choices around it. Their bytes were put back.
	Reformatted int `json:"reformatted"`
	// Values that the profile asks for, in the order of the profile.
	Values []Value `json:"values"`
	// Others are the files that changed beside them.
	Others []Change `json:"others,omitempty"`
	// Entries of the node that were compared, and a fingerprint of all of them
	// before and at the end. Empty for this machine, whose files change by themselves.
	Entries    int    `json:"entries"`
	HashBefore string `json:"hashBefore,omitempty"`
	HashAfter  string `json:"hashAfter,omitempty"`
	// ApplySeconds is from the start of TuneD to the proof, RollbackSeconds from
	// the order to stop to the end of TuneD.
	ApplySeconds    float64 `json:"applySeconds"`
	RollbackSeconds float64 `json:"rollbackSeconds"`
	// End is how TuneD ended: "exit status 0".
	End string `json:"end,omitempty"`
	// Interrupted is set when the caller did not wait for the proof.
	Interrupted bool `json:"interrupted,omitempty"`
	// Died is set when TuneD ended without being told to, Killed when it did not end
	// in time when it was.
	Died   bool `json:"died,omitempty"`
	Killed bool `json:"killed,omitempty"`
	// Kept is set when the node keeps the profile, by ErrKeep: then nothing was rolled back.
	Kept bool `json:"kept,omitempty"`
	// NotKept is why it does not in spite of ErrKeep.
	NotKept string `json:"notKept,omitempty"`
	// Recovered is what was put back first of a run that was killed.
	Recovered *Recovered `json:"recovered,omitempty"`
	// Log is what TuneD said.
	Log []Line `json:"log,omitempty"`
	// LogCut is set when it said more than is kept.
	LogCut bool `json:"logCut,omitempty"`

	// findings of the profile's language, which come before those of applying it.
	language []v1alpha1.Finding
}

// Phase is what is being done.
type Phase string

// The phases, in their order. Applying may come again after Holding.
const (
	Reading     Phase = "reading the node"
	Recovering  Phase = "putting back what a killed run left"
	Applying    Phase = "applying"
	Verifying   Phase = "verifying"
	Holding     Phase = "holding"
	RollingBack Phase = "rolling back"
	Comparing   Phase = "comparing"
)

// Event tells how far it has come.
type Event struct {
	Phase Phase
	// Line is set for each line of TuneD's log.
	Line *Line
	// Result is set when a profile was applied and verified: what it would be if all
	// ended now. It must not be changed.
	Result *Result
	// Recovered is set when what a killed run left was put back.
	Recovered *Recovered
	// Problem is set when a reload was refused; the profile before it stays applied.
	Problem error
}

// Progress takes events as they come, in one goroutine; it may be nil.
type Progress func(Event)

func (p Progress) tell(e Event) {
	if p != nil {
		p(e)
	}
}

// seconds since a moment.
func seconds(since time.Time) float64 { return time.Since(since).Seconds() }
