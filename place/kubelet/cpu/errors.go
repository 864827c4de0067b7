package cpu

import (
	"errors"
	"fmt"
	"strconv"
)

// ErrHangs says that the kubelet does not come back from here while it holds the
// lock of the CPU manager: with full-pcpus-only and distribute-cpus-across-numa it
// goes round for ever when NUMA nodes have CPUs left that make no whole cores
// (kubernetes#140730). With many NUMA nodes it can also mean that it tries out
// choices of them for minutes. Nothing is allocated.
var ErrHangs = errors.New("the kubelet hangs: distribute-cpus-across-numa does not come to an end")

// SMTAlignmentError is the refusal of full-pcpus-only.
type SMTAlignmentError struct {
	// Requested is the number of CPUs, PerCore the threads of a core.
	Requested, PerCore int
	// Available is the number of CPUs on cores without a reserved CPU, when they are too few.
	Available int
	// Short says that they are; else the request is not a multiple of PerCore.
	Short bool
}

// Reason is the pod's status.reason.
func (SMTAlignmentError) Reason() string { return "SMTAlignmentError" }

// Error is the pod's status.message.
func (e SMTAlignmentError) Error() string {
	if e.Short {
		return fmt.Sprintf("SMT Alignment Error: not enough free physical CPUs: available physical CPUs = %d, "+
			"requested CPUs = %d, CPUs per core = %d",
			e.Available, e.Requested, e.PerCore)
	}
	return fmt.Sprintf("SMT Alignment Error: requested %d cpus not multiple cpus per core = %d", e.Requested, e.PerCore)
}

// EmptySharedPoolError refuses a pod with resources of its own whose containers
// leave no CPU to those of them that have none for themselves.
type EmptySharedPoolError struct {
	// Init says that the ones without are init containers.
	Init bool
}

// Reason is the pod's status.reason.
func (EmptySharedPoolError) Reason() string { return "EmptyPodSharedPoolError" }

// Error is the pod's status.message.
func (e EmptySharedPoolError) Error() string {
	if e.Init {
		return "pod rejected, pod has shared init containers but no cpus available for them"
	}
	return "pod rejected, sum of exclusive container cpu requests equals pod budget, leaving no cpus for shared containers"
}

// ShortError says that there are too few CPUs. Like every error without a Reason
// it makes the kubelet say UnexpectedAdmissionError.
type ShortError struct{ Requested, Available int }

// Error is the kubelet's.
func (e ShortError) Error() string {
	return "not enough cpus available to satisfy request: requested=" + strconv.Itoa(e.Requested) + ", available=" +
		strconv.Itoa(e.Available)
}

// accountingError comes from a plan that the NUMA nodes could not carry out.
type accountingError struct{ missing int }

func (e accountingError) Error() string {
	return fmt.Sprintf("accounting error, not enough CPUs allocated, remaining: %d", e.missing)
}
