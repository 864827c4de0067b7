package machineconfig

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/release"
)

// validator judges one MachineConfig as the operator does before it renders.
type validator struct {
	*reader
	*decoder
	release release.Release
	c       config
}

// validate reads a MachineConfig and finds what is wrong with it. Parts that only
// installation can apply are not looked into.
func validate(mc openshift.MachineConfig, of release.Release, d *decoder) (config, []problem) {
	r := &reader{}
	v := validator{reader: r, decoder: d, release: of, c: readConfig(mc, r)}
	v.kernelType(mc.Spec.KernelType)
	v.extensions(mc.Spec.Extensions)
	if len(mc.Spec.Config) == 0 && emptyConfig.In(of) {
		v.c.given = false
	}
	if v.c.given {
		v.version()
		for _, f := range v.c.files {
			v.file(f)
		}
		for _, d := range v.c.entries {
			v.path(d.at, d.path)
			v.modeRange(d.at, d.mode)
		}
		for _, u := range v.c.units {
			v.unit(u)
		}
		v.refused()
		if v.c.three {
			v.duplicates()
		} else if byPath.In(of) {
			v.converted()
		}
	}
	return v.c, r.problems
}

func (v validator) kernelType(kind string) {
	allowed := kernelTypes.In(v.release)
	switch {
	case kind == "" || slices.Contains(allowed, kind):
	case allowed == nil:
		v.warn(&kernelTypeRule, "spec.kernelType", "kernelType is not known to "+v.release.OpenShift()+
			": the field is ignored", "remove it")
	default:
		v.add(&kernelTypeRule, "spec.kernelType", true,
			fmt.Sprintf("kernelType %s is not known to %s", short(kind), v.release.OpenShift()), "write "+allowed.String())
	}
}

func (v validator) extensions(list []string) {
	known := extensionNames.In(v.release)
	for i, name := range list {
		at := fmt.Sprintf("spec.extensions[%d]", i)
		switch {
		case slices.Contains(known, name):
		case known == nil:
			v.warn(&extensionRule, at, "extensions are not known to "+v.release.OpenShift()+": the field is ignored",
				"remove it")
		default:
			v.add(&extensionRule, at, extensionsRendered.In(v.release),
				fmt.Sprintf("extension %s is not known to %s", short(name), v.release.OpenShift()), "write "+known.String())
		}
	}
}

func (v validator) version() {
	const at = "spec.config.ignition.version"
	known := accepted.In(v.release)
	switch {
	case slices.Contains(known, v.c.version):
	case v.c.version == "":
		v.add(&versionRule, at, true, "the Ignition configuration has no version",
			"write ignition: {version: "+written.In(v.release)+"}")
	default:
		v.add(&versionRule, at, true, fmt.Sprintf("version %s of Ignition is not one that %s accepts", short(v.c.version),
			v.release.OpenShift()),
			"write "+written.In(v.release)+"; accepted are "+known.String())
	}
}

func (v validator) file(f file) {
	lost := v.misplaced(f)
	if f.path != "" || !lost["path"] {
		v.path(f.at, f.path)
	}
	if !lost["filesystem"] || v.c.three {
		v.filesystem(f)
	}
	v.mode(f)
	v.overwrite(f)
	v.source(f)
	v.compression(f)
	v.hash(f.contents)
	if f.append {
		v.add(&appendRule, f.at+".append", false, "content is appended to "+f.path+", which a running node refuses",
			"write the whole file, or a file in a .d directory")
	}
	if value(f.user) == "#" || value(f.group) == "#" {
		v.add(&ownerRule, f.at, true, "an owner is given by number and by name", "write id or name")
	}
}

// misplaced finds the fields of a file that are indented as if they were the
// content's, which the operator doesn't see there. It returns their names.
func (v validator) misplaced(f file) map[string]bool {
	lost := map[string]bool{}
	for _, key := range []string{"filesystem", "mode", "path", "overwrite", "user", "group"} {
		if _, at := f.contents.node.get(key); f.contents.node.has(key) && !f.node.has(key) {
			lost[key] = true
			fatal := key == "path" || key == "filesystem" && !v.c.three
			v.add(&misplacedRule, at, fatal, key+" stands below contents, where nothing reads it", "indent it as contents is")
		}
	}
	return lost
}

func (v validator) path(at, p string) {
	at += ".path"
	switch {
	case p == "":
		v.add(&pathRule, at, true, "a path is missing", "write the whole path, such as /etc/sysctl.d/99-x.conf")
	case !path.IsAbs(p):
		v.add(&pathRule, at, true, "the path "+short(p)+" does not begin with a slash", "write the whole path")
	case v.c.three && path.Clean(p) != p:
		v.add(&pathRule, at, true, "the path "+short(p)+" is not in its shortest form", "write "+path.Clean(p))
	}
}

func (v validator) filesystem(f file) {
	switch name := f.filesystem; {
	case v.c.three && name != nil:
		v.warn(&filesystemRule, f.at+".filesystem", "filesystem is not a field of specification 3", "remove it")
	case v.c.version == "": // which is told, and nothing follows from it
	case !v.c.three && value(name) == "":
		v.add(&filesystemRule, f.at+".filesystem", true, "filesystem is missing, which specification 2 demands",
			"write filesystem: root")
	case !v.c.three && *name != "root":
		v.warn(&filesystemRule, f.at+".filesystem",
			"filesystem "+short(*name)+" makes no difference: the operator knows one alone", "write filesystem: root")
	}
}

// The highest modes: with and without the setuid, setgid and sticky bits.
const (
	maxMode   = 0o7777
	plainMode = 0o777
)

