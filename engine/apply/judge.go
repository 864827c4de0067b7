package apply

import (
	"regexp"
	"slices"
	"strings"

	language "plimsoll.dev/tune/tuned"
)

// judge says of each value what became of it, and which files changed beside them.
func (s *session) judge(now snapshot) {
	log := tell(s.result.Log[s.since:])
	s.result.Values, s.result.Others, s.result.Verified = []Value{}, nil, !log.failed
	asked := map[string]bool{}
	for _, w := range s.wanted {
		if !log.tuned(w) {
			continue
		}
		asked[w.name] = true
		v := s.value(w, now, log)
		s.result.Verified = s.result.Verified && v.State != Differs && v.State != Missing
		s.result.Values = append(s.result.Values, v)
	}
	for _, name := range s.before.differing(now) {
		if !asked[name] {
			s.result.Others = append(s.result.Others,
				Change{Path: "/" + name, Before: s.before.value(name), After: now.value(name)})
		}
	}
}

// value is what became of one value.
func (s *session) value(w wanted, now snapshot, log told) Value {
	v := Value{Section: w.section, Plugin: w.plugin, Option: w.option, Device: w.device, Path: w.path, Want: w.want,
		Profile: w.profile, Place: w.place, Before: s.before.value(w.name), After: now.value(w.name), Note: w.ignored}
	switch {
	case w.ignored != "":
		v.State = Skipped
	case log.lacking[w.plugin] != "":
		v.State, v.Note = Skipped, log.lacking[w.plugin]
	case log.idle(w.section):
		v.State, v.Note = Skipped, "the section has no device, so TuneD does nothing of it"
	case w.path == "":
		v.State = Unknown
	case v.Before == nil || v.After == nil:
		v.State = Missing
	case len(w.unknown) > 0:
		v.State, v.Note = Unknown, "the profile works it out by "+strings.Join(w.unknown, " and ")
	case !holds(w, *v.After):
		v.State = Differs
	case equal(v.Before, v.After):
		v.State = Kept
	default:
		v.State = Changed
	}
	if v.Note == "" {
		v.Note = complaint(s.result.Log[s.since:], v)
	}
	return v
}

// holds compares as TuneD's own verification does.
func holds(w wanted, current string) bool {
	if w.plugin == "sysctl" {
		ok, _ := language.VerifySysctl(w.quoted, &current)
		return ok
	}
	result, how := language.Effective(w.want, current)
	ok, _ := language.Verify(result, current)
	return ok || how == language.Kept
}

// complaint is what TuneD says of an option, if anything.
func complaint(log []Line, v Value) string {
	for _, l := range log {
		loud := l.Level == "ERROR" || l.Level == "WARNING" || strings.HasPrefix(l.Text, "Overriding ")
		if loud && v.named(l.Text) {
			return l.Text
		}
	}
	return ""
}

// named says whether a line of the log is about the value.
func (v Value) named(line string) bool {
	return strings.Contains(line, "'"+v.Option+"'") || strings.Contains(line, "option "+v.Option+" ") ||
		v.Path != "" && strings.Contains(line, v.Path)
}

// told is what TuneD's log tells about the parts of a profile.
type told struct {
	// devices that each section got.
	devices map[string][]string
	// lacking are plug-ins that don't work here, with what the log says of them.
	lacking map[string]string
	// failed says that a plug-in failed in the middle of its work.
	failed bool
}

var (
	assigning = regexp.MustCompile(`^instance (\S+)(?: \(\S+\))?: assigning devices (.*)$`)
	noDevice  = regexp.MustCompile(`^instance (\S+): no matching devices available$`)
	// TuneD goes on with the next section, and says that the profile is applied. It
	// doesn't take back what the plug-in had done.
	halfDone = regexp.MustCompile(`^BUG: Unhandled exception in start_tuning: (.*)$`)
	noPlugin = regexp.MustCompile(`^(?:failed to initialize plugin (\S+)|skipping plugin '(\S+)', ` +
		`not supported on your system)$`)
)

func tell(log []Line) told {
	out := told{devices: map[string][]string{}, lacking: map[string]string{}}
	for _, l := range log {
		out.failed = out.failed || halfDone.MatchString(l.Text)
		if m := assigning.FindStringSubmatch(l.Text); m != nil {
			out.devices[m[1]] = strings.Split(m[2], ", ")
		}
		if m := noDevice.FindStringSubmatch(l.Text); m != nil {
			out.devices[m[1]] = []string{}
		}
		if m := noPlugin.FindStringSubmatch(l.Text); m != nil {
			out.lacking[m[1]+m[2]] = l.Text
		}
	}
	return out
}

// tuned says whether the section got the value's device.
func (a told) tuned(w wanted) bool {
	devices, known := a.devices[w.section]
	return !known || w.device == "" || slices.Contains(devices, w.device) || len(devices) == 0
}

// idle says whether the section got none: then TuneD does nothing of it, not even
// what belongs to no device.
func (a told) idle(section string) bool {
	devices, known := a.devices[section]
	return known && len(devices) == 0
}

// noteRollback fills in what the values are at the end.
func (s *session) noteRollback(now snapshot) {
	names := map[string]string{}
	for _, w := range s.wanted {
		names[w.path] = w.name
	}
	for i := range s.result.Values {
		v := &s.result.Values[i]
		v.RolledBack = now.value(names[v.Path])
	}
	for i := range s.result.Others {
		c := &s.result.Others[i]
		c.RolledBack = now.value(c.Path[1:])
	}
}
