package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plimsoll.dev/lab/sim"
)

// The text is the one that engine/lab/config_test.go has written: the contract of two modules.
const written = `{"profile":"fast","platform":"openshift","behaviour":{"seed":7,"start":"lognormal(2s,0.5)",` +
	`"provision":"1s","pods":[` +
	`{"match":{"namespace":"load","labels":{"app":"web"}},"share":10,"start":"uniform(1s,3s)","outcome":"crashLoop",` +
	`"after":"1.5s"},{"outcome":"complete"}],"nodes":[{"match":{"labels":{"zone":"a"}},"share":5,` +
	`"notReadyAfter":"1m0s"}]}}`

func TestConfigAsItIsWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), configFile)
	if err := os.WriteFile(file, []byte(written), 0o600); err != nil {
		t.Fatal(err)
	}
	var c config
	if err := decode(file, &c); err != nil {
		t.Fatal(err)
	}
	first := c.Behaviour.Pods[0]
	if c.Behaviour.Provision != sim.Constant(time.Second) {
		t.Errorf("%+v", c.Behaviour.Provision)
	}
	if c.Profile != fast || c.Platform != "openshift" || c.Behaviour.Seed != 7 || first.Outcome != sim.CrashLoop ||
		math.Abs(*first.Share-10) > 0 || time.Duration(first.After) != 1500*time.Millisecond ||
		first.Match.Namespace != "load" || first.Match.Labels["app"] != "web" ||
		c.Behaviour.Pods[1].Outcome != sim.Complete || time.Duration(c.Behaviour.Nodes[0].NotReadyAfter) != time.Minute {
		t.Errorf("%+v", c)
	}
	for _, wrong := range []string{strings.Replace(written, "share", "shared", 1), written + "{}"} {
		if err := os.WriteFile(file, []byte(wrong), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := decode(file, &config{}); err == nil {
			t.Errorf("%s is taken", wrong)
		}
	}
}
