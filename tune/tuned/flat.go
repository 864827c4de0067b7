package tuned

import (
	"cmp"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
)

// Flat is what a profile comes to with everything that it includes.
type Flat struct {
	// Name of the profile, or names with blanks between them.
	Name string `json:"name"`
	// Layers are the profiles that were merged, the first overridden by all others.
	Layers []Layer `json:"layers"`
	// Main are the options of [main], but include.
	Main []Option `json:"main,omitempty"`
	// Variables in the order in which they were defined first, those of files included.
	Variables []Option `json:"variables,omitempty"`
	// Sections in TuneD's order: that in which their names came first.
	Sections []Section `json:"sections"`
	// Unknown is what of the node decides which further profiles are included, where that
	// is not known; they are left out then.
	Unknown []string `json:"unknown,omitempty"`
	// Fault says why TuneD, which loads the profile, applies nothing of it; empty when it does.
	Fault string `json:"fault,omitempty"`
	// written are the options of [variables] as they were merged.
	written []Option
	// expander knows the variables, for values that are put together later.
	expander expander
}

// Layer is a profile that was merged.
type Layer struct {
	Profile string         `json:"profile"`
	Place   v1alpha1.Place `json:"place"`
	// IncludedBy is the profile that asks for it; empty for what was asked for by name.
	IncludedBy string `json:"includedBy,omitempty"`
}

// Section is a section of the result; TuneD makes an instance of a plug-in of it.
type Section struct {
	Name string `json:"name"`
	// Type is the plug-in.
	Type string `json:"type"`
	// Enabled is false for sections that TuneD passes over.
	Enabled bool `json:"enabled"`
	// Devices is the expression that selects devices; "*" is all.
	Devices string `json:"devices"`
	// Attributes are the options that belong to the section, not to the plug-in, as far as
	// they were set: type, enabled, devices, devices_udev_regex, cpuinfo_regex, uname_regex,
	// script_pre, script_post.
	Attributes []Option `json:"attributes,omitempty"`
	// Priority orders the sections when they are applied, the lowest first.
	Priority int `json:"priority,omitempty"`
	// Skipped says why TuneD passes over the section; empty when it doesn't.
	Skipped string `json:"skipped,omitempty"`
	// Unknown is what of the node decides whether the section is applied, where that is
	// not known; it is taken for applied then.
	Unknown []string `json:"unknown,omitempty"`
	// Options are the plug-in's, in TuneD's order.
	Options []Option `json:"options"`
	// Lost are inherited options that replace and drop took away.
	Lost []Lost `json:"lost,omitempty"`
	// From is the first header of the section.
	From From `json:"from"`
}

// Option is a key with its value.
type Option struct {
	Key string `json:"key"`
	// Written is the value as it stands in the profile. Value is what the plug-in gets:
	// variables and functions worked out, the quotes of a sysctl taken away.
	Written string `json:"written"`
	Value   string `json:"value"`
	// Unknown is what of the node the value depends on that is not known: the functions
	// that ask for it stand in Value as they are written. Empty for what is known.
	Unknown []string `json:"unknown,omitempty"`
	// Assumed is Machine.Assumed where the value follows from it.
	Assumed string `json:"assumed,omitempty"`
	// Scripts are the scripts in the order in which they run, of the option script,
	// which has several where profiles that were merged have one each.
	Scripts []string `json:"scripts,omitempty"`
	// Fault says why working the value out fails when it is applied; empty when it doesn't.
	Fault string `json:"fault,omitempty"`
	From  From   `json:"from"`
	// Overrides are the values that it overrode, the latest first.
	Overrides []Earlier `json:"overrides,omitempty"`
}

// open says what a value depends on, or follows from; empty for what is sure.
func (o *Option) open() string {
	var out []string
	if len(o.Unknown) > 0 {
		out = append(out, "depends on the node: "+strings.Join(o.Unknown, "; "))
	}
	if o.Assumed != "" {
		out = append(out, "assumed: "+o.Assumed)
	}
	return strings.Join(out, "; ")
}

// Lost is an option that is not inherited.
type Lost struct {
	Option
	// How is "drop" or "replace"; By says where that stands.
	How string `json:"how"`
	By  From   `json:"by"`
}

// Option returns the option of a key, or nil.
func (s *Section) Option(key string) *Option { return optionOf(s.Options, key) }

// Attribute returns the attribute of a key, or nil when no profile sets it.
func (s *Section) Attribute(key string) *Option { return optionOf(s.Attributes, key) }

func optionOf(list []Option, key string) *Option {
	for i := range list {
		if list[i].Key == key {
			return &list[i]
		}
	}
	return nil
}

// Section returns the section of a name, or nil.
func (f *Flat) Section(name string) *Section {
	for i := range f.Sections {
		if f.Sections[i].Name == name {
			return &f.Sections[i]
		}
	}
	return nil
}

// Applied are the sections in the order in which TuneD applies them, without those
// that it passes over.
func (f *Flat) Applied() []*Section {
	var out []*Section
	for i := range f.Sections {
		if f.Sections[i].Skipped == "" {
			out = append(out, &f.Sections[i])
		}
	}
	slices.SortStableFunc(out, func(a, b *Section) int { return cmp.Compare(a.Priority, b.Priority) })
	return out
}
