package apply

import (
	"context"
	"errors"
	"os"
	"time"
)

// Daemon is a TuneD that was started. Its methods may be called at any time, from
// one goroutine.
type Daemon interface {
	// Log is the lines of its log as they come; closed when it has ended.
	Log() <-chan Line
	// Reload makes it take back its tuning, and apply the profile that is configured now.
	Reload()
	// Stop makes it take back its tuning and end.
	Stop()
	// Kill ends it at once, whatever it has applied. The second call ends even a
	// Daemon that doesn't react to the first.
	Kill()
	// Close waits until nothing of it is left: no process, no mount. It says how
	// the daemon ended, or an error when that can't be told.
	Close() (end string, err error)
}

// Runner starts TuneD. The context is for starting alone: its end stops nothing
// that runs.
type Runner interface {
	Start(context.Context, Start) (Daemon, error)
}

// Start is what a Runner needs to know.
type Start struct {
	// Profile to apply at start.
	Profile string
	// Node is the directory of a simulated node; empty for this machine.
	Node string
	// NodeID is the file system and the number of that directory: another one that stands
	// at its path by then is refused.
	NodeID [2]uint64
	// Config is what stands at /etc/tuned.
	Config string
	// Tools is a directory of programs that a simulated node has instead of the machine's.
	Tools string
	// Stage is an empty directory for the runner's use.
	Stage string
	// Alive is a file to hold open as long as anything of the daemon lives: who can lock
	// it knows that nothing does.
	Alive *os.File
	// Patience is how long rolling back may take when the caller is gone; then it is
	// ended as it is.
	Patience time.Duration
}

// errBusy is of a lock that somebody else has.
var errBusy = errors.New("it is locked")

// installed is the Runner where none is named.
var installed Runner = process{}
