package machineconfig

import (
	"regexp"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
)

// Settings are what a MachineConfig is made for. Everything goes into one, because
// each that is created by itself is a rollout of its own.
type Settings struct {
	// Name of the MachineConfig: "50-tuning"; it decides the order of rendering.
	Name string
	// Role is the value of the label that the pool selects: "worker".
	Role string
	// RPS, Routes and HugePages are left out where nil or empty.
	RPS       *RPS
	Routes    []Routes
	HugePages *HugePages
	// AsDocumented writes rules and routes in the form of "Red Hat OpenShift on IBM
	// Z", with what is wrong about it told as findings.
	AsDocumented bool
	// Base64 encodes contents so instead of with percent signs.
	Base64 bool
}

// piece is what one of the settings adds.
type piece struct {
	files     []newFile
	units     []newUnit
	arguments []string
}

// newFile is a file to be written.
type newFile struct {
	path, text string
	mode       int64
}

// newUnit is a systemd unit that is enabled.
type newUnit struct{ name, text string }

// Modes of files.
const (
	readable = 0o644
	secret   = 0o600
)

// maker collects findings about settings, which stand in no file.
type maker struct {
	release  release.Release
	findings []v1alpha1.Finding
}

func (m *maker) add(r object.Rule, field, what, fix string) {
	m.findings = append(m.findings, v1alpha1.Finding{Severity: r.Severity, ID: r.ID, Message: what, Remedy: fix,
		Field: field, Sources: r.Sources})
}

// note adds a finding of a severity of its own.
func (m *maker) note(r object.Rule, s v1alpha1.Severity, field, what, fix string) {
	r.Severity = s
	m.add(r, field, what, fix)
}

// objectName is the form of names of objects and labels.
var objectName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$`)

// Generate makes a MachineConfig of the settings in the form of the release. Findings
// say what to know about it; those of severity error name parts that can't be
// made and were left out.
func Generate(s Settings, of release.Release) (openshift.MachineConfig, []v1alpha1.Finding) {
	m := &maker{release: of}
	if !objectName.MatchString(s.Name) {
		m.add(impossibleRule, "--name", "the name "+short(s.Name)+" is no name of an object",
			"write letters, digits and hyphens, such as 50-tuning")
	}
	if !objectName.MatchString(s.Role) {
		m.add(impossibleRule, "--role", "the role "+short(s.Role)+" is no name of a pool",
			"write the pool's name, such as worker")
	}
	var all piece
	add := func(p piece) {
		all.files = append(all.files, p.files...)
		all.units = append(all.units, p.units...)
		all.arguments = append(all.arguments, p.arguments...)
	}
	if s.RPS != nil {
		add(m.rps(*s.RPS, s))
	}
	seen := map[string]bool{}
	for _, r := range s.Routes {
		if seen[r.Device] {
			m.add(impossibleRule, r.field(), "the device "+short(r.Device)+" stands twice", "put all its routes together")
			continue
		}
		seen[r.Device] = true
		add(m.routes(r, s.AsDocumented))
	}
	if s.HugePages != nil {
		add(m.hugePages(*s.HugePages))
	}
	object.Sort(m.findings)
	return s.assemble(all, of), m.findings
}

// assemble writes the pieces as an object.
func (s Settings) assemble(p piece, r release.Release) openshift.MachineConfig {
	mc := openshift.MachineConfig{APIVersion: "machineconfiguration.openshift.io/v1", Kind: "MachineConfig",
		Metadata: openshift.ObjectMeta{Name: s.Name, Labels: map[string]string{openshift.LabelRole: s.Role}}}
	mc.Spec.KernelArguments = p.arguments
	version := written.In(r)
	config := map[string]any{"ignition": map[string]any{"version": version}}
	var files, units []any
	for _, f := range p.files {
		files = append(files, s.file(f, version))
	}
	for _, u := range p.units {
		units = append(units, map[string]any{"name": u.name, "enabled": true, "contents": u.text})
	}
	if files != nil {
		config["storage"] = map[string]any{"files": files}
	}
	if units != nil {
		config["systemd"] = map[string]any{"units": units}
	}
	if files != nil || units != nil {
		mc.Spec.Config = config
	}
	return mc
}

// file writes a file as the version of the specification asks for.
func (s Settings) file(f newFile, version string) map[string]any {
	source := EncodeDataURL([]byte(f.text))
	if s.Base64 {
		source = EncodeDataURLBase64([]byte(f.text))
	}
	out := map[string]any{"path": f.path, "mode": f.mode, "contents": map[string]any{"source": source}}
	if version[0] == '2' {
		out["filesystem"] = "root"
	} else {
		out["overwrite"] = true
	}
	return out
}
