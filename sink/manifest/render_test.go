package manifest

import (
	"bytes"
	"flag"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/sink/manifest/manifesttest"
)

var update = flag.Bool("update", false, "write the golden files anew; read the difference before committing it")

// cases are what the golden files are written from, by the name of their directory.
func cases() map[string]Input {
	out := map[string]Input{}
	for name, p := range manifesttest.Plans() {
		file := ""
		if p.Metadata.Name == "shop" {
			file = words.Quote("shop plan.yaml")
		}
		out[name] = FromPlan(&p, file)
	}
	return out
}

func awsInfra() Input { return cases()["aws-4.4-three-zones-infra"] }

// manifests are the files that an API or the installer reads.
func manifests(files []File) []File {
	return slices.DeleteFunc(slices.Clone(files), func(f File) bool {
		return path.Ext(f.Path) != ".yaml" && path.Ext(f.Path) != ".yml"
	})
}

func mustRender(t *testing.T, in Input) []File {
	t.Helper()
	files, err := Render(in)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestGolden(t *testing.T) {
	for name, in := range cases() {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join("testdata", "golden", name)
			files := mustRender(t, in)
			if *update {
				if err := os.RemoveAll(dir); err != nil {
					t.Fatal(err)
				}
				if err := Write(dir, files, Options{}); err != nil {
					t.Fatal(err)
				}
				if err := os.Remove(filepath.Join(dir, listFile)); err != nil {
					t.Fatal(err)
				}
			}
			got, want := map[string]string{}, map[string]string{}
			for _, f := range files {
				got[f.Path] = string(f.Content)
			}
			err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
				if err != nil || e.IsDir() {
					return err
				}
				content, err := os.ReadFile(path)
				rel, _ := filepath.Rel(dir, path)
				want[filepath.ToSlash(rel)] = string(content)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestRenderIsDeterministic(t *testing.T) {
	for name, in := range cases() {
		first := mustRender(t, in)
		for range 20 {
			if !reflect.DeepEqual(first, mustRender(t, in)) {
				t.Fatal(name, "the same input gave other files")
			}
		}
		if !slices.IsSortedFunc(first, func(a, b File) int {
			if a.Path < b.Path {
				return -1
			}
			return 1
		}) {
			t.Error(name, "the files are not sorted by path")
		}
	}
}

// contentOf is the file at path; empty when there is none.
func contentOf(files []File, path string) string {
	for _, f := range files {
		if f.Path == path {
			return string(f.Content)
		}
	}
	return ""
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Input)
		want   string
	}{
		{"kubernetes", func(in *Input) { in.Platform.Type = "kubernetes" },
			"platform.type: manifests are written for openshift"},
		{"rosa", func(in *Input) { in.Platform.Service = "rosa" }, "platform.service: rosa manages"},
		{"no release", func(in *Input) { in.Platform.Release = "four" }, `platform.release "four" is not of the form 4.17`},
		{"3.11", func(in *Input) { in.Platform.Release = "3.11" }, "OpenShift 3.11 has no machine config operator"},
		{"name of the cluster", func(in *Input) { in.Metadata.Name = "Shop 1" }, `metadata.name: "Shop 1"`},
		{"name of a pool", func(in *Input) { in.Decisions.Pools[0].Name = "m5.large" }, `pools[0].name: "m5.large"`},
		{"long name of a pool", func(in *Input) { in.Decisions.Pools[0].Name = strings.Repeat("x", 26) },
			"longer than 25 letters"},
		{"pool master", func(in *Input) { in.Decisions.Pools[0].Name = "master" }, "master is the control plane's pool"},
		{"kubelet of one pool", func(in *Input) {
			in.Decisions.Pools[1].Name, in.Decisions.Pools[1].Role = "worker",
				"worker"
		}, "pool worker can have one kubelet configuration, but its node types want two"},
		{"machine sets of the same name", func(in *Input) {
			worker := in.Decisions.Pools[0]
			worker.Type, worker.MaxUnavailable = "cnf", "10%"
			cnf := worker
			cnf.Name = "worker-cnf"
			in.Decisions.Pools = append(in.Decisions.Pools, worker, cnf)
		}, "machine sets of pools worker and worker-cnf would both be called worker-cnf"},
		{"infra twice", func(in *Input) { in.Decisions.Pools = append(in.Decisions.Pools, in.Decisions.Pools[1]) },
			"two pools are called infra"},
		{"infra under another name", func(in *Input) { in.Decisions.Pools[1].Name = "infra-2" },
			"the pool of role infra, and no other, is called infra"},
		{"no infra pool", func(in *Input) { in.Decisions.Pools = in.Decisions.Pools[:1] }, "no pool is called infra"},
		{"role", func(in *Input) { in.Decisions.Pools[0].Role = "storage" }, `role "storage" is not worker or infra`},
		{"zones", func(in *Input) { in.Decisions.Pools[0].PerZone = []int{1, 2, 3} },
			"pools[0].perZone: the zones have 6 machines, the pool has 64"},
		{"node type", func(in *Input) { in.Decisions.Pools[0].Type = "m5\nkind: Pod" }, "characters that can't be printed"},
		{"label", func(in *Input) { in.Decisions.Pools[0].Labels = map[string]string{"a b": "c"} }, `pools[0].labels: "a b"`},
		{"taint", func(in *Input) { in.Decisions.Pools[1].Taints = []v1alpha1.Taint{{Key: "x", Effect: "Never"}} },
			`"Never" is not NoSchedule`},
		{"maxUnavailable", func(in *Input) { in.Decisions.Pools[0].MaxUnavailable = "some" },
			`pools[0].maxUnavailable: "some" is not a number of nodes or a percentage`},
		{"growth of no pool", func(in *Input) { in.Decisions.Growth[0].Pool = "gpu" },
			`growth[0].pool: no pool is called "gpu"`},
		{"growth in other zones", func(in *Input) { in.Decisions.Growth[1].Replicas = []int{25} },
			"growth[1].replicas: pool worker has 3 zones, not 1"},
		{"plug-in", func(in *Input) { in.Decisions.Network.Type = "Calico" }, `network.type: "Calico"`},
		{"old plug-in", func(in *Input) { in.Platform.Release = "4.15" },
			"installs no new cluster with OpenShiftSDN (the last that does is 4.14)"},
		{"IPsec with OpenShiftSDN", func(in *Input) { in.Decisions.Network.IPsec = true }, "only OVNKubernetes encrypts"},
		{"IPsec too early", func(in *Input) { in.Decisions.Network.IPsec = true }, "the first that can is 4.7"},
		{"block", func(in *Input) { in.Decisions.Network.ServiceNetwork[0] = "172.30/16" },
			`network.serviceNetwork[0]: "172.30/16"`},
		{"storage class", func(in *Input) { in.Decisions.Monitoring.StorageClass = "{{CLASS}}" }, "monitoring.storageClass"},
		{"router's name", func(in *Input) { in.Decisions.Routers[0].Name = "../x" }, `routers[0].name: "../x"`},
		{"no replicas", func(in *Input) { in.Decisions.Routers[0].Replicas = 0 }, "routers[0].replicas: 0 is not 1 or more"},
		{"publishing", func(in *Input) { in.Decisions.Routers[0].Publishing = "NodePort" },
			`"NodePort" is not LoadBalancerService or HostNetwork`},
		{"threads", func(in *Input) { in.Decisions.Routers[0].Threads = 65 }, "routers[0].threads: 65 is not from 1 to 64"},
		{"shards", func(in *Input) { in.Decisions.Routers[0].Shard, in.Decisions.Routers[0].Shards = 3, 2 },
			"routers[0].shard: 3 is not a number of its own from 1 to 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := awsInfra()
			c.change(&in)
			files, err := Render(in)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("want %q, got %v", c.want, err)
			}
			if files != nil {
				t.Error("files in spite of the error")
			}
		})
	}
}

