package apply

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
)

func finding(r object.Rule, place *v1alpha1.Place, what, fix string) v1alpha1.Finding {
	return v1alpha1.Finding{Severity: r.Severity, ID: r.ID, Message: what, Remedy: fix, Sources: r.Sources, Place: place}
}

// Findings are what is wrong, the worst first.
func (r *Result) Findings() []v1alpha1.Finding {
	out := slices.Clone(r.language)
	if r.Recovered != nil {
		out = append(out, r.Recovered.finding())
	}
	if !r.Applied {
		fix := "correct what TuneD names; that its process runs proves nothing"
		if r.Interrupted {
			fix = "wait until it is applied and verified"
		}
		out = append(out, finding(notApplied, nil, fmt.Sprintf("profile %s is not applied: %s", r.Profile, r.Refusal), fix))
	}
	if r.Died {
		kept := "took its values back"
		if !r.RolledBack {
			kept = "left its values"
		}
		out = append(out, finding(died, nil, fmt.Sprintf("TuneD ended by itself and %s: %s", kept, r.End),
			"look for who ended it"))
	}
	if r.Killed {
		out = append(out, finding(notEnded, nil, "TuneD did not end when it was told to, and was killed",
			"look at what it waits for: a script of the profile, or a device; or give it more time"))
	}
	out = append(out, r.valueFindings()...)
	for _, c := range r.Others {
		if c.Before == nil && r.Node != "" { // on a machine others make files, too
			out = append(out, finding(created, nil, fmt.Sprintf("%s did not exist", show(c.Path)),
				"leave the setting out for nodes that don't have it"))
		}
	}
	out = append(out, r.logFindings()...)
	for _, c := range r.Leftover {
		fix := "a reboot is needed where nobody puts it back; here it was put back"
		if c.Refused != "" {
			fix = "put it back by hand, or reboot; the next run tries it again"
		}
		out = append(out, finding(notRolledBack, nil, fmt.Sprintf("%s was %s and is %s after the roll-back", show(c.Path),
			quote(c.Before), quote(c.RolledBack))+because(c.Refused), fix))
	}
	if !r.Restored {
		out = append(out, finding(notRestored, nil, "the node is not byte for byte what it was",
			"look at why, then put it back with --restore"))
	}
	object.Sort(out)
	return out
}

// valueFindings are of the values. Those that the node lacks are told together, as
// are those that TuneD leaves alone for one reason: a small node lacks dozens.
func (r *Result) valueFindings() []v1alpha1.Finding {
	var out []v1alpha1.Finding
	var missing []Value
	var reasons []string
	skipped := map[string][]Value{}
	for _, v := range r.Values {
		switch v.State {
		case Differs:
			out = append(out, finding(valueDiffers, v.Place,
				fmt.Sprintf("%s is %s, not %q", v.name(), quote(v.After), v.Want)+because(v.Note),
				"give it a value that the node takes, and look for another that sets it"))
		case Missing:
			missing = append(missing, v)
		case Skipped:
			if skipped[v.Note] == nil {
				reasons = append(reasons, v.Note)
			}
			skipped[v.Note] = append(skipped[v.Note], v)
		}
	}
	switch {
	case len(missing) == 1:
		out = append(out, finding(valueMissing, missing[0].Place, missing[0].name()+" is not on the node"+
			because(missing[0].Note), "leave it out for nodes whose kernel doesn't have it"))
	case len(missing) > 1:
		out = append(out, finding(valueMissing, missing[0].Place, fmt.Sprintf("%d settings are not on the node: %s",
			len(missing), names(missing)), "leave them out for nodes whose kernel doesn't have them"))
	}
	for _, reason := range reasons {
		what := names(skipped[reason]) + " is left alone"
		if n := len(skipped[reason]); n > 1 {
			what = fmt.Sprintf("%d settings are left alone (%s)", n, names(skipped[reason]))
		}
		out = append(out, finding(valueSkipped, skipped[reason][0].Place, what+because(reason),
			"leave out what a node doesn't have, or give it to nodes that have what it needs"))
	}
	return out
}

// names lists values, a section's name only where it changes.
func names(values []Value) string {
	const most = 40
	var out []string
	section := ""
	for i, v := range values {
		if i == most {
			out = append(out, fmt.Sprintf("and %d more", len(values)-most))
			break
		}
		name := v.name()
		if v.Section == section {
			name = strings.TrimPrefix(name, section+" ")
		}
		section = v.Section
		out = append(out, name)
	}
	return strings.Join(out, ", ")
}

// name is how a profile calls the value.
func (v Value) name() string {
	name := v.Section + " " + v.Option
	if v.Device != "" {
		name += " of " + v.Device
	}
	return show(name)
}

func because(note string) string {
	if note == "" {
		return ""
	}
	return ": " + note
}

// logFindings are errors of the log that no other finding tells, each once.
func (r *Result) logFindings() []v1alpha1.Finding {
	done := map[string]bool{}
	var out []v1alpha1.Finding
	for _, l := range r.Log {
		if l.Level != "ERROR" && l.Level != "CRITICAL" || done[l.Text] || r.told(l.Text) {
			continue
		}
		done[l.Text] = true
		if m := halfDone.FindStringSubmatch(l.Text); m != nil {
			out = append(out, finding(plugInFailed, nil, "a plug-in failed in the middle of its work: "+show(m[1]),
				"give the node what it needs, or leave the option out"))
			continue
		}
		out = append(out, finding(logError, nil, "TuneD logs: "+show(l.Text), "look at the log for what it belongs to"))
	}
	return out
}

// told says whether a finding tells of a line of the log anyway.
func (r *Result) told(text string) bool {
	if r.Refusal != "" && strings.Contains(text, r.Refusal) || strings.HasPrefix(text, "Traceback ") {
		return true
	}
	return slices.ContainsFunc(r.Values, func(v Value) bool {
		return v.Note == text || (v.State == Missing || v.State == Differs) && v.named(text)
	})
}

// quote is a value for people; values that are long are cut.
func quote(v *string) string {
	if v == nil {
		return "missing"
	}
	const long = 60
	if len(*v) > long {
		return fmt.Sprintf("%.*q...", long, *v)
	}
	return fmt.Sprintf("%q", *v)
}
