package performance

import (
	_ "embed" // TuneD's own arguments
	"slices"
	"strings"

	"plimsoll.dev/tune/tuned"
	"plimsoll.dev/unit"
)

//go:embed data/base.txt
var baseText string

// KernelArgument is an argument of the kernel that the operator asks for by way of TuneD.
type KernelArgument struct {
	Argument string `json:"argument"`
	// On are the makers of CPUs that it is for; empty for all.
	On []string `json:"on,omitempty"`
	// From are the fields of the profile that it comes from; empty where every profile has it.
	From []string `json:"from,omitempty"`
}

// maker is one of CPUs.
type maker struct{ name, arch, lscpu string }

// makers are those that there are profiles for, with what lscpu prints on their CPUs.
var makers = []maker{
	{"Intel", amd64, "Architecture: x86_64\nVendor ID: GenuineIntel\n"},
	{"AMD", amd64, "Architecture: x86_64\nVendor ID: AuthenticAMD\n"},
	{"Arm", arm64, "Architecture: aarch64\nVendor ID: ARM\n"},
}

// kernelOf notes the kernel arguments with which nodes start, in order, for each maker whose CPUs they may have.
func (r *Rendering) kernelOf() {
	isKnown := slices.ContainsFunc(makers, func(m maker) bool { return m.name == r.maker })
	set := tuned.NewSet(directory(r.values.write(baseText)), directory(r.profiles))
	online := r.online().String()
	kernel := "5.14.0-0.el9"
	if r.kernelType() == "realtime" {
		kernel += "+rt"
	}
	for _, m := range makers {
		if r.arch != "" && r.arch != m.arch || isKnown && r.maker != m.name {
			continue
		}
		machine := tuned.Machine{TuneD: tuned.ReleaseIn(r.values.release), LSCPU: &m.lscpu, Online: &online,
			Printed: map[string]string{"uname -r": kernel + "\n"}}
		flat, _ := set.Flatten(tunedPrefix+r.Profile, machine)
		if flat == nil {
			continue
		}
		line := tuned.Kernel(flat).Text
		r.CommandLines = append(r.CommandLines, CommandLine{m.name, strings.Fields(line)})
		r.count(m.name, flat, line)
	}
}

// online are the CPUs once the profile is in effect: those that it names, or else the first of the nodes' where these
// have another number.
func (r *Rendering) online() (all unit.CPUSet) {
	for _, s := range r.cpus {
		all = all.Union(s)
	}
	if all = all.Minus(r.cpus["offlined"]); r.nodes > 0 && r.nodes != all.Len() {
		all = cpusOf(r.nodes, r.cpus).Minus(r.cpus["offlined"])
	}
	return all
}

// count notes the arguments of a maker's nodes.
func (r *Rendering) count(maker string, f *tuned.Flat, line string) {
	from := map[string][]string{}
	for _, s := range f.Applied() {
		for _, o := range s.Options {
			for word := range strings.FieldsSeq(strings.TrimLeft(o.Value, "+")) {
				if had, twice := from[word]; s.Type == "bootloader" && !(twice && had == nil) {
					from[word] = r.fields(o.Key)
				}
				if len(o.Unknown) > 0 && strings.Contains(word, "${") {
					from[word] = []string{"the node's CPU"}
				}
			}
		}
	}
	at := 0
	for word := range strings.FieldsSeq(line) {
		i := slices.IndexFunc(r.Kernel, func(k KernelArgument) bool { return k.Argument == word })
		switch {
		case i >= 0 && slices.Contains(r.Kernel[i].On, maker): // a second time
			continue
		case i < 0:
			i = at
			r.Kernel = slices.Insert(r.Kernel, i, KernelArgument{Argument: word, From: from[word]})
		}
		r.Kernel[i].On = append(r.Kernel[i].On, maker)
		at = i + 1
	}
}

// fields are those of the profile that an option of TuneD's comes from.
func (r *Rendering) fields(key string) (out []string) {
	for _, p := range r.profiles {
		for _, l := range p.lines {
			if had, _, _ := strings.Cut(l.text, "="); had == key {
				out = append(out, l.from...)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// directory is where the operator puts profiles.
func directory(profiles []written) tuned.Directory {
	d := tuned.Directory{Path: "/etc/tuned"}
	for _, p := range profiles {
		d.Profiles = append(d.Profiles,
			tuned.Profile{Name: p.name, Source: tuned.Source{Body: p.text(), File: p.name}})
	}
	return d
}
