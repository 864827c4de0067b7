package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/pack"
	"plimsoll.dev/pack/certify"
)

const committed = "testdata/vectorpack"

// On the committed part no bound is above the known optimum, no packing below
// it, and every certificate is accepted; at whatever effort.
func TestKnownOptimum(t *testing.T) {
	list, err := readInstances(committed, 120)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 60 {
		t.Errorf("%d instances, want 60", len(list))
	}
	optimal := 0
	for _, in := range list {
		s, err := pack.Solve(in.problem, pack.Options{Effort: 10_000})
		if err != nil {
			t.Fatalf("%s: %v", in.name, err)
		}
		if s.Bound.Cost > in.optimum || s.Bound.Nodes > in.optimum || s.Cost < in.optimum {
			t.Errorf("%s: cost %d and bounds %d, %d, where the optimum is %d", in.name, s.Cost, s.Bound.Cost, s.Bound.Nodes,
				in.optimum)
		}
		if faults := certify.Check(in.problem, s); faults != nil {
			t.Errorf("%s: %q", in.name, faults)
		}
		if s.Optimal {
			optimal++
		}
	}
	t.Logf("%d of %d proven optimal", optimal, len(list))
}

// The committed part is small, and what the study says of it holds together. The
// instances of class 9 have one item more than their names say.
func TestCommittedPart(t *testing.T) {
	size := int64(0)
	err := filepath.WalkDir(committed, func(name string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			info, err := d.Info()
			if err != nil {
				return err
			}
			size += info.Size()
		}
		return err
	})
	if err != nil || size > 200_000 {
		t.Errorf("%d bytes, %v", size, err)
	}
	list, err := readInstances(committed, 120)
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range list {
		n := int64(0)
		for _, item := range in.problem.Items {
			n += item.Count
		}
		if extra := n - int64(in.items()); extra < 0 || extra > 1 || in.optimum < 1 || in.best < in.optimum || in.best > n {
			t.Errorf("%s: %d items, optimum %d, best %d", in.name, n, in.optimum, in.best)
		}
	}
}

