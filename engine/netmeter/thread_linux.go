package netmeter

import (
	"runtime"

	"plimsoll.dev/engine/ends"
)

// At does work on a thread of its own at a spot, which ends with the work: what the work starts is there, and a
// process that is to end with its parent ends when the work is over.
func At(spot Spot, work func() error) error {
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // never unlocked: nobody else may run at the spot
		err := ends.Enter(spot)
		if err == nil {
			err = work()
		}
		done <- err
	}()
	return <-done
}
