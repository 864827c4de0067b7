package prom

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	slashpath "path"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/audit"
	"plimsoll.dev/source/files"
	"plimsoll.dev/unit"
)

// Gathered is what a must-gather says of etcd: what etcdctl printed as JSON.
type Gathered struct {
	status  []endpointStatus
	members *memberList
	alarms  *alarmList
	bad     []string
}

// The files of the directory etcd_info. Source: openshift/must-gather, collection-scripts/gather_etcd.
type (
	endpointStatus struct {
		Endpoint string
		Status   struct {
			Header struct {
				Member number `json:"member_id"`
			}
			Leader  number
			Size    number `json:"dbSize"`
			InUse   number `json:"dbSizeInUse"`
			Quota   number `json:"dbSizeQuota"`
			Version string
		}
	}
	memberList struct {
		Header  json.RawMessage
		Members []struct {
			ID         number
			Name       string
			ClientURLs []string
		}
	}
	alarmList struct {
		Header json.RawMessage
		Alarms []struct {
			Member number `json:"memberID"`
			Alarm  json.RawMessage
		}
	}
)

// number is written as one, or as text.
type number uint64

func (n *number) UnmarshalJSON(text []byte) error {
	v, err := strconv.ParseUint(strings.Trim(string(text), `"`), 10, 64)
	*n = number(v)
	return err
}

// alarmNames are etcd's, which etcdctl prints as numbers.
var alarmNames = map[string]string{"1": "NOSPACE", "2": "CORRUPT"}

// etcdInfo is the directory, whose files are short.
const etcdInfo = "etcd_info"

func (g *Gathered) options(dir string) files.Options {
	return files.Options{Dir: dir, MaxFile: unit.MiB, MaxTotal: 16 * unit.GiB, MaxFiles: 100, Large: "leave it out",
		Want: func(path string) bool { return slashpath.Base(slashpath.Dir(path)) == etcdInfo }}
}

// Dir reads the directory of a must-gather.
func (g *Gathered) Dir(fsys fs.FS, dir string) {
	files.Each(fsys, []string{"."}, g.options(dir), g, g.file)
}

// Archive reads a must-gather in a tar.
func (g *Gathered) Archive(in io.Reader, name string) { files.Archive(in, g.options(name), g, g.file) }

// Bad takes a file that can't be read: what it says is not seen.
func (g *Gathered) Bad(file, what, _ string) { g.bad = append(g.bad, file+": "+what) }

// Pass takes what is passed over.
func (g *Gathered) Pass(string, string, string) {}

func (g *Gathered) file(name string, text []byte) {
	var err error
	switch slashpath.Base(name) {
	case "endpoint_status.json":
		err = read(text, &g.status)
	case "member_list.json":
		var list memberList
		if err = read(text, &list); err == nil && list.Header != nil {
			g.members = &list
		}
	case "alarm_list.json":
		var list alarmList
		if err = read(text, &list); err == nil && list.Header != nil {
			g.alarms = &list
		}
	}
	if err != nil {
		g.Bad(name, "it is not what etcdctl prints: "+err.Error(), "")
	}
}

// read a file, whole or not at all.
func read[T any](text []byte, into *T) error {
	var v T
	err := json.Unmarshal(text, &v)
	if err == nil {
		*into = v
	}
	return err
}

// Onto adds what was gathered to what was measured, which may be nothing. Of sizes what was measured counts.
func (g *Gathered) Onto(e *audit.Etcd, source string) *audit.Etcd {
	if len(g.status) == 0 && g.members == nil && g.alarms == nil {
		return e
	}
	if e == nil || e.Unread != "" {
		why := audit.NoMetrics
		if e != nil {
			why = e.Unread
		}
		e = g.sizes(source, why)
	}
	if g.members != nil {
		for _, m := range g.members.Members {
			e.Named = append(e.Named, m.Name)
		}
	}
	switch {
	case g.alarms == nil && len(e.Alarms) == 0:
		e.NoAlarms = strings.Join(append([]string{"there is no " + etcdInfo + "/alarm_list.json"}, g.bad...), "; ")
	case g.alarms != nil:
		e.NoAlarms = ""
		for _, a := range g.alarms.Alarms {
			kind := strings.Trim(string(a.Alarm), `"`)
			if name, ok := alarmNames[kind]; ok {
				kind = name
			}
			e.Alarms = append(e.Alarms, kind+" of "+g.name(a.Member, ""))
		}
		slices.Sort(e.Alarms)
		e.Alarms = slices.Compact(e.Alarms)
	}
	return e
}

// sizes are what the members say of themselves, where there are no metrics.
func (g *Gathered) sizes(source, why string) *audit.Etcd {
	no := audit.Figure{Why: why}
	latency := audit.Latency{Why: why}
	e := &audit.Etcd{Source: source, NoKinds: why}
	for _, s := range g.status {
		m := audit.EtcdMember{Name: g.name(s.Status.Header.Member, s.Endpoint), Quota: no, InUse: no, HourLeader: no,
			Changes: no, Size: audit.Of(float64(s.Status.Size)), Leader: audit.Of(float64(min(1, s.Status.Leader))),
			Leads: s.Status.Leader != 0 && s.Status.Leader == s.Status.Header.Member,
			Fsync: latency, Commit: latency, Peers: []audit.Latency{latency}}
		if s.Status.InUse > 0 {
			m.InUse = audit.Of(float64(s.Status.InUse))
		}
		if s.Status.Quota > 0 {
			m.Quota = audit.Of(float64(s.Status.Quota))
		}
		e.Members = append(e.Members, m)
	}
	if len(e.Members) == 0 {
		e.Unread = why
	}
	e.Sort()
	return e
}

// name of a member by its id, or else the host of its address.
func (g *Gathered) name(id number, endpoint string) string {
	if g.members != nil {
		for _, m := range g.members.Members {
			if m.ID == id && m.Name != "" || endpoint != "" && slices.Contains(m.ClientURLs, endpoint) {
				return m.Name
			}
		}
	}
	if u, err := url.Parse(endpoint); err == nil && u.Host != "" {
		return u.Hostname()
	}
	return fmt.Sprintf("%x", uint64(id))
}
