package machineconfig

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"plimsoll.dev/release"
)

// Reaction is what a running node does when its pool's configuration changes.
type Reaction struct {
	Pool string `json:"pool"`
	// Changes name what differs.
	Changes []string `json:"changes,omitempty"`
	// Refused are the reasons for which nodes don't take it on; then nothing below
	// happens. By says who refuses: "node" or "controller".
	Refused []string `json:"refused,omitempty"`
	By      string   `json:"by,omitempty"`
	// Drain and Reboot say what each node goes through; Services are told to reload
	// or restart.
	Drain    bool     `json:"drain"`
	Reboot   bool     `json:"reboot"`
	Services []string `json:"services,omitempty"`
	// Why names the change that asks for it.
	Why string `json:"why,omitempty"`
	// Policies are the changes after which the nodes do what the cluster's MachineConfiguration says.
	Policies []string `json:"policies,omitempty"`
	// Undrained says that the cluster has one control plane node, and that its nodes are therefore never drained.
	Undrained bool `json:"undrained,omitempty"`
	// Open is what decides besides and is not among the objects.
	Open []string `json:"open,omitempty"`
	// CommandLine are the kernel arguments of the pool in the order in which a node
	// has them afterwards; Misplaced says that it is not the order asked for.
	CommandLine []string `json:"commandLine,omitempty"`
	Misplaced   bool     `json:"misplaced,omitempty"`
}

// React compares two configurations of a pool as its nodes do, by the cluster's policies.
func React(before, after PoolConfig, own Policies, r release.Release) Reaction {
	out := Reaction{Pool: after.Pool}
	if after.Failure != "" {
		out.Refused, out.By = []string{after.Failure}, "controller"
		return out
	}
	d := differ{before, after, r}
	out.Changes = d.changes()
	if len(out.Changes) == 0 && len(d.refused()) == 0 {
		out.CommandLine = texts(after.KernelArguments)
		return out
	}
	if out.Refused = d.refused(); len(out.Refused) > 0 {
		out.By = "node"
		if renderRefuses.In(r) {
			out.By = "controller"
		}
		return out
	}
	out.CommandLine = commandLine(texts(before.KernelArguments), texts(after.KernelArguments), r)
	out.Misplaced = !slices.Equal(out.CommandLine, asWords(texts(after.KernelArguments), r))
	d.disruption(&out, own)
	return out
}

// differ compares the configurations of a pool before and after.
type differ struct {
	before, after PoolConfig
	release       release.Release
}

func texts(list []Sourced) []string {
	var out []string
	for _, s := range list {
		out = append(out, s.Text)
	}
	return out
}

// changes names what differs, in the order in which nodes look at it.
func (d differ) changes() []string {
	var out []string
	note := func(differs bool, what string) {
		if differs {
			out = append(out, what)
		}
	}
	note(d.before.OSImageURL.Text != d.after.OSImageURL.Text, "operating system image")
	note(!slices.Equal(texts(d.before.KernelArguments), texts(d.after.KernelArguments)), "kernel arguments")
	note(d.before.FIPS != d.after.FIPS, "FIPS")
	note(d.before.KernelType.Text != d.after.KernelType.Text, "kernel type")
	note(!slices.Equal(texts(d.before.Extensions), texts(d.after.Extensions)), "extensions")
	note(!same(d.before.users, d.after.users) || !same(d.before.groups, d.after.groups), "users")
	note(!same(d.before.sections["luks"], d.after.sections["luks"]), luksChange)
	for _, p := range d.files() {
		out = append(out, "file "+p)
	}
	for _, u := range d.units() {
		out = append(out, "unit "+u)
	}
	return out
}

// luksChange is what no release compares.
const luksChange = "luks, which a running node ignores"

// registries says why a change of registriesFile drains, empty where it doesn't, and whether that is known.
func (d differ) registries(own Policies) (why string, known bool) {
	if own.undrained {
		return "", true
	}
	is := func(f FileResult) bool { return f.Path == registriesFile && f.Problem == "" }
	before, after := slices.IndexFunc(d.before.Files, is), slices.IndexFunc(d.after.Files, is)
	if before < 0 || after < 0 {
		return "it is not given before and after, and may drain", false
	}
	was, now := d.before.Files[before].Content, d.after.Files[after].Content
	return registriesRule.In(d.release).drains(string(was), string(now)), true
}

// same compares lists, of which none and an empty one are equal.
func same(a, b []any) bool { return len(a)+len(b) == 0 || reflect.DeepEqual(a, b) }

// files are the paths of files that differ, if only in how they are encoded.
func (d differ) files() []string {
	return differing(d.before.Files, d.after.Files, func(f FileResult) string { return f.Path },
		func(a, b FileResult) bool { return a.raw == b.raw })
}

// units are the names of units that differ.
func (d differ) units() []string {
	return differing(d.before.Units, d.after.Units, func(u UnitResult) string { return u.Name },
		func(a, b UnitResult) bool {
			return a.State == b.State && a.Contents == b.Contents && slices.EqualFunc(a.Dropins, b.Dropins, sameDropin)
		})
}

// differing are the names, sorted, of what is in one list only or not the same in both.
func differing[T any](before, after []T, name func(T) string, same func(a, b T) bool) []string {
	old := map[string]T{}
	for _, x := range before {
		old[name(x)] = x
	}
	var out []string
	for _, x := range after {
		was, ok := old[name(x)]
		delete(old, name(x))
		if !ok || !same(was, x) {
			out = append(out, name(x))
		}
	}
	out = append(out, sortedKeys(old)...)
	slices.Sort(out)
	return out
}

