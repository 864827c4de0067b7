package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/coreos/ign-converter/translate/v23tov30"
	two "github.com/coreos/ignition/config/v2_2"
	twotypes "github.com/coreos/ignition/config/v2_2/types"
	"github.com/coreos/ignition/config/v2_3"
	unknown "github.com/coreos/ignition/v2/config/shared/errors"
	three "github.com/coreos/ignition/v2/config/v3_5"
	threetypes "github.com/coreos/ignition/v2/config/v3_5/types"
	"github.com/vincent-petithory/dataurl"
)

// urlAnswer is what the decoder of data URLs says.
type urlAnswer struct {
	// URL as bytes: it may be no text.
	URL  []byte `json:"url"`
	OK   bool   `json:"ok"`
	Data []byte `json:"data,omitempty"`
}

func askURL(url string) urlAnswer {
	u, err := dataurl.DecodeString(url)
	if err != nil {
		return urlAnswer{URL: []byte(url)}
	}
	return urlAnswer{URL: []byte(url), OK: true, Data: u.Data}
}

// configAnswer is what Ignition says of configurations that are joined in order:
// merged field by field, as the operator does today, or appended, as up to 4.5.
type configAnswer struct {
	Configs []json.RawMessage `json:"configs"`
	// Merged says which; appended ones are of specification 2.
	Merged bool `json:"merged,omitempty"`
	// Refused is the first reason; the rest is empty then.
	Refused string `json:"refused,omitempty"`
	// Files by path, Units by name.
	Files map[string]fileAnswer `json:"files,omitempty"`
	Units map[string]unitAnswer `json:"units,omitempty"`
}

// fileAnswer is a file as a node writes it.
type fileAnswer struct {
	Mode int    `json:"mode"`
	Data []byte `json:"data,omitempty"`
	// Bad says that the node can't write it.
	Bad bool `json:"bad,omitempty"`
}

// unitAnswer is a unit as a node has it; State is "enabled", "disabled", "masked"
// or nothing.
type unitAnswer struct {
	State    string            `json:"state,omitempty"`
	Contents string            `json:"contents,omitempty"`
	Dropins  map[string]string `json:"dropins,omitempty"`
}

// usual is the mode of files that have none.
const usual = 0o644

func askConfigs(configs []json.RawMessage, merged bool) configAnswer {
	out := configAnswer{Configs: configs, Merged: merged, Files: map[string]fileAnswer{}, Units: map[string]unitAnswer{}}
	ask := out.appended
	if merged {
		ask = out.merged
	}
	if err := ask(); err != nil {
		return configAnswer{Configs: configs, Merged: merged, Refused: err.Error()}
	}
	return out
}

// appended joins configurations of specification 2: a node writes one file and one
// unit after the other.
func (a *configAnswer) appended() error {
	var all twotypes.Config
	for i, raw := range a.Configs {
		next, report, err := two.Parse(raw)
		if err != nil || report.IsFatal() {
			return fmt.Errorf("%w: %s", orUnknown(err), report.String())
		}
		if i == 0 {
			all = next
			continue
		}
		all = two.Append(all, next)
	}
	for _, f := range all.Storage.Files {
		out := fileAnswer{Mode: usual}
		if f.Mode != nil {
			out.Mode = *f.Mode
		}
		u, err := dataurl.DecodeString(f.Contents.Source)
		if out.Bad = err != nil || f.Append; !out.Bad {
			out.Data = u.Data
		}
		a.Files[f.Path] = out
	}
	units := map[string]*disk{}
	for _, u := range all.Systemd.Units {
		if units[u.Name] == nil {
			units[u.Name] = &disk{}
		}
		units[u.Name].write(u)
	}
	for name, u := range units {
		a.Units[name] = u.answer()
	}
	return nil
}

func orUnknown(err error) error {
	if err == nil {
		return fmt.Errorf("invalid")
	}
	return err
}

// disk is a unit as it stands on a node's disk: its file, which may be a link to
// nothing, and whether another directory links to it.
type disk struct {
	unitAnswer
	masked bool
	linked *bool
}

// write does with one entry what a node does.
func (d *disk) write(u twotypes.Unit) {
	for _, one := range u.Dropins {
		if d.Dropins == nil {
			d.Dropins = map[string]string{}
		}
		d.Dropins[one.Name] = one.Contents
	}
	if u.Mask {
		d.masked = true
		return
	}
	if u.Contents != "" {
		d.Contents, d.masked = u.Contents, false
	}
	if yes := true; u.Enable {
		d.linked = &yes
	}
	if u.Enabled != nil {
		d.linked = u.Enabled
	}
}

// answer names the state.
func (d *disk) answer() unitAnswer {
	out := d.unitAnswer
	switch {
	case d.masked:
		out.State = "masked"
	case d.linked != nil && *d.linked:
		out.State = "enabled"
	case d.linked != nil:
		out.State = "disabled"
	}
	return out
}

