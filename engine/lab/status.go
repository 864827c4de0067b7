package lab

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"sigs.k8s.io/yaml"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/tune/cell"
	"plimsoll.dev/unit"
)

// Status is how a laboratory is.
type Status struct {
	// Dir is its folder.
	Dir string `json:"dir"`
	// State is absent, stopped, starting or ready.
	State string `json:"state"`
	PID   int    `json:"pid,omitempty"`
	// Kubeconfig is the path of the file for clients.
	Kubeconfig string `json:"kubeconfig,omitempty"`
	Profile    string `json:"profile,omitempty"`
	// Age is the time since it was ready, in seconds; StartSeconds how long that took.
	Age          float64 `json:"ageSeconds,omitempty"`
	StartSeconds float64 `json:"startSeconds,omitempty"`
	// Memory of the process that is resident, in bytes; 0 where the system does not say.
	Memory unit.Bytes `json:"memory,omitempty"`
	// Nodes and Pods by what kubectl shows as their status.
	Nodes map[string]int `json:"nodes,omitempty"`
	Pods  map[string]int `json:"pods,omitempty"`
}

// The states.
const (
	Absent   = "absent"
	Stopped  = "stopped"
	Starting = "starting"
	Ready    = "ready"
)

// Status asks the laboratory how it is.
func (f Folder) Status(ctx context.Context, now time.Time) (*Status, error) {
	s := &Status{Dir: f.Dir, State: Absent}
	if !f.Kept() {
		return s, nil
	}
	config, err := f.Config()
	if err != nil {
		return nil, err
	}
	s.State, s.Profile = Stopped, config.Profile
	r, running := f.Running()
	if !running {
		return s, nil
	}
	s.State, s.PID, s.Memory = Starting, r.PID, resident(r.PID)
	if r.Port == 0 {
		return s, nil
	}
	s.State, s.Kubeconfig = Ready, f.Path(Kubeconfig)
	s.Age, s.StartSeconds = now.Sub(r.Since).Seconds(), r.Seconds
	c, err := newClient(s.Kubeconfig)
	if err != nil {
		return nil, err
	}
	defer c.http.CloseIdleConnections()
	if s.Nodes, err = c.statuses(ctx, "/api/v1/nodes"); err != nil {
		return nil, err
	}
	s.Pods, err = c.statuses(ctx, "/api/v1/pods")
	return s, err
}

// client asks the API of a kubeconfig that a laboratory wrote.
type client struct {
	http          *http.Client
	server, token string
}

func newClient(kubeconfig string) (*client, error) {
	text, err := os.ReadFile(kubeconfig)
	if err != nil {
		return nil, err
	}
	var k struct {
		Clusters []struct {
			Cluster struct {
				Server string `json:"server"`
				CA     []byte `json:"certificate-authority-data"`
			} `json:"cluster"`
		} `json:"clusters"`
		Users []struct {
			User struct {
				Token string `json:"token"`
			} `json:"user"`
		} `json:"users"`
	}
	if err := yaml.Unmarshal(text, &k); err != nil {
		return nil, fmt.Errorf("%s: %w", kubeconfig, err)
	}
	if len(k.Clusters) != 1 || len(k.Users) != 1 {
		return nil, fmt.Errorf("%s: is not what a laboratory writes", kubeconfig)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(k.Clusters[0].Cluster.CA)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS13}}
	return &client{http: &http.Client{Transport: transport, Timeout: time.Minute}, server: k.Clusters[0].Cluster.Server,
		token: k.Users[0].User.Token}, nil
}

