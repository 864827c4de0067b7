package openstack

import (
	"fmt"
	"io"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/yamlpos"
)

// mostServers is the number of servers that are told one by one.
const mostServers = 5000

// ReadServers reads what "openstack server list --all-projects --long -f json"
// wrote; name is the file's name for places. Servers run on the hosts that the
// list names; those without one are still to be placed. A server that boots from
// an image has its disk on its host.
//
// The error is a [yamlpos.Problems], or what r failed with.
func ReadServers(r io.Reader, name string) ([]v1alpha1.Server, []v1alpha1.Skipped, error) {
	s := &servers{reasons: map[string]int{}}
	t, err := readTable(r, name, "servers", func(t *table, row *yamlpos.Node) {
		s.table = t
		s.read(row)
	})
	if err == nil {
		err = t.err()
	}
	if err != nil {
		return nil, nil, err
	}
	if len(s.list) > mostServers {
		return s.grouped(), s.skipped, nil
	}
	return s.single(), s.skipped, nil
}

// servers are being read.
type servers struct {
	*table
	list    []v1alpha1.Server
	ids     []string
	skipped []v1alpha1.Skipped
	reasons map[string]int // index in skipped
}

// hostColumns are the names of the host, the one that Nova's scheduler knows first.
var hostColumns = []string{"host", "osextsrvattrhost", "osextsrvattrhypervisorhostname", "hypervisorhostname"}

// named is a text; old clients write None where there is none.
func named(row *yamlpos.Node, columns ...string) string {
	if s := text(cell(row, columns...)); s != "None" {
		return s
	}
	return ""
}

// read takes a row as a server, or says why not.
func (s *servers) read(row *yamlpos.Node) {
	made := v1alpha1.Server{
		Name: text(cell(row, "name")), Count: 1, Flavor: flavorName(row),
		Host: named(row, hostColumns...),
	}
	id := text(cell(row, "id"))
	if made.Name == "" {
		made.Name = id
	}
	status := strings.ToUpper(text(cell(row, "status")))
	switch {
	case made.Name == "":
		s.at(row, "the server has no name", "a column Name")
	case status == "DELETED" || status == "SHELVED_OFFLOADED":
		s.skip(row, made.Name, "status "+status+": it holds nothing on a host")
	case status == "UNKNOWN" && made.Flavor == "":
		s.skip(row, made.Name, "status UNKNOWN: its cell was down, and its flavor is not told")
	case status == "ERROR" && made.Host == "":
		s.skip(row, made.Name, "status ERROR: it never found a host")
	case made.Flavor == "":
		s.at(row, "server "+yamlpos.Quote(made.Name)+" has no flavor", "a column Flavor Name or Flavor; list with --long")
	default:
		made.AvailabilityZone = zone(row)
		made.Image, made.BootFrom = bootImage(row)
		if status == "ERROR" {
			s.skip(row, made.Name, inError)
			s.skipped[s.reasons[inError]].Needed = true
		}
		s.list, s.ids = append(s.list, made), append(s.ids, id)
		if len(s.list) == 1 && !has(row, hostColumns...) {
			s.skip(row, "the servers' hosts", "there is no column Host (list with --long, as an administrator)")
		}
	}
}

// inError is said of servers in ERROR that have a host: Nova counts them there.
const inError = "status ERROR: it counts as if it ran, with all that its flavor asks of its host"

// skip counts what is left out or is otherwise than it seems, by reason.
func (s *servers) skip(row *yamlpos.Node, what, why string) {
	if i, ok := s.reasons[why]; ok {
		s.skipped[i].What = "servers"
		s.skipped[i].Count = max(1, s.skipped[i].Count) + 1
		return
	}
	if strings.HasPrefix(why, "status") {
		what = "server " + what
	}
	s.reasons[why] = len(s.skipped)
	s.skipped = append(s.skipped, v1alpha1.Skipped{Place: s.place(row), What: what, Why: why})
}

// flavorName is a column of the name or, of what services answer, a mapping that
// holds it. An id stands in for a name that could not be looked up.
func flavorName(row *yamlpos.Node) string {
	n := cell(row, "flavorname", "flavor", "flavorid")
	if n != nil && n.Kind == yamlpos.Map {
		return text(cell(n, "originalname", "name", "id"))
	}
	return text(n)
}

// bootImage is the image's name, and what the server boots from. A server that
// boots from a volume has no image.
func bootImage(row *yamlpos.Node) (image, from string) {
	n := cell(row, "imagename", "image", "imageid")
	if n != nil && n.Kind == yamlpos.Map {
		n = cell(n, "name", "id")
	}
	image = text(n)
	if image == "" || image == "None" || strings.HasPrefix(image, "N/A") {
		return "", "volume"
	}
	return image, "image"
}

// zone is the availability zone that the server asked for, where the list tells
// it, and else the one that it runs in.
func zone(row *yamlpos.Node) string {
	columns := []string{"availabilityzone", "osextazavailabilityzone"}
	if has(row, "pinnedavailabilityzone") {
		columns = []string{"pinnedavailabilityzone"}
	}
	if z := named(row, columns...); z != "nova" {
		return z
	}
	return ""
}

// single are the servers one by one, each with a name of its own.
func (s *servers) single() []v1alpha1.Server {
	count, taken := map[string]int{}, map[string]bool{}
	for _, v := range s.list {
		count[v.Name]++
		taken[v.Name] = true
	}
	for i := range s.list {
		v := &s.list[i]
		if count[v.Name] > 1 {
			v.Name = unused(taken, strings.TrimSuffix(v.Name+"-"+firstRunes(s.ids[i], 8), "-"))
		}
	}
	return s.list
}

// unused is the name, with a number behind it where it is taken.
func unused(taken map[string]bool, name string) string {
	out := name
	for n := 2; taken[out]; n++ {
		out = fmt.Sprintf("%s-%d", name, n)
	}
	taken[out] = true
	return out
}

func firstRunes(s string, n int) string {
	r := []rune(s)
	return string(r[:min(n, len(r))])
}

// grouped puts equal servers together, in the order of the first of each kind.
func (s *servers) grouped() []v1alpha1.Server {
	type kind struct{ flavor, host, zone, image, from string }
	var out []v1alpha1.Server
	index, taken := map[kind]int{}, map[string]bool{}
	for _, v := range s.list {
		k := kind{v.Flavor, v.Host, v.AvailabilityZone, v.Image, v.BootFrom}
		if i, ok := index[k]; ok {
			out[i].Count++
			continue
		}
		index[k] = len(out)
		name := v.Flavor
		if v.Host != "" {
			name += " on " + v.Host
		}
		v.Name = unused(taken, name)
		out = append(out, v)
	}
	return out
}
