package facts_test

import (
	"strconv"
	"strings"
	"testing"

	"plimsoll.dev/facts"
)

// The tables below are transcribed from the documents once more, as they are
// printed there; the tests compare them with the catalogue cell by cell.

// table splits a transcribed table into trimmed rows of trimmed cells.
func table(text string) [][]string {
	var rows [][]string
	for line := range strings.Lines(strings.TrimSpace(text)) {
		row := strings.Split(line, "|")
		for i := range row {
			row[i] = strings.TrimSpace(row[i])
		}
		rows = append(rows, row)
	}
	return rows
}

// number reads the number that a cell starts with: "10,000 (Default ...", "6.3 GB".
func number(t *testing.T, cell string) float64 {
	t.Helper()
	first := strings.Fields(cell)[0]
	n, err := strconv.ParseFloat(strings.ReplaceAll(first, ",", ""), 64)
	if err != nil {
		t.Fatalf("cell %q: %v", cell, err)
	}
	return n
}

// check compares a fact with a transcribed number.
func check(t *testing.T, id string, want float64) {
	t.Helper()
	f, ok := facts.Load().Get(id)
	if !ok {
		t.Errorf("no fact %s", id)
	} else if f.Number != want || f.Text != "" {
		t.Errorf("%s is %v %q, the document says %v", id, f.Number, f.Text, want)
	}
}

func checkText(t *testing.T, id, want string) {
	t.Helper()
	f, ok := facts.Load().Get(id)
	if !ok {
		t.Errorf("no fact %s", id)
	} else if f.Text != want {
		t.Errorf("%s is %q (%v), the document says %q", id, f.Text, f.Number, want)
	}
}

const maximumsMajor = `
	nodes | 2,000 | 2,000
	pods | 150,000 | 150,000
	podsPerNode | 250 | 500
	podsPerCore | There is no default value. | There is no default value.
	namespaces | 10,000 | 10,000
	builds | 10,000 (Default pod RAM 512 Mi) - Pipeline Strategy | 10,000 (Default pod RAM 512 Mi) - Source-to-Image (S2I) build strategy
	podsPerNamespace | 25,000 | 25,000
	services | 10,000 | 10,000
	servicesPerNamespace | 5,000 | 5,000
	backendsPerService | 5,000 | 5,000
	deploymentsPerNamespace | 2,000 | 2,000`

const maximumsMinor = `
	nodes | 2,000 | 2,000 | 2,000 | 250
	pods | 150,000 | 150,000 | 150,000 | 62,500
	podsPerNode | 250 | 250 | 500 | 500
	podsPerCore | There is no default value. | There is no default value. | There is no default value. | There is no default value.
	namespaces | 10,000 | 10,000 | 10,000 | 10,000
	builds | 10,000 (Default pod RAM 512 Mi) - Pipeline Strategy | 10,000 (Default pod RAM 512 Mi) - Pipeline Strategy | 10,000 (Default pod RAM 512 Mi) - Source-to-Image (S2I) build strategy | 10,000 (Default pod RAM 512 Mi) - Source-to-Image (S2I) build strategy
	podsPerNamespace | 25,000 | 25,000 | 25,000 | 25,000
	services | 10,000 | 10,000 | 10,000 | 10,000
	servicesPerNamespace | 5,000 | 5,000 | 5,000 | 5,000
	backendsPerService | 5,000 | 5,000 | 5,000 | 5,000
	deploymentsPerNamespace | 2,000 | 2,000 | 2,000 | 2,000`

func TestMaximums(t *testing.T) {
	for _, c := range []struct {
		section, text string
		releases      []string
	}{
		{"9.1", maximumsMajor, []string{"3.x", "4.x"}},
		{"9.2", maximumsMinor, []string{"4.1", "4.2", "4.3", "4.4"}},
	} {
		for _, row := range table(c.text) {
			for i, release := range c.releases {
				id := "ocp.max." + row[0] + "/" + release
				if row[0] == "podsPerCore" {
					checkText(t, id, "no default value")
				} else {
					check(t, id, number(t, row[i+1]))
				}
				f, _ := facts.Load().Get(id)
				if f.Source.String() != "OCP "+c.section || f.Kind != "tested" {
					t.Errorf("%s: source %s, kind %s", id, f.Source, f.Kind)
				}
				if row[0] == "builds" {
					strategy := strings.Fields(strings.SplitN(row[i+1], " - ", 2)[1])[0]
					checkText(t, "ocp.max.buildStrategy/"+release, strategy)
				}
			}
		}
	}
}

func TestControlPlane(t *testing.T) {
	for _, row := range table("25 | 4 | 16\n100 | 8 | 32\n250 | 16 | 96") {
		check(t, "ocp.controlPlane.cores/"+row[0], number(t, row[1])*1000)
		check(t, "ocp.controlPlane.memory/"+row[0], number(t, row[2])*1e9)
	}
}

func TestPrometheus(t *testing.T) {
	for _, row := range table(`
		50 | 1800 | 6.3 GB | 94 GB | 6 GB | 16 MB
		100 | 3600 | 13 GB | 195 GB | 10 GB | 26 MB
		150 | 5400 | 19 GB | 283 GB | 12 GB | 36 MB
		200 | 7200 | 25 GB | 375 GB | 14 GB | 46 MB`) {
		check(t, "ocp.prometheus.pods/"+row[0], number(t, row[1]))
		check(t, "ocp.prometheus.storagePerDay/"+row[0], number(t, row[2])*1e9)
		check(t, "ocp.prometheus.storagePer15Days/"+row[0], number(t, row[3])*1e9)
		check(t, "ocp.prometheus.ram/"+row[0], number(t, row[4])*1e9)
		check(t, "ocp.prometheus.networkPerChunk/"+row[0], number(t, row[5])*1e6)
	}
}

