// Command oracle asks Kubernetes itself, and records what it decides as fixtures
// for the tests of place/kubelet, place/scheduler and tune/kubeletconfig. It links the kubelet's managers
// and the scheduler of the release that go.mod names, in a Go module of its own:
// the ordinary build and tests never need it, and nothing imports it.
//
//	go run . kubelet record            records the fixtures anew
//	go run . kubelet check -seed 7     compares with fresh random scenarios
//	go run . bench kubelet             compares the speeds
//	go run . scheduler record|check|bench
//	go run . kubeletconf record        which configurations the kubelet doesn't start with
package main

import (
	"fmt"
	"os"

	"plimsoll.dev/oracle/kubelet"
	"plimsoll.dev/oracle/kubeletconf"
	"plimsoll.dev/oracle/scheduler"
)

const usage = `usage: oracle kubelet|scheduler record|check|bench [flags]
       oracle kubeletconf record [flags]

Ask the real kubelet or the real scheduler. With -h after the step: its flags.
Exit code 3 means that we answer differently.
`

// steps by name; each takes the arguments after it and returns the exit code.
var steps = map[string]func(args []string) int{
	"kubelet":     kubelet.Main,
	"kubeletconf": kubeletconf.Main,
	"scheduler":   scheduler.Main,
}

func main() {
	args := os.Args[1:]
	if len(args) > 1 && args[0] == "bench" {
		args[0], args[1] = args[1], args[0]
	}
	if len(args) > 0 {
		if step, ok := steps[args[0]]; ok {
			os.Exit(step(args[1:]))
		}
	}
	fmt.Fprint(os.Stderr, usage)
	os.Exit(2)
}
