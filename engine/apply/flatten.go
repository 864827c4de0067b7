package apply

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"time"

	language "plimsoll.dev/tune/tuned"
)

// flatten works out what the profile asks for, before TuneD is asked to apply it.
// What it can't know stays as it is written; TuneD has the last word.
func (s *session) flatten() error {
	directories, err := s.config.directories()
	if err != nil {
		return err
	}
	flat, findings := language.NewSet(directories...).Flatten(s.result.Profile, s.machine())
	s.result.language, s.result.Chain, s.sections, s.wanted = findings, nil, nil, nil
	if flat == nil {
		return nil
	}
	for _, l := range flat.Layers {
		s.result.Chain = append(s.result.Chain, l.Profile)
	}
	s.sections = sections(flat)
	if err := s.fit(s.sections); err != nil {
		return err
	}
	s.wanted = s.values()
	for _, w := range s.wanted {
		for _, name := range append(w.also, w.name, partner(w.name)) {
			if name != "" {
				s.known[name] = true
			}
		}
	}
	return nil
}

// values are what the profile asks for on the node as it is now.
func (s *session) values() []wanted {
	r := resolver{files: s.target.files(), resolve: s.target.resolve}
	return r.values(s.sections)
}

// noteLate finds the files of devices that were not there before the profile was: TuneD, which tunes those, too, alone
// knows what they were. Of an option that is found for no device before a take-over, an earlier release of the profile
// knew nothing, and no TuneD has set it. Of a simulated node all is known, and whatever is new goes.
func (s *session) noteLate(before snapshot, takeOver bool) {
	if s.target.whole() {
		return
	}
	files := map[string][]string{} // of devices, by option
	for _, w := range s.values() {
		names := w.also
		if w.device != "" {
			names = append(names, w.name)
		}
		option := w.section + "\n" + w.option
		files[option] = append(files[option], names...)
	}
	was := func(name string) bool { _, was := before[name]; return was }
	for _, names := range files {
		late := slices.DeleteFunc(slices.Clone(names), was)
		if takeOver && len(late) == len(names) {
			continue
		}
		for _, name := range late {
			s.late[name] = true
		}
	}
}

// fit refuses a simulated node on which TuneD can't apply anything of the profile:
// the plug-in disk lists sys/block when it starts, whichever disks it is for, and
// where that fails no section is applied. The other plug-ins find no device and go on.
func (s *session) fit(asked []section) error {
	i := slices.IndexFunc(asked, func(a section) bool { return a.plugin == "disk" })
	if i < 0 || !s.target.whole() {
		return nil
	}
	if info, err := fs.Stat(s.target.files(), "sys/block"); err == nil && info.IsDir() {
		return nil
	}
	return wrongOptions(fmt.Errorf("node %s: sys/block is no directory, and without it TuneD applies nothing of profile "+
		"%s, whose section [%s] is for disks (%s)", s.opt.Root, s.result.Profile, asked[i].name, needs))
}

// scripts are the attributes of a section that do something to the node, whatever its plug-in.
var scripts = []string{"script_pre", "script_post"}

// sections are those that TuneD applies, in its order.
func sections(flat *language.Flat) []section {
	var out []section
	for _, a := range flat.Applied() {
		s := section{name: a.Name, plugin: a.Type}
		options := a.Options
		for _, key := range scripts {
			if o := a.Attribute(key); o != nil {
				options = append(slices.Clip(options), *o)
			}
		}
		for _, o := range options {
			if o.Key == "priority" { // of the section
				continue
			}
			place := o.From.Place
			quoted := o.Value
			if language.Unquote(o.Written) != o.Written {
				quoted = `"` + o.Value + `"`
			}
			s.options = append(s.options, option{key: o.Key, value: o.Value, quoted: quoted, profile: o.From.Profile,
				place: &place, unknown: o.Unknown})
		}
		out = append(out, s)
	}
	return out
}

// machine is what profiles may ask of the node. Their own programs are not run here:
// what the function exec prints is known when TuneD has run it.
func (s *session) machine() language.Machine {
	m := facts(s.target.files())
	m.TuneD, m.Read = releaseOf(versions), s.readVariables
	if all, ok := uname(); ok { // of a simulated node, too: TuneD sees the machine's kernel
		m = m.WithUname(all)
	}
	if m.PMU == nil {
		m.PMU = new(string)
	}
	virtual := s.opt.Virtual != ""
	if s.opt.Root == "" {
		virtual = isVirtual()
	} else if m.CPUInfo == nil {
		m.CPUInfo = new(string)
	}
	m.Virtual = &virtual
	return m
}

// asking is how long virt-what may take.
const asking = 20 * time.Second

// isVirtual asks the program that TuneD asks, and takes its failure for bare metal, too.
func isVirtual() bool {
	ctx, stop := context.WithTimeout(context.Background(), asking)
	defer stop()
	out, err := exec.CommandContext(ctx, "virt-what").Output()
	return err == nil && len(out) > 0
}

// readVariables reads a file of variables where TuneD will read it.
func (s *session) readVariables(name string) (string, bool) {
	name = path.Clean(name)
	if rest, ok := strings.CutPrefix(name, admin+"/"); ok {
		f, ok := s.config.files[rest]
		return string(f.data), ok
	}
	if strings.HasPrefix(name, "/proc/") || strings.HasPrefix(name, "/sys/") {
		return readRegular(s.target.files(), name[1:], maxFacts)
	}
	if s.opt.Root != "" && !strings.HasPrefix(name, "/usr/") {
		return "", false
	}
	return readRegular(os.DirFS("/"), name[1:], maxFile)
}

// readRegular reads a file of at most so many bytes. It opens nothing but regular
// files: a pipe would wait for somebody who writes.
func readRegular(files fs.FS, name string, most int) (string, bool) {
	if info, err := fs.Stat(files, name); err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	f, err := files.Open(name)
	if err != nil {
		return "", false
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, int64(most)+1))
	return string(data), err == nil && len(data) <= most
}
