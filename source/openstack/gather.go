package openstack

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"
	"time"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/unit"
)

// KindSnapshot is the kind of a file that holds all exports of a cloud.
const KindSnapshot = "OpenStackSnapshot"

// notGiven is why an export was not seen, as an audit tells those of several together.
const notGiven = "there is none in what was given"

// Take is given each row of an export, with the columns that are kept.
type Take func(e *Export, row map[string]any)

// ReadDir reads the exports that are in a directory; dir is its name for places. What is not there is not seen.
//
// The error is a [yamlpos.Problems] with all that is wrong in all files, or what reading failed with.
func ReadDir(files fs.FS, dir string, take Take) (v1alpha1.Seen, error) {
	seen := v1alpha1.Seen{APIVersion: v1alpha1.APIVersion, Kind: v1alpha1.KindSeen}
	var bad yamlpos.Problems
	for i := range Exports {
		e := &Exports[i]
		name := e.Name + ".json"
		f, err := files.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			seen.NotSeen = append(seen.NotSeen, v1alpha1.NotSeen{What: e.Name, Why: notGiven})
			continue
		}
		if err != nil {
			return seen, err
		}
		written, err := e.read(f, path.Join(dir, name), take)
		f.Close()
		var wrong yamlpos.Problems
		switch {
		case errors.As(err, &wrong):
			bad = append(bad, wrong...)
		case err != nil:
			return seen, err
		}
		seen.Read = append(seen.Read, e.Name)
		if written.After(time.Time{}) {
			seen.Taken = max(seen.Taken, written.UTC().Format(time.RFC3339))
		}
	}
	switch {
	case len(bad) > 0:
		return seen, bad
	case len(seen.Read) == 0:
		return seen, fmt.Errorf("%s: it has no export of a cloud, such as %s.json (%s)", dir, Exports[0].Name,
			Exports[0].Command)
	}
	return seen, nil
}

// read an export, and say when it was written.
func (e *Export) read(f fs.File, name string, take Take) (written time.Time, err error) {
	if info, err := f.Stat(); err != nil {
		return written, err
	} else if !info.Mode().IsRegular() {
		return written, fmt.Errorf("%s: is no regular file", name)
	} else {
		written = info.ModTime()
	}
	list := e.list
	if list == "" {
		list = e.Name
	}
	t, err := readTable(f, name, list, func(t *table, row *yamlpos.Node) {
		made := []map[string]any{}
		if e.rows != nil {
			made = e.rows(t, row)
		} else {
			made = append(made, e.cut(t, row))
		}
		for _, m := range made {
			take(e, m)
		}
	})
	if err == nil {
		err = t.err()
	}
	return written, err
}

// ReadSnapshot reads a file that holds all exports of a cloud, as [WriteSnapshot] writes it. Columns that none knows
// are left out.
func ReadSnapshot(r io.Reader, name string, take Take) (seen v1alpha1.Seen, err error) {
	text, err := io.ReadAll(io.LimitReader(r, int64(maxSize)+1))
	if err == nil && unit.Bytes(len(text)) > maxSize {
		err = fmt.Errorf("it is too large: at most %s are read", unit.FormatBytes(maxSize))
	}
	var lists map[string]json.RawMessage
	if err == nil {
		err = json.Unmarshal(text, &lists)
	}
	if err == nil && string(lists["kind"]) != strconv.Quote(KindSnapshot) {
		err = errors.New("it is no snapshot of a cloud; a directory of what the openstack client wrote is given as it is")
	}
	if err == nil && json.Unmarshal(lists["seen"], &seen) != nil {
		err = errors.New("it does not say what was seen (seen): write it with plimsoll snapshot --openstack")
	}
	for i := range Exports {
		e := &Exports[i]
		var rows []map[string]any
		if list := lists[e.Name]; err == nil && list != nil && json.Unmarshal(list, &rows) != nil {
			err = fmt.Errorf("%s is no list of rows", e.Name)
		}
		for n, row := range rows {
			known, fault := e.known(row)
			if fault != "" {
				err = errors.Join(err, fmt.Errorf("%s[%d]: %s (as plimsoll snapshot --openstack writes it)", e.Name, n, fault))
				break
			}
			take(e, known)
		}
	}
	if err != nil {
		return seen, fmt.Errorf("%s: %w", name, err)
	}
	return seen, nil
}

// known are the columns of a row that are kept; fault says why it is none.
func (e *Export) known(row map[string]any) (out map[string]any, fault string) {
	out = map[string]any{}
	for _, c := range e.columns {
		v, ok := row[c.name]
		if !ok || v == nil {
			continue
		}
		if fault = c.wrong(v); fault != "" {
			return nil, fault
		}
		out[c.name] = v
	}
	if len(out) == 0 && len(row) > 0 {
		return nil, "it has no column of " + e.Name
	}
	return out, ""
}

// WriteSnapshot writes all exports of a cloud as one file: as a workload's flavorFile, imageFile and serverFile it
// says what the single files do.
func WriteSnapshot(w io.Writer, seen v1alpha1.Seen, rows map[string][]map[string]any) error {
	file := map[string]any{"apiVersion": v1alpha1.APIVersion, "kind": KindSnapshot, "seen": seen}
	for _, name := range seen.Read {
		file[name] = []any{}
	}
	for name, list := range rows {
		file[name] = list
	}
	return json.NewEncoder(w).Encode(file)
}