func TestEveryProblemAtOnce(t *testing.T) {
	in := awsInfra()
	in.Decisions.Network.Type, in.Decisions.Pools[0].MaxUnavailable, in.Decisions.Routers[0].Replicas = "x", "x", -1
	_, err := Render(in)
	if err == nil || strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("want three problems, got %v", err)
	}
}

// TestConnectionsOutOfRange: the range counts only where there is a field.
func TestConnectionsOutOfRange(t *testing.T) {
	in := cases()["azure-4.12"]
	in.Decisions.Routers[0].MaxConnections = 1500
	if _, err := Render(in); err == nil ||
		!strings.Contains(err.Error(), "maxConnections: 1500 is not from 2000 to 2000000") {
		t.Error(err)
	}
	in.Platform.Release = "4.10"
	if readme := contentOf(mustRender(t, in), readmeFile); !strings.Contains(readme,
		"Router default: 1500 connections. OpenShift 4.10 keeps 20000") {
		t.Error(readme)
	}
}

// TestKubeletSettingsOfCustomPools: a custom pool takes the machine configs of
// worker too; whose kubelet settings win depends on the release and the name.
func TestKubeletSettingsOfCustomPools(t *testing.T) {
	for _, c := range []struct {
		release, pool string
		worker, own   int
		file, remark  bool
	}{
		{"4.14", "infra", 250, 400, true, false},      // nothing to override
		{"4.14", "infra", 500, 500, false, false},     // the same
		{"4.14", "infra", 500, 250, false, true},      // worker sorts later
		{"4.15", "infra", 500, 250, true, false},      // custom pools come last
		{"4.14", "worker-gpu", 500, 250, true, false}, // 99-worker-gpu-... sorts later
		{"4.14", "worker-cnf", 500, 250, false, true}, // 99-worker-cnf-... sorts earlier
		{"4.4", "xeon", 500, 250, true, false},
		{"4.4", "worker-gpu", 500, 250, true, false}, // no id begins with a g
		{"4.4", "worker-cnf", 500, 250, false, true}, // the random id decides
	} {
		role := "worker"
		if c.pool == "infra" {
			role = "infra"
		}
		in := Input{Metadata: v1alpha1.Metadata{Name: "x"}, Platform: v1alpha1.Platform{Release: c.release, Provider: "none"}}
		in.Decisions.Pools = []v1alpha1.PoolDecision{
			{Name: "worker", Role: "worker", Count: 3, MaxPods: c.worker},
			{Name: c.pool, Role: role, Count: 3, MaxPods: c.own},
		}
		files := mustRender(t, in)
		text := contentOf(files, "kubeletconfig-"+c.pool+".yaml")
		if (text != "") != c.file {
			t.Errorf("%+v: file %q", c, text)
		}
		if c.file && !strings.Contains(text, "    maxPods: ") {
			t.Errorf("%+v: maxPods has to be written even where it is the default: %s", c, text)
		}
		if strings.Contains(contentOf(files, readmeFile), "Kubelet settings of pool "+c.pool) != c.remark {
			t.Errorf("%+v: README: %s", c, contentOf(files, readmeFile))
		}
	}
}

