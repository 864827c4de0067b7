package apply

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"time"

	language "plimsoll.dev/tune/tuned"
)

// Options say what to apply where.
type Options struct {
	// Profile is the name of the profile: letters, digits, "_", "." and "-", the
	// first of them no "-".
	Profile string
	// Root is the directory of a simulated node, with plain files in place of
	// /proc/sys and /sys, and anything else of /proc that matters (cpuinfo,
	// cmdline). A profile that tunes disks needs sys/block, though it may be empty.
	// Its own profiles and settings may stand in etc/tuned and etc/sysctl.d. No link
	// may lead out of it. Whatever changes in proc and sys meanwhile is put back at
	// the end. Empty for this machine.
	Root string
	// ThisMachine confirms that this machine is meant. It must be set where Root
	// is empty, and only there.
	ThisMachine bool
	// Sources are directories that hold profiles, as /etc/tuned does, or that are
	// profiles themselves. A later one replaces profiles of the same name.
	Sources []string
	// Profiles are profiles as texts, such as those of Tuned objects. They replace
	// those of Sources.
	Profiles []language.Profile
	// Virtual is what virt-what prints on a simulated node: "kvm". Empty for bare
	// metal. It decides between virtual-guest and throughput-performance.
	Virtual string
	// SysctlsWin has the sysctls of the profile win over those of /etc/sysctl.d, /run/sysctl.d and /etc/sysctl.conf, which
	// TuneD applies once more otherwise (reapply_sysctl).
	SysctlsWin bool
	// TakeOver goes on where a run was ended by ErrKeep: what the profile does not ask for is put back, the rest stays as
	// it is, and what counts as before is what was before that run. Restore leaves such a node alone.
	TakeOver bool
	// Memo, where it is not nil, is noted of the profile at the start, and of the next one when that is applied, for who
	// comes next: with TakeOver Restore gives it back.
	Memo func() string
	// Once ends when the values have been verified, instead of holding them until
	// the context ends.
	Once bool
	// Reload, while the values are held, reads Sources again and applies the
	// profile of that name, or the same for the empty name. May be nil.
	Reload <-chan string
	// Refresh, where it is not nil, gives Profiles anew at each reload: those that the
	// Tuned objects have then. With its error nothing is applied, and the old profile stays.
	// It is called once for each name that was taken from Reload, after that.
	Refresh func() ([]language.Profile, error)
	// Timeout bounds applying and rolling back, each; a minute where it is 0.
	Timeout time.Duration
	// State is the directory that keeps the journals of this machine, which must go with
	// a boot; /run/plimsoll where it is empty.
	State string
	// Runner starts TuneD; the installed one where it is nil.
	Runner Runner

	// again is how often TuneD is told to stop; a second where it is 0.
	again time.Duration
}

// patient is the default of Options.Timeout.
const patient = time.Minute

// checkName refuses the names that "tune check" refuses.
func checkName(name string) error {
	if fault := language.NameFault(name); fault != "" {
		return fmt.Errorf("profile %q %s (letters, digits, \"_\", \".\" and \"-\" would be right, no \"-\" first)", name,
			fault)
	}
	return nil
}

// ErrOptions marks errors of what the caller gave: options, a directory that is no
// node, profiles that can't be read. Other errors are of what could not be done: TuneD
// is not installed, or somebody else applies a profile to the node.
var ErrOptions = errors.New("the options are wrong")

// ErrForNow marks what keeps a profile from being applied at a reload that is not its fault: another TuneD runs, there
// is no room. It may be tried again.
var ErrForNow = errors.New("it is refused for now")

// marked has the words of an error, and is another one, too.
type marked struct {
	error
	mark error
}

func (m marked) Is(target error) bool { return target == m.mark }
func (m marked) Unwrap() error        { return m.error }

// wrongOptions marks an error as ErrOptions; nil stays nil.
func wrongOptions(err error) error {
	if err == nil {
		return nil
	}
	return marked{err, ErrOptions}
}

// refresh reads the profiles that are texts again.
func (o *Options) refresh() error {
	if o.Refresh == nil {
		return nil
	}
	profiles, err := o.Refresh()
	if err != nil {
		return err
	}
	for _, p := range profiles {
		err = errors.Join(err, checkName(p.Name))
	}
	if err == nil {
		o.Profiles = profiles
	}
	return err
}

func (o *Options) memo() string {
	if o.Memo == nil {
		return ""
	}
	return o.Memo()
}

func (o *Options) timeout() time.Duration { return cmp.Or(o.Timeout, patient) }

// check tells everything that is wrong with the options.
func (o *Options) check() error {
	faults := []error{checkName(o.Profile)}
	for _, p := range o.Profiles {
		faults = append(faults, checkName(p.Name))
	}
	faults = append(faults, o.nodeFaults()...)
	if o.Root == "" && o.Virtual != "" {
		faults = append(faults, fmt.Errorf("virtual machine %q is of a simulated node (this machine is asked what it is)",
			o.Virtual))
	}
	if o.Timeout < 0 {
		faults = append(faults, fmt.Errorf("timeout %v is below 0", o.Timeout))
	}
	return errors.Join(faults...)
}

// nodeFaults is what is wrong with the node that is named.
func (o *Options) nodeFaults() (faults []error) {
	switch {
	case o.Root == "" && !o.ThisMachine:
		faults = append(faults, errors.New("no node is named (name the directory of a simulated node with --root, "+
			"or confirm with --this-machine that this machine is meant)"))
	case o.Root != "" && o.ThisMachine:
		faults = append(faults, fmt.Errorf("node %s and this machine are both named (name one)", o.Root))
	case o.Root == "" && os.Geteuid() != 0:
		faults = append(faults, errors.New("this machine's values can be set by root alone (run as root, "+
			"or name the directory of a simulated node)"))
	}
	return faults
}
