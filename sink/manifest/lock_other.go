//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package manifest

import "os"

// tryLock locks nothing on this system.
func tryLock(*os.File) (busy bool, err error) { return false, nil }

// holder is for systems that can lock.
func holder(*os.File) string { return "another run of plimsoll" }