// TestZeroIsNotWritten: the operator takes zero for "not given".
func TestZeroIsNotWritten(t *testing.T) {
	in := Input{Metadata: v1alpha1.Metadata{Name: "x"}, Platform: v1alpha1.Platform{Release: "4.17", Provider: "none"}}
	in.Decisions.Pools = []v1alpha1.PoolDecision{
		{Name: "worker", Role: "worker", Count: 3, MaxPods: 250, PodsPerCore: 10},
		{Name: "infra", Role: "infra", Count: 3, MaxPods: 250},
	}
	text := contentOf(mustRender(t, in), "kubeletconfig-infra.yaml")
	if text == "" || strings.Contains(text, "podsPerCore") {
		t.Error(text)
	}
}

// TestNothingDecided: a plan that decides nothing leaves a README only.
func TestNothingDecided(t *testing.T) {
	files := mustRender(t, Input{Metadata: v1alpha1.Metadata{Name: "x"}, Platform: v1alpha1.Platform{Release: "4.17"}})
	if len(files) != 1 || files[0].Path != readmeFile {
		t.Errorf("%v", files)
	}
}

// TestCommentsStayComments: text of the user can't leave the comment it is in.
func TestCommentsStayComments(t *testing.T) {
	in := awsInfra()
	in.Metadata.Description = "evil\n\n```\nrm -rf /\n"
	in.Asked = words.Quote("a'b\nkind: Pod")
	in.Figures[0].ID = "network.cidr[x\ny: z\u2028q: r]"
	for _, f := range mustRender(t, in) {
		if bytes.Contains(f.Content, []byte("\nrm")) || bytes.Contains(f.Content, []byte("\nkind: Pod")) ||
			bytes.Contains(f.Content, []byte("\ny: z")) {
			t.Errorf("%s: %s", f.Path, f.Content)
		}
	}
}

func TestFromPlan(t *testing.T) {
	in := awsInfra()
	p := &v1alpha1.Plan{Metadata: in.Metadata, Platform: in.Platform, Decisions: in.Decisions, Figures: in.Figures}
	if d := cmp.Diff(mustRender(t, in), mustRender(t, FromPlan(p, in.Asked))); d != "" {
		t.Error(d)
	}
}
