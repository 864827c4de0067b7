package haproxy

import (
	"fmt"
	"strings"

	"plimsoll.dev/internal/words"
)

// patch is the merge patch of the default IngressController: what differs from the
// default, and the number of pods.
func patch(a Advice) string {
	if text := a.annotations(); text != "" {
		return "metadata:\n" + text + a.spec(1)
	}
	return a.spec(1)
}

// annotations are those of a controller's metadata.
func (a Advice) annotations() string {
	if !a.setting(hardStopName).Set {
		return ""
	}
	return fmt.Sprintf("  annotations:\n    %s: %q\n", hardStopAnnotation, a.Value(hardStopName))
}

// spec is that of the controller of a shard. How a controller that exists is
// published can't be changed, so the default one's is left alone.
func (a Advice) spec(shard int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "spec:\n  replicas: %d\n", a.Pods)
	if shard > 1 {
		fmt.Fprintf(&b, "  domain: %s\n", a.domain(shard))
		if a.published != "" {
			fmt.Fprintf(&b, "  endpointPublishingStrategy:\n    type: %s\n", a.published)
		}
	}
	if a.sharded() {
		b.WriteString(a.selector(shard))
	}
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

// environment are the commands that set the variables of 3.x, and scale the routers
// of each shard: the new ones first.
func environment(a Advice) string {
	var b strings.Builder
	if a.sharded() {
		for _, n := range a.others() {
			fmt.Fprintf(&b, "oc adm router router-%s --replicas=0\n", n)
			a.variables(&b, "router-"+n, shardLabel+" in ("+n+")")
		}
		a.variables(&b, "router", shardLabel+" notin ("+strings.Join(a.others(), ",")+")")
	} else {
		a.variables(&b, "router", "")
	}
	return b.String()
}

// variables are the commands for a router, whose routes have the labels.
func (a Advice) variables(b *strings.Builder, name, routes string) {
	var set []string
	for _, s := range a.Settings {
		if s.Set {
			set = append(set, words.Quote(s.Variable+"="+s.Value))
		}
	}
	if routes != "" {
		set = append(set, words.Quote("ROUTE_LABELS="+routes))
	}
	if len(set) > 0 {
		fmt.Fprintf(b, "oc set env dc/%s \\\n  %s\n", name, strings.Join(set, " \\\n  "))
	}
	fmt.Fprintf(b, "oc scale dc/%s --replicas=%d\n", name, a.Pods)
}
