package health

import (
	"time"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
)

// The bounds of a scenario.
const (
	maxScript   = 1 << 20
	maxMachines = 20_000
	maxNames    = 200_000
	maxChecks   = 20
	// maxWork is how many things a scenario may look at, each step being workStep of them: some seconds.
	maxWork = 200_000_000
)

// Script is a scenario that has been read. It can be played any number of times.
type Script struct {
	// Name of the file; Title is the scenario in a few words.
	Name, Title string
	// Releases in which the expectations hold; none is any.
	Releases []release.Release

	checks   []scriptCheck
	machines []scriptMachine
	takes    takes
	events   []scriptEvent
	expected []expectation
	until    int64
	// budget is how much work playing may take.
	budget int
}

// scriptCheck is a check of the scenario, of a manifest or of the script's own line.
type scriptCheck struct {
	mhc    openshift.MachineHealthCheck
	object *object.Object // nil for the script's own
	line   int
}

// scriptMachine is a machine that there is from the beginning.
type scriptMachine struct {
	name   string
	set    string
	owner  string
	role   string
	labels map[string]string
	phase  string
}

// takes is how long things take, in seconds.
type takes struct {
	provision, join, ready, drain, terminate, grace int64
}

// scriptEvent is something that happens, in the order of the script at one time.
type scriptEvent struct {
	at   int64
	line int
	text string
	act  action
}

// verb is what happens.
type verb uint8

const (
	setCondition verb = iota
	loseNode
	powerOff
	powerOn
	failMachine
	deleteMachine
	repairMachine
	stopMachine
	scaleSet
	pauseCheck
	resumeCheck
	editCheck
	editTakes
)

// action is what happens to whom; which fields count depends on the verb.
type action struct {
	verb       verb
	names      []string // machines
	conditions []Condition
	planned    bool // the silence is a reboot that somebody wants
	object     string
	count      int
	limit      any
	takes      takes
}

// expectation is a statement about what comes out.
type expectation struct {
	line     int
	text     string
	releases []release.Release
	kind     expected
	// subjects are machines, or a check.
	subjects []string
	name     EventName
	when     string // at, by, after or never
	at       int64
	status   []wanted
	state    string
	count    int
}

type expected uint8

const (
	wantEvent expected = iota
	wantStatus
	wantState
	wantCount
	wantFinding
)

// wanted is a number of a check's status, or a word of it.
type wanted struct {
	name  string
	value int
}

// seconds are whole seconds, rounded up.
func seconds(d time.Duration) int64 {
	return int64((d + time.Second - 1) / time.Second)
}
