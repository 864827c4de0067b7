// Package dump reads the objects of a cluster that were written into files: by "oc adm must-gather" or
// "oc adm inspect", as a directory or an archive of it, or by "kubectl get KINDS -A -o json".
//
// It hands them on one by one as they stand there. It keeps none, and does not know what pods and nodes come
// to: package kube does.
//
//	r := dump.Reader{Take: func(o dump.Object) { ... }}
//	err := r.Dir(root.FS(), "must-gather.local")
package dump

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/source/files"
	"plimsoll.dev/unit"
)

// bounds of a dump: tens of thousands of files, of which each list of a namespace may be long.
var bounds = files.Options{MaxFile: 256 * unit.MiB, MaxTotal: 16 * unit.GiB, MaxFiles: 1_000_000,
	Large: "write its namespace with 'kubectl get KINDS -n NAMESPACE -o json'"}

// Reader reads dumps. The zero value but for Take is ready.
type Reader struct {
	// Take gets each object once, whatever the number of files that it stands in.
	Take func(o Object)
	// Want says of a file's path whether it is read; nil wants all.
	Want func(path string) bool
	// Passed are files that were not read, and why.
	Passed []v1alpha1.Skipped

	known map[string]bool
	bad   yamlpos.Problems
	late  []v1alpha1.Skipped // files that were opened, and could not be read
}

// Object is one, as JSON, and what it is known by.
type Object struct {
	APIVersion, Kind, Namespace, Name string
	// JSON is all of it; it must not be changed.
	JSON []byte
}

// Fields are all of it, as encoding/json decodes them.
func (o Object) Fields() (out map[string]any) {
	_ = json.Unmarshal(o.JSON, &out) // it was encoded here
	return out
}

// Dir reads all manifests below a directory; dir is how people know it. Links are not followed.
func (r *Reader) Dir(fsys fs.FS, dir string) error {
	return r.all(func(take func(string, []byte)) { files.Each(fsys, []string{"."}, r.options(dir), r, take) })
}

// Archive reads all manifests in a tar, packed or not, that people know by its name.
func (r *Reader) Archive(in io.Reader, name string) error {
	return r.all(func(take func(string, []byte)) { files.Archive(in, r.options(name), r, take) })
}

func (r *Reader) options(dir string) files.Options {
	out := bounds
	out.Dir, out.Want = dir, r.Want
	return out
}

func (r *Reader) err() error {
	if len(r.bad) > 0 {
		return r.bad
	}
	return nil
}

// manifest are the names of files that are read.
var manifest = regexp.MustCompile(`(?i)\.(ya?ml|json)$`)

// maxStream is more than what kubectl writes of any cluster.
const maxStream = 8 * unit.GiB

// Stream reads what kubectl wrote, as JSON, item by item; several lists may stand one behind the other.
func (r *Reader) Stream(in io.Reader) error {
	d := json.NewDecoder(io.LimitReader(in, int64(maxStream)))
	for n := 0; ; n++ {
		err := r.value(d)
		switch {
		case errors.Is(err, io.EOF) && n > 0:
			return nil
		case errors.Is(err, io.EOF):
			err = errors.New("it is empty")
		}
		if err != nil {
			return fmt.Errorf("%w (write it with 'kubectl get KINDS -A -o json')", err)
		}
	}
}

// value reads an object. The items of a list are decoded by themselves, for a list of a whole cluster is
// long.
func (r *Reader) value(d *json.Decoder) error {
	if err := expect(d, json.Delim('{')); err != nil {
		return err
	}
	rest := map[string]any{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		if key == "items" {
			if err := r.items(d); err != nil {
				return err
			}
			continue
		}
		var v any
		if err := d.Decode(&v); err != nil {
			return err
		}
		rest[fmt.Sprint(key)] = v
	}
	if _, err := d.Token(); err != nil {
		return err
	}
	r.object(rest) // a list has no name
	return nil
}

func (r *Reader) items(d *json.Decoder) error {
	if err := expect(d, json.Delim('[')); err != nil {
		return err
	}
	for d.More() {
		var o map[string]any
		if err := d.Decode(&o); err != nil {
			return err
		}
		r.object(o)
	}
	_, err := d.Token()
	return err
}

func expect(d *json.Decoder, want json.Delim) error {
	token, err := d.Token()
	if err == nil && token != want {
		err = fmt.Errorf("%v stands where a list of objects is expected", token)
	}
	return err
}

// object hands an object on that has not been seen.
func (r *Reader) object(o map[string]any) {
	if one, ok := encoded(o); ok {
		r.hand(one)
	}
}

// hand an object on that has not been seen.
func (r *Reader) hand(o Object) {
	if key := o.key(); !r.known[key] {
		if r.known == nil {
			r.known = map[string]bool{}
		}
		r.known[key] = true
		r.Take(o)
	}
}

// key tells objects apart.
func (o Object) key() string { return o.APIVersion + "/" + o.Kind + "/" + o.Namespace + "/" + o.Name }

// Bad takes what makes the dump unreadable.
func (r *Reader) Bad(file, what, fix string) {
	r.bad.Add(yamlpos.Problem{File: file, Line: 1, Col: 1, What: what, Fix: fix})
}

// Pass takes a file that is passed over, and no links to others than manifests, of which a dump is full.
func (r *Reader) Pass(file, what, why string) {
	if strings.HasPrefix(what, "symbolic link ") && !manifest.MatchString(file) {
		return
	}
	r.Passed = append(r.Passed, v1alpha1.Skipped{What: what, Why: why, Place: file})
}
