package router

import (
	"fmt"
	"strings"
)

// patch is the merge patch of the default IngressController: what differs from the
// default, and the number of pods.
func patch(a Advice) string {
	var b strings.Builder
	if v := a.Value(hardStopName); v != "" && a.setting(hardStopName).Set {
		fmt.Fprintf(&b, "metadata:\n  annotations:\n    %s: %q\n", hardStopAnnotation, v)
	}
	fmt.Fprintf(&b, "spec:\n  replicas: %d\n", a.Pods)
	first := true
	for _, s := range a.Settings {
		if !s.Set || s.Name == hardStopName {
			continue
		}
		if first {
			b.WriteString("  tuningOptions:\n")
			first = false
		}
		fmt.Fprintf(&b, "    %s: %s\n", s.Name, s.Value)
	}
	return b.String()
}

// setting is an advised setting by name.
func (a Advice) setting(name string) Advised {
	for _, s := range a.Settings {
		if s.Name == name {
			return s
		}
	}
	return Advised{}
}

// environment is the command that sets the variables of 3.x, and scales the router.
func environment(a Advice) string {
	var b strings.Builder
	for _, s := range a.Settings {
		if !s.Set {
			continue
		}
		if b.Len() == 0 {
			b.WriteString("oc set env dc/router")
		}
		fmt.Fprintf(&b, " \\\n  %s=%s", s.Variable, s.Value)
	}
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "oc scale dc/router --replicas=%d\n", a.Pods)
	return b.String()
}