func (v validator) modeRange(at string, mode *int64) bool {
	if mode == nil || *mode >= 0 && *mode <= maxMode {
		return true
	}
	v.add(&modeRule, at+".mode", true, fmt.Sprintf("mode %d is no mode of a file", *mode), "write 420, which is 0644")
	return false
}

func (v validator) mode(f file) {
	if !v.modeRange(f.at, f.mode) || value(f.mode) <= plainMode {
		return
	}
	refused, effect := plainModes.In(v.release), v.release.OpenShift()+" takes it"
	if refused {
		effect = "which " + v.release.OpenShift() + " refuses"
	}
	what := fmt.Sprintf("mode %d is 0%o, with the setuid, setgid or sticky bit; %s", *f.mode, *f.mode, effect)
	fix := "write 420, which is 0644"
	if meant, err := strconv.ParseInt(strconv.FormatInt(*f.mode, 10), 8, 64); err == nil && meant <= plainMode {
		fix = fmt.Sprintf("write %d, which is 0%o", meant, meant)
	}
	if !refused {
		v.warn(&modeRule, f.at+".mode", what, fix)
		return
	}
	v.add(&modeRule, f.at+".mode", true, what, fix)
}

// overwrite finds files without content. The operator sets overwrite for all, and
// then finds that there is nothing to write.
func (v validator) overwrite(f file) {
	switch {
	case !v.c.three && value(f.overwrite) && f.append:
		v.add(&appendRule, f.at, true, "a file is both overwritten and appended to", "remove append")
	case v.c.three && value(f.overwrite) && f.contents.source == nil:
		v.add(&noSourceRule, f.at, true, "a file is overwritten with no content",
			`write contents: {source: "data:,"} for an empty file`)
	case !f.append && (f.contents.source == nil || *f.contents.source == ""):
		v.add(&noSourceRule, f.at, false, "a file has no source: "+v.noSource(f),
			`write contents: {source: "data:,"} for an empty file`)
	}
}

func (v validator) noSource(f file) string {
	if byPath.In(v.release) && f.contents.source == nil && v.c.three {
		return "unless another MachineConfig has content for its path, the pool can't be rendered"
	}
	return "a running node can't write it and becomes degraded"
}

// remote are the schemes that Ignition fetches from at installation.
func (v validator) remote() []string {
	if v.c.three {
		return []string{"http", "https", "tftp", "s3", "gs", "arn"}
	}
	return []string{"http", "https", "tftp", "s3", "oem"}
}

func (v validator) source(f file) {
	s, at := value(f.contents.source), f.contents.at+".source"
	if s == "" {
		return
	}
	u, err := url.Parse(s)
	switch {
	case err != nil:
		v.add(&sourceRule, at, true, "the source is no URL: "+control(s),
			"write a data URL with everything but letters and digits percent-encoded")
	case u.Scheme == "data":
		if _, err := v.decode(&s, nil, false); err != nil {
			v.undecodable(at, s, err)
		}
	case slices.Contains(v.remote(), u.Scheme):
		v.add(&remoteRule, at, false, "the source "+short(s)+
			" is fetched at installation only: a running node can't, and becomes degraded", "write the content as a data URL")
	default:
		v.add(&sourceRule, at, true, "the source "+short(s)+" has a scheme that Ignition does not know", "write a data URL")
	}
}

func control(s string) string {
	if i := strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r == 0x7F }); i >= 0 {
		return character(s[i:]) + " stands in it"
	}
	return "its scheme or its percent signs are wrong"
}

func (v validator) undecodable(at, s string, err error) {
	what, fix := cutFix(err)
	if strings.Contains(s, " ") {
		v.add(&foldedRule, at, true, "the data URL holds a blank, as from a text that was wrapped over lines: "+what,
			"write the URL in one line without blanks; %20 stands for a blank")
		return
	}
	v.add(&sourceRule, at, true, "the data URL can't be decoded: "+what, fix)
}

// cutFix cuts "what (fix)" in two.
func cutFix(err error) (what, fix string) {
	what, fix, _ = strings.Cut(strings.TrimSuffix(err.Error(), ")"), " (")
	return what, fix
}

func (v validator) compression(f file) {
	kind := value(f.contents.compression)
	at := f.contents.at + ".compression"
	switch {
	case kind == "":
	case kind != "gzip":
		v.add(&compressionRule, at, true, "compression "+short(kind)+" is not known", "write gzip, or remove it")
	case !decompressed.In(v.release):
		v.add(&compressionRule, at, false, "a running node of "+v.release.OpenShift()+" writes the file compressed",
			"write the content without compression")
	default:
		v.gzip(at, f)
	}
}

// gzip looks whether content that can be decoded unfolds. Where there is too much of
// it, the nodes don't mind.
func (v validator) gzip(at string, f file) {
	source := value(f.contents.source)
	if _, err := v.decode(&source, nil, false); err != nil {
		return
	}
	if _, err := v.decode(&source, f.contents.compression, true); err != nil && !errors.Is(err, errUnfolded) {
		v.add(&compressionRule, at, false, "the content is not gzip: "+err.Error(), "compress it, or remove compression")
	}
}

// hash checks the form of a checksum, not the sum.
func (v validator) hash(c contents) {
	if c.hash == nil {
		return
	}
	kind, sum, _ := strings.Cut(*c.hash, "-")
	digits := map[string]int{"sha512": 128}
	if v.c.three && v.c.version != firstThree {
		digits["sha256"] = 64
	}
	switch {
	case digits[kind] == 0 || len(sum) != digits[kind]:
		v.add(&hashRule, c.at+".verification.hash", true, "the hash "+short(*c.hash)+
			" is not of the form that Ignition knows", "write sha512- and 128 hexadecimal digits, or remove it")
	case v.c.three && c.source == nil:
		v.add(&hashRule, c.at+".verification.hash", true, "a hash is given for no source", "remove it")
	}
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