func TestReadVBP(t *testing.T) {
	got, err := readVBP(strings.NewReader("2\n10 20\n2\n3 4 1\n5 6 7\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := pack.Problem{
		Resources: []string{"d0", "d1"},
		Nodes:     []pack.NodeType{{Name: "bin", Capacity: []int64{10, 20}, Cost: 1, Stock: -1}},
		Items: []pack.Item{{Name: "item-0", Count: 1, Need: []int64{3, 4}},
			{Name: "item-1", Count: 7, Need: []int64{5, 6}}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestBadVBP(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "ends where the number of dimensions would be"},
		{"2\n10", "ends where a capacity would be"},
		{"1\n10\n2\n3 1\n4", "ends where a count would be"},
		{"0\n", `"0": is not the number of dimensions (1 to 64)`},
		{"65\n", `"65": is not the number of dimensions`},
		{"1\n-1\n", `"-1": is not a capacity`},
		{"1\n1\n10001\n", `"10001": is not the number of lines (0 to 10000)`},
		{"1\n1\n1\n1.5 1\n", `"1.5": is not a need`},
		{"1\n1\n1\n1 99999999999999999999\n", `"99999999999999999999": is not a count`},
		{"1\n1\n1\n1 1\n7\n", `"7": stands behind the last of 1 lines`},
		{"1\n" + strings.Repeat("9", 100) + "\n", `"99999999999999999999...": is not a capacity`},
		{strings.Repeat("9", 100_000), "token too long"},
	} {
		if _, err := readVBP(strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.30q: got %v, want %q in it", c.text, err, c.want)
		}
	}
}

// archive packs texts under names.
func archive(t testing.TB, files ...string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for i := 0; i < len(files); i += 2 {
		if err := w.WriteHeader(&tar.Header{Name: files[i], Size: int64(len(files[i+1])), Mode: 0o644}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(files[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestReadArchive(t *testing.T) {
	all := func(string) bool { return true }
	whole := archive(t, "x/a.vbp", "1 10 1 3 1", "x/notes.txt", "no instance", "y/b.vbp", "1 10 1 4 1")
	got, err := readArchive(bytes.NewReader(whole), all)
	if err != nil || len(got) != 2 || got["b"].Items[0].Need[0] != 4 {
		t.Errorf("got %v, %v", got, err)
	}
	if got, err = readArchive(bytes.NewReader(whole), func(name string) bool { return name == "a" }); err != nil ||
		len(got) != 1 {
		t.Errorf("only a: got %v, %v", got, err)
	}
	for name, c := range map[string]struct {
		text []byte
		want string
	}{
		"no archive":      {[]byte("1 10 1 3 1"), "gzip"},
		"cut":             {whole[:len(whole)/2], "unexpected EOF"},
		"one is bad":      {archive(t, "a.vbp", "1 10 1 3"), "a.vbp: ends where a count would be"},
		"one twice":       {archive(t, "x/a.vbp", "1 10 0", "y/a.vbp", "1 10 0"), "y/a.vbp: is there twice"},
		"larger than any": {archive(t, "zeros", strings.Repeat("\x00", maxArchive+1)), "archive: "},
	} {
		if _, err := readArchive(bytes.NewReader(c.text), all); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q in it", name, err, c.want)
		}
	}
}

func TestReadSummary(t *testing.T) {
	got, err := readSummary(strings.NewReader("instance_name\tLB\tOPT\tbest_overall\tbest_IC\n" +
		"class1_20_3_0\t10\t11\t11\t12\nclass1_500_3_0\t170\t-1\t197\t200\n"))
	want := []known{{"class1_20_3_0", 11, 11}, {"class1_500_3_0", -1, 197}}
	if err != nil || len(got) != 2 || got[0] != want[0] || got[1] != want[1] || got[1].items() != 500 {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	for _, c := range []struct{ text, want string }{
		{"", "EOF"},
		{"instance_name\tLB\n", "there is no column OPT"},
		{"instance_name\tOPT\tbest_overall\nclass1_20_3_0\tx\t1\n", "class1_20_3_0: OPT"},
		{"instance_name\tOPT\tbest_overall\nclass1_20_3_0\t1\t\n", "class1_20_3_0: best_overall"},
		{"instance_name\tOPT\tbest_overall\nclass1\t1\t1\n", `"class1": is no name of an instance`},
		{"instance_name\tOPT\tbest_overall\nclass1_20_3_0\t1\n", "wrong number of fields"},
	} {
		if _, err := readSummary(strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, want %q in it", c.text, err, c.want)
		}
	}
}

func TestReadOpenB(t *testing.T) {
	nodes := "sn,cpu_milli,memory_mib,gpu,model\na,32000,262144,0,\nb,64000,262144,2,P100\nc,32000,262144,0,\n"
	pods := "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos\np,12000,16384,1,1000,,LS\n" +
		"q,6000,12288,2,460,P100|T4,LS\nr,12000,16384,1,1000,,BE\n"
	got, err := readOpenB(strings.NewReader(nodes), strings.NewReader(pods))
	if err != nil {
		t.Fatal(err)
	}
	want := pack.Problem{
		Resources: []string{"cpu", "memory", "gpu"},
		Nodes: []pack.NodeType{
			{Name: "32000m-262144Mi-0x", Capacity: []int64{32000, 262144, 0}, Cost: 32*40 + 256*5, Stock: -1},
			{Name: "64000m-262144Mi-2xP100", Capacity: []int64{64000, 262144, 2000}, Cost: 64*40 + 256*5 + 2*700, Stock: -1},
		},
		Items: []pack.Item{
			{Name: "6000m-12288Mi-920P100|T4", Count: 1, Need: []int64{6000, 12288, 920}, On: []bool{false, true}},
			{Name: "12000m-16384Mi-1000", Count: 2, Need: []int64{12000, 16384, 1000}},
		},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	for _, c := range []struct{ nodes, pods, want string }{
		{"", pods, "nodes: EOF"},
		{nodes, "name,cpu_milli\n", "pods: there is no column memory_mib"},
		{strings.Replace(nodes, "64000", "-1", 1), pods, `nodes: line 3: cpu_milli: "-1" is not a number`},
		{nodes, strings.Replace(pods, "460", "x", 1), `pods: line 3: gpu_milli: "x" is not a number`},
		{nodes, pods + "cut,1\n", "wrong number of fields"},
	} {
		if _, err := readOpenB(strings.NewReader(c.nodes), strings.NewReader(c.pods)); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q in it", err, c.want)
		}
	}
}

func TestFlags(t *testing.T) {
	for _, args := range [][]string{{"-only", "everything"}, {"-only", ""}, {"extra"}} {
		if err := run(args, &bytes.Buffer{}); err == nil {
			t.Errorf("%q is accepted", args)
		}
	}
}

// A missed bar is an error, and is seen beside its figure.
func TestJudge(t *testing.T) {
	var out bytes.Buffer
	list := []outcome{{faults: []string{"wrong"}}, {}}
	err := judge([]bar{most("gap", 0.005, 0.004), least("proven", 0.9, 0.95), accepted("all", list)}, &out)
	if err != errBar || strings.Count(out.String(), "PASS") != 2 || strings.Count(out.String(), "FAIL") != 1 ||
		!strings.Contains(out.String(), "1 of 2") {
		t.Errorf("got %v:\n%s", err, out.String())
	}
	if err := judge([]bar{most("gap", 0.005, 0.005)}, &out); err != nil {
		t.Errorf("a bar that is met exactly: got %v", err)
	}
}

func FuzzReadVBP(f *testing.F) {
	f.Add("3\n100 100 100\n2\n38 39 24 1\n45 17 36 1\n")
	f.Add("1\n1\n10000\n")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := readVBP(strings.NewReader(text))
		if err == nil && (len(p.Nodes) != 1 || len(p.Items) > maxItems) {
			t.Errorf("read as %d nodes and %d items", len(p.Nodes), len(p.Items))
		}
	})
}

func FuzzReadArchive(f *testing.F) {
	f.Add(archive(f, "a.vbp", "1 10 1 3 1"))
	f.Fuzz(func(t *testing.T, text []byte) {
		_, _ = readArchive(bytes.NewReader(text), func(string) bool { return true })
	})
}

func FuzzReadSummary(f *testing.F) {
	f.Add("instance_name\tOPT\tbest_overall\nclass1_20_3_0\t11\t11\n")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := readSummary(strings.NewReader(text))
		for _, k := range list {
			if err == nil && k.items() < 0 {
				t.Errorf("%q is read as an instance", k.name)
			}
		}
	})
}

func FuzzReadOpenB(f *testing.F) {
	f.Add("sn,cpu_milli,memory_mib,gpu,model\na,32000,262144,0,\n",
		"name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos\np,12000,16384,1,1000,,LS\n")
	f.Fuzz(func(t *testing.T, nodes, pods string) {
		_, _ = readOpenB(strings.NewReader(nodes), strings.NewReader(pods))
	})
}