// statuses counts objects by the column Status of the table that kubectl shows; such a
// table is a twentieth of the objects.
func (c *client) statuses(ctx context.Context, path string) (map[string]int, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.server+path+"?includeObject=None&resourceVersion=0", nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io")
	r.Header.Set("Authorization", "Bearer "+c.token)
	answer, err := c.http.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		said, _ := io.ReadAll(io.LimitReader(answer.Body, 1<<10))
		return nil, fmt.Errorf("%s: %s: %s", path, answer.Status, strings.TrimSpace(string(said)))
	}
	var t struct {
		Columns []struct {
			Name string `json:"name"`
		} `json:"columnDefinitions"`
		Rows []struct {
			Cells []any `json:"cells"`
		} `json:"rows"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&t); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	at := slices.IndexFunc(t.Columns, func(c struct {
		Name string `json:"name"`
	}) bool {
		return c.Name == "Status"
	})
	if at < 0 {
		return nil, errors.New(path + ": the table has no column Status")
	}
	out := map[string]int{}
	for _, row := range t.Rows {
		if at < len(row.Cells) {
			out[fmt.Sprint(row.Cells[at])]++
		}
	}
	return out, nil
}

// resident is the memory of a process (proc(5), VmRSS).
func resident(pid int) unit.Bytes {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, is := strings.CutPrefix(line, "VmRSS:"); is {
			n, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			return unit.Bytes(n) * unit.KiB
		}
	}
	return 0
}

// Answer is the status for people and programs; it is good where the laboratory is ready
// and all its nodes are.
func (s *Status) Answer() *v1alpha1.Answer {
	a := &v1alpha1.Answer{APIVersion: v1alpha1.APIVersion, Kind: "LabStatus", Title: "Laboratory in " + s.Dir, Result: s,
		Findings: []v1alpha1.Finding{}}
	nodes, pods := total(s.Nodes), total(s.Pods)
	good := s.Nodes["Ready"]
	switch s.State {
	case Absent:
		a.Verdict.Summary = "There is none; \"plimsoll lab up\" starts one."
	case Stopped:
		a.Verdict.Summary = "It is stopped, with its data; \"plimsoll lab up\" starts it again."
	case Starting:
		a.Verdict.Summary = "It is starting."
	default:
		a.Verdict.OK = good == nodes
		a.Verdict.Summary = fmt.Sprintf("%s of %s ready, %d of %s running.", words.Number(good), words.Count(nodes, "node"),
			s.Pods["Running"], words.Count(pods, "pod"))
	}
	if s.State == Ready && good < nodes {
		a.Verdict.Problem = fmt.Sprintf("%s not ready", words.Count(nodes-good, "node is", "nodes are"))
	}
	a.Parts = []v1alpha1.Part{{Title: "Process", Tables: []v1alpha1.Table{s.process()}},
		{Title: "Nodes", Tables: []v1alpha1.Table{counts("nodes", s.Nodes)}},
		{Title: "Pods", Tables: []v1alpha1.Table{counts("pods", s.Pods)}}}
	return a
}

func (s *Status) process() v1alpha1.Table {
	t := v1alpha1.Table{ID: "process", Columns: cell.Columns("what", "value")}
	row := func(what, value string) {
		if value != "" && value != "0" {
			t.Rows = append(t.Rows, cell.Texts(what, value))
		}
	}
	row("state", s.State)
	row("profile", s.Profile)
	row("process", strconv.Itoa(s.PID))
	if s.Memory > 0 {
		row("memory", unit.FormatBytes(s.Memory))
	}
	if s.State == Ready {
		row("age", unit.Format(s.Age, unit.Seconds))
		row("was ready after", unit.Format(s.StartSeconds, unit.Seconds))
	}
	row("kubeconfig", s.Kubeconfig)
	return t
}

// counts are numbers by status, the largest first.
func counts(id string, by map[string]int) v1alpha1.Table {
	t := v1alpha1.Table{ID: id, Columns: cell.Columns("status", ">"+id)}
	names := slices.SortedFunc(maps.Keys(by), func(a, b string) int {
		return cmp.Or(cmp.Compare(by[b], by[a]), cmp.Compare(a, b))
	})
	for _, name := range names {
		t.Rows = append(t.Rows, append(cell.Texts(name), cell.Count(by[name])))
	}
	return t
}

func total(by map[string]int) int {
	n := 0
	for _, v := range by {
		n += v
	}
	return n
}
