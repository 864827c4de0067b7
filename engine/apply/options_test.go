package apply

import (
	"errors"
	"strings"
	"testing"
	"time"

	language "plimsoll.dev/tune/tuned"
)

func TestNamesThatAreNoProfiles(t *testing.T) {
	for _, name := range []string{"", ".", "..", "a/b", "../x", "/etc/tuned/x", "a b", "a\x00", "a\n", "-p", "ä", "x:y",
		strings.Repeat("a", 300)} {
		if checkName(name) == nil {
			t.Errorf("%q is taken for a name", name)
		}
	}
	for _, name := range []string{"openshift-node", "a", "A_1.b-2", ".hidden"} {
		if err := checkName(name); err != nil {
			t.Error(err)
		}
	}
}

func TestAllFaultsOfTheOptionsAreTold(t *testing.T) {
	o := Options{Profile: "../x", Profiles: []language.Profile{{Name: "a/b"}}, Virtual: "kvm", Timeout: -time.Second}
	err := o.check()
	for _, want := range []string{`profile "../x"`, `profile "a/b"`, "no node is named", `virtual machine "kvm"`,
		"timeout -1s"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not tell %s", err, want)
		}
	}
	o = Options{Profile: "p", Root: "x", ThisMachine: true}
	if err := o.check(); err == nil || !strings.Contains(err.Error(), "both named") {
		t.Errorf("%v", err)
	}
}

// TestNothingIsStartedWithBadInput: the node is not even opened.
func TestNothingIsStartedWithBadInput(t *testing.T) {
	f := &fake{t: t}
	for _, o := range []Options{{Profile: "a/b", Root: simulated(t)}, {Profile: "p", Root: t.TempDir()}, {Profile: "p"},
		{Profile: "p", Root: simulated(t), Sources: []string{"no/such/directory"}}} {
		o.Runner = f
		if r, err := Apply(t.Context(), o, nil); err == nil || r != nil || f.started > 0 {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

func TestAStartThatFailsIsAnError(t *testing.T) {
	broken := errors.New("no namespaces here")
	r, err := once(t, &fake{start: broken}, "vm.swappiness=10\n")
	if !errors.Is(err, broken) || r != nil {
		t.Errorf("%v, %+v", err, r)
	}
}
