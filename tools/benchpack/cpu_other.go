//go:build !unix

package main

import "time"

var started = time.Now()

// cpuTime is the time since the start: processor time is not known on this system.
func cpuTime() time.Duration { return time.Since(started) }