func sameDropin(a, b DropinResult) bool { return a.Name == b.Name && a.Contents == b.Contents }

// refused are the reasons for which a node does not take the change on.
func (d differ) refused() []string {
	var out []string
	if oneVersion.In(d.release) && d.before.Version != d.after.Version && d.before.Version != "" && d.after.Version != "" {
		out = append(out, "the version of the Ignition specification changes from "+d.before.Version+" to "+d.after.Version)
	}
	for _, s := range sectionNames {
		gone := s[0] == "links" && len(d.after.sections["links"]) == 0
		if !same(d.before.sections[s[0]], d.after.sections[s[0]]) && !gone {
			out = append(out, s[0]+" change")
		}
	}
	out = append(out, d.refusedUsers()...)
	for _, p := range d.after.appends {
		out = append(out, "content is appended to "+p)
	}
	if d.before.FIPS != d.after.FIPS {
		out = append(out, "FIPS changes")
	}
	if renderRefuses.In(d.release) && slices.ContainsFunc(d.after.Files,
		func(f FileResult) bool { return f.Path == forceFile }) {
		out = append(out, "the file "+forceFile+" is written")
	}
	return out
}

// refusedUsers compares users and groups: only the keys of core, today its
// password as well, may change.
func (d differ) refusedUsers() []string {
	var out []string
	if !same(d.before.groups, d.after.groups) {
		out = append(out, "groups change")
	}
	users := d.after.users
	first := len(d.before.users) == 0 && !passwords.In(d.release)
	if same(d.before.users, users) || first || len(users) == 0 {
		return out
	}
	for _, u := range users {
		if m, _ := u.(map[string]any); m["name"] != coreUser {
			return append(out, "a user other than core is there")
		}
	}
	return append(out, d.refusedFields(users[len(users)-1].(map[string]any))...)
}

// refusedFields looks at the last entry of user core.
func (d differ) refusedFields(user map[string]any) []string {
	keys, _ := user["sshAuthorizedKeys"].([]any)
	password := passwords.In(d.release) && user["passwordHash"] != nil
	if len(keys) == 0 && !password {
		return []string{"user core has no key"}
	}
	allowed := []string{"name", "sshAuthorizedKeys"}
	if passwords.In(d.release) {
		allowed = append(allowed, "passwordHash")
	}
	for _, k := range sortedKeys(user) {
		if !slices.Contains(allowed, k) {
			return []string{k + " of user core is there"}
		}
	}
	return nil
}

// commandLine are the kernel arguments after a node has changed the old into the
// new. Up to 4.5 it takes off what is gone and puts on what is new, each once and
// at the end; today it takes off all and puts on all.
func commandLine(before, after []string, r release.Release) []string {
	if reapplied.In(r) {
		return asWords(after, r)
	}
	line := slices.Clone(before)
	for _, a := range before {
		if i := slices.Index(line, a); i >= 0 && !slices.Contains(after, a) {
			line = slices.Delete(line, i, i+1)
		}
	}
	for _, a := range after {
		if !slices.Contains(before, a) {
			line = append(line, a)
		}
	}
	return line
}

// asWords cuts arguments at blanks, as today's operator does; quoted ones keep theirs.
func asWords(args []string, r release.Release) []string {
	if !reapplied.In(r) {
		return args
	}
	var out []string
	for _, a := range args {
		if strings.Contains(a, `"`) {
			out = append(out, a)
			continue
		}
		out = append(out, strings.Fields(a)...)
	}
	return out
}

// mayHaveOwn says whether users may have a policy of their own for a change.
func mayHaveOwn(change string) bool {
	return change == "users" || strings.HasPrefix(change, "file ") || strings.HasPrefix(change, "unit ")
}

// disruption says what the change does to a node.
func (d differ) disruption(out *Reaction, own Policies) {
	if !policies.In(d.release) {
		out.Drain, out.Reboot, out.Why = true, true,
			fmt.Sprintf("%s drains and reboots for every change", d.release.OpenShift())
		return
	}
	certain := false // a reboot, whatever isn't known
	for _, c := range out.Changes {
		a, ownPolicy := own.of(c, d.release)
		certain = certain || a.reboot && (own.unknown == "" || !mayHaveOwn(c))
		if own.unknown != "" && mayHaveOwn(c) {
			out.open(own.unknown)
		}
		if ownPolicy {
			out.Policies = append(out.Policies, c)
		}
		if a.byContent {
			why, known := d.registries(own)
			if !known && !own.single {
				out.open(registriesFile + " before and after the change")
			}
			a.drain, c = why != "", c+": "+why
		}
		out.Drain, out.Reboot = out.Drain || a.reboot || a.drain, out.Reboot || a.reboot
		if (a.reboot || a.drain) && out.Why == "" {
			out.Why = c
		}
		for _, s := range a.services {
			if !slices.Contains(out.Services, s) {
				out.Services = append(out.Services, s)
			}
		}
	}
	if out.Reboot {
		out.Services = nil
	}
	if certain {
		out.Open = nil
	}
	out.Undrained = out.Drain && own.single
	out.Drain = out.Drain && !own.single
}

// open notes what is not known, once.
func (out *Reaction) open(what string) {
	if !slices.Contains(out.Open, what) {
		out.Open = append(out.Open, what)
	}
}