func TestRouterTables(t *testing.T) {
	for _, c := range []struct {
		prefix, text string
		columns      []string
	}{
		{"ocp.router.requests", `
			none | keep-alive | 21515 | 29622
			edge | keep-alive | 16743 | 22913
			passthrough | keep-alive | 36786 | 53295
			re-encrypt | keep-alive | 21583 | 25198
			none | close | 5719 | 8273
			edge | close | 2729 | 4069
			passthrough | close | 4121 | 5344
			re-encrypt | close | 2320 | 2941`, []string{"LoadBalancerService", "HostNetwork"}},
		{"rout.router.requests", `
			none | keep-alive | 23681 | 24327
			edge | keep-alive | 14981 | 22768
			passthrough | keep-alive | 34358 | 34331
			re-encrypt | keep-alive | 13288 | 24605
			none | close | 3245 | 4527
			edge | close | 1910 | 3043
			passthrough | close | 3408 | 3922
			re-encrypt | close | 1333 | 2239`, []string{"unset", "4"}},
	} {
		for _, row := range table(c.text) {
			for i, column := range c.columns {
				check(t, c.prefix+"/"+row[0]+"/"+row[1]+"/"+column, number(t, row[i+2]))
			}
		}
		if n := len(facts.Load().Quantity(c.prefix)); n != 16 {
			t.Errorf("%s has %d cells, the document 16", c.prefix, n)
		}
	}
}

func TestStorageTable(t *testing.T) {
	columns := []string{"rox", "rwx", "registry", "scaledRegistry", "metrics", "logging", "apps"}
	for _, row := range table(`
		block | Yes 4 | No | Configurable | Not configurable | Recommended | Recommended | Recommended
		file | Yes 4 | Yes | Configurable | Configurable | Configurable 5 | Configurable 6 | Recommended
		object | Yes | Yes | Recommended | Recommended | Not configurable | Not configurable | Not configurable 7`) {
		for i, column := range columns {
			id := "ocp.storage." + column + "/" + row[0]
			want := strings.TrimRight(row[i+1], " 4567")
			if want != "Yes" && want != "No" {
				want = strings.ToLower(want)
			}
			checkText(t, id, want)
			f, _ := facts.Load().Get(id)
			if mark := row[i+1][len(row[i+1])-1]; mark >= '4' && mark <= '7' && len(f.Notes) == 0 {
				t.Errorf("%s lacks footnote %c", id, mark)
			}
		}
	}
}

func TestApplicationExample(t *testing.T) {
	for _, row := range table(`
		apache | 100 | 0.5 | 0.5 | 1
		node.js | 200 | 1 | 1 | 1
		postgresql | 100 | 1 | 2 | 10
		jboss-eap | 100 | 1 | 1 | 1`) {
		check(t, "ocp.example.podType.quantity/"+row[0], number(t, row[1]))
		check(t, "ocp.example.podType.memory/"+row[0], number(t, row[2])*1e9)
		check(t, "ocp.example.podType.cpu/"+row[0], number(t, row[3])*1000)
		check(t, "ocp.example.podType.storage/"+row[0], number(t, row[4])*1e9)
	}
	for _, row := range table("1 | 100 | 4 | 16\n2 | 50 | 8 | 32\n3 | 25 | 16 | 64") {
		check(t, "ocp.example.nodeOption.quantity/"+row[0], number(t, row[1]))
		check(t, "ocp.example.nodeOption.cpus/"+row[0], number(t, row[2])*1000)
		check(t, "ocp.example.nodeOption.memory/"+row[0], number(t, row[3])*1e9)
	}
}

func TestTunedDefaults(t *testing.T) {
	for _, row := range table(`
		selinux.avc_cache_threshold/openshift | 8192
		net.nf_conntrack_hashsize/openshift | 131072
		net.ipv4.ip_forward/openshift | 1
		kernel.pid_max/openshift | 4194304
		net.netfilter.nf_conntrack_max/openshift | 1048576
		net.ipv4.conf.all.arp_announce/openshift | 2
		net.ipv4.neigh.default.gc_thresh1/openshift | 8192
		net.ipv4.neigh.default.gc_thresh2/openshift | 32768
		net.ipv4.neigh.default.gc_thresh3/openshift | 65536
		net.ipv6.neigh.default.gc_thresh1/openshift | 8192
		net.ipv6.neigh.default.gc_thresh2/openshift | 32768
		net.ipv6.neigh.default.gc_thresh3/openshift | 65536
		vm.max_map_count/openshift | 262144
		nvme_core.io_timeout/openshift | 4294967295
		nvme_core.max_retries/openshift | 10
		kernel.sched_min_granularity_ns/openshift-control-plane | 10000000
		kernel.sched_migration_cost_ns/openshift-control-plane | 5000000
		kernel.sched_wakeup_granularity_ns/openshift-control-plane | 4000000
		net.ipv4.tcp_fastopen/openshift-node | 3
		fs.inotify.max_user_watches/openshift-node | 65536
		fs.inotify.max_user_instances/openshift-node | 8192
		priority/openshift-control-plane | 30
		priority/openshift-node | 40`) {
		check(t, "ocp.tuned."+row[0], number(t, row[1]))
	}
}