// merged joins configurations of both specifications as the operator does: each file
// says its compression, and all are to be overwritten.
func (a *configAnswer) merged() error {
	var all threetypes.Config
	for i, raw := range a.Configs {
		next, err := parse(raw)
		if err != nil {
			return err
		}
		if i == 0 {
			all = next
			continue
		}
		for j := range next.Storage.Files {
			if c := &next.Storage.Files[j].Contents; c.Compression == nil {
				c.Compression = new(string)
			}
		}
		all = three.Merge(all, next)
	}
	for i := range all.Storage.Files {
		f := &all.Storage.Files[i]
		if c := &f.Contents; c.Compression != nil && *c.Compression == "" {
			c.Compression = nil
		}
		if yes := true; f.Overwrite == nil {
			f.Overwrite = &yes
		}
	}
	raw, err := json.Marshal(all)
	if err != nil {
		return err
	}
	if all, err = parse(raw); err != nil {
		return err
	}
	for _, f := range all.Storage.Files {
		a.Files[f.Path] = readFile(f)
	}
	for _, u := range all.Systemd.Units {
		a.Units[u.Name] = readUnit(u)
	}
	return nil
}

// parse reads a configuration of specification 3, or of 2 and translates it, and
// refuses special bits of modes, as the operator does.
func parse(raw []byte) (threetypes.Config, error) {
	c, report, err := three.ParseCompatibleVersion(raw)
	if errors.Is(err, unknown.ErrUnknownVersion) {
		return translate(raw)
	}
	if err != nil || report.IsFatal() {
		return c, fmt.Errorf("%w: %s", orUnknown(err), report.String())
	}
	for _, f := range c.Storage.Files {
		if f.Mode != nil && *f.Mode > 0o777 {
			return c, fmt.Errorf("mode %#o of %s", *f.Mode, f.Path)
		}
	}
	return c, nil
}

// translate makes specification 3 of 2.
func translate(raw []byte) (threetypes.Config, error) {
	old, report, err := two.Parse(raw)
	if err != nil || report.IsFatal() {
		return threetypes.Config{}, fmt.Errorf("%w: %s", orUnknown(err), report.String())
	}
	for _, f := range old.Storage.Files {
		if f.Mode != nil && *f.Mode > 0o777 {
			return threetypes.Config{}, fmt.Errorf("mode %#o of %s", *f.Mode, f.Path)
		}
	}
	old.Storage.Files = lastFiles(old.Storage.Files)
	old.Systemd.Units = lastUnits(old.Systemd.Units)
	next, err := v23tov30.Translate(v2_3.Translate(old), map[string]string{"root": "/"})
	if err != nil {
		return threetypes.Config{}, err
	}
	raw, err = json.Marshal(next)
	if err != nil {
		return threetypes.Config{}, err
	}
	c, _, err := three.ParseCompatibleVersion(raw)
	return c, err
}

// lastFiles keeps the last file of each path.
func lastFiles(files []twotypes.File) []twotypes.File {
	var out []twotypes.File
	for _, f := range slices.Backward(files) {
		if !slices.ContainsFunc(out, func(o twotypes.File) bool { return o.Path == f.Path }) {
			out = append(out, f)
		}
	}
	return out
}

// lastUnits keeps the last unit of each name, with the drop-ins of all.
func lastUnits(units []twotypes.Unit) []twotypes.Unit {
	var out []twotypes.Unit
	for _, u := range slices.Backward(units) {
		i := slices.IndexFunc(out, func(o twotypes.Unit) bool { return o.Name == u.Name })
		if i < 0 {
			out = append(out, u)
			continue
		}
		for _, d := range u.Dropins {
			if !slices.ContainsFunc(out[i].Dropins, func(o twotypes.SystemdDropin) bool { return o.Name == d.Name }) {
				out[i].Dropins = append(slices.Clip(out[i].Dropins), d)
			}
		}
	}
	return out
}

func readFile(f threetypes.File) fileAnswer {
	out := fileAnswer{Mode: usual}
	if f.Mode != nil {
		out.Mode = *f.Mode
	}
	data, err := content(f)
	if out.Bad = err != nil || len(f.Append) > 0; !out.Bad {
		out.Data = data
	}
	return out
}

func content(f threetypes.File) ([]byte, error) {
	if f.Contents.Source == nil {
		return nil, nil
	}
	u, err := dataurl.DecodeString(*f.Contents.Source)
	if err != nil || f.Contents.Compression == nil || *f.Contents.Compression == "" {
		return data(u), err
	}
	zip, err := gzip.NewReader(bytes.NewReader(u.Data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(zip)
}

func data(u *dataurl.DataURL) []byte {
	if u == nil {
		return nil
	}
	return u.Data
}

func readUnit(u threetypes.Unit) unitAnswer {
	var out unitAnswer
	if u.Contents != nil {
		out.Contents = *u.Contents
	}
	for _, d := range u.Dropins {
		if out.Dropins == nil {
			out.Dropins = map[string]string{}
		}
		out.Dropins[d.Name] = ""
		if d.Contents != nil {
			out.Dropins[d.Name] = *d.Contents
		}
	}
	switch {
	case u.Mask != nil && *u.Mask:
		out.State = "masked"
	case u.Enabled != nil && *u.Enabled:
		out.State = "enabled"
	case u.Enabled != nil:
		out.State = "disabled"
	}
	return out
}
