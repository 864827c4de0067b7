package sysfs_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"plimsoll.dev/source/sysfs"
)

// problems are what is said about a file or a tree.
func problems(fsys fs.FS, name string) string {
	_, err := sysfs.Read(fsys, name)
	if err == nil {
		return ""
	}
	return err.Error()
}

// Each file with what is said about it; several problems stand on lines.
func TestBadFiles(t *testing.T) {
	for text, want := range map[string]string{
		"": `m:1:1: it is neither the output of lscpu nor of lstopo, nor an archive (write it with "lscpu -e ` +
			`-J" or "lstopo --of xml", or save a sysfs tree with tar)`,
		"CPU(s): 4": `m:1:1: it is neither the output of lscpu nor of lstopo, nor an archive (write it with "lscpu -e ` +
			`-J" or "lstopo --of xml", or save a sysfs tree with tar)`,
		`{}`:            `m:1:1: it has neither "cpus" nor "lscpu" (write it with "lscpu -e -J")`,
		`{"lscpu": []}`: `m:1:11: no field tells of sockets, cores or NUMA nodes (write it with "lscpu -J")`,
		`{"cpus": 4}`:   `m:1:10: "cpus" is not a list (write the file with "lscpu -e -J")`,
		`{"cpus": []}`:  `m:1:1: there is no online CPU in it (write it with "lscpu -e -J")`,
		`{"cpus": [{}]}`: "m:1:11: the column CPU is missing (write it with \"lscpu -e=CPU,CORE,SOCKET,NODE,CACHE,ONLINE " +
			"-J\")\nm:1:11: the column CORE is missing (write it with \"lscpu -e=CPU,CORE,SOCKET,NODE,CACHE,ONLINE -J\")",
		"{\"cpus\": [\n{\"cpu\": 0, \"core\": \"many\"}]}":         `m:2:1: CORE "many" is not a number (such as 0)`,
		`{"cpus": [{"cpu": 0, "core": 0}, {"cpu": 0, "core": 0}]}`: `m:1:1: CPU 0 stands twice (each once)`,
		`{"cpus": [{"cpu": 1024, "core": 0}]}`:                     `m:1:1: CPU 1024 is out of range (0 to 1023)`,
		`{"cpus": [{"cpu": 0, "core": 0, "node": 64}]}`:            `m:1:1: NUMA node 64 is out of range (0 to 63)`,
		"{\"lscpu\": [\n{\"field\": \"NUMA node0 CPU(s):\", \"data\": \"0-99999999999\"}]}": `m:2:41: "0-99999999999" is ` +
			`not a list of CPUs (such as 0-3,8)`,
		`{"lscpu": [{"field": "Socket(s):", "data": "0"}]}`: `m:1:44: Socket(s) "0" is out of range (1 to 1024)`,
		`{"lscpu": [{"field": "Socket(s):", "data": "65"}]}`: `m:1:11: ` +
			`there are too many CPUs or NUMA nodes (at most 1024 and 64)`,
		`{"lscpu": [{"field": "NUMA node0 CPU(s):", "data": "1-2"}]}`: `m:1:11: no regular machine ` +
			`has these numbers of CPUs, cores and NUMA nodes (write it with "lscpu -e -J", which lists each CPU)`,
		"# CPU,Core,Socket,Node,,L1d,L1i,L2,L3\n0,0,0,0,,0,0,0,0\n1,x,0,0": `m:3:1: CORE "x" is not a number (such as 0)`,
		"#\n":         `m:1:1: there is no online CPU in it (write it with "lscpu -e -J")`,
		"<topology/>": `m:1:1: there is no PU in it (write it with "lstopo --of xml")`,
		"<topology>": `m:1:11: it is not well-formed: line 1: ` +
			`unexpected EOF (write it with "lstopo --of xml")`,
		"<a>\n<object type=\"PU\"/></a>": `m:2:20: a PU has no os_index, or one that is too large (0 to 1023)`,
		"<a>\n<object type=\"PU\" os_index=\"x\"/></a>": "m:2:33: \"x\" is not a number (such as 0)\n" +
			"m:2:33: a PU has no os_index, or one that is too large (0 to 1023)",
		"<a><object type=\"PU\" cpuset=\"0xg\" os_index=\"0\"/></a>": `m:1:49: "0xg" is not a mask (hexadecimal ` +
			`words such as 00000001,0000ffff)`,
		"<a><object type=\"NUMANode\" local_memory=\"-1\"/></a>": `m:1:47: "-1" is not an amount (such as 2097152)`,
		strings.Repeat("<object>", 300): `m:1:2057: ` +
			`objects lie too deep (at most 256 in each other)`,
		"<!DOCTYPE a [<!ENTITY b \"ha\">]><a>&b;</a>": `m:1:38: it is not well-formed: line 1: ` +
			`invalid character entity &b; (write it with "lstopo --of xml")`,
		"\x1f\x8bnot": `m:1:1: it can't be unpacked: unexpected EOF (save the tree again)`,
	} {
		if got := problems(fstest.MapFS{"m": file(text)}, "m"); got != want {
			t.Errorf("%q\ngot  %s\nwant %s", text, got, want)
		}
	}
}

// Each tree is a good one with something wrong in it.
func TestBadTrees(t *testing.T) {
	good := fstest.MapFS{}
	cpuFiles{0, 0, 0, "0", "0"}.into(good)
	cpuFiles{1, 1, 0, "0", "1"}.into(good)
	maps.Copy(good, fstest.MapFS{cpuDir + "online": file("0-1\n"), nodeDir + "node0/cpulist": file("0-1\n"),
		nodeDir + "node0/distance":                                file("10\n"),
		nodeDir + "node0/meminfo":                                 file("Node 0 MemTotal: 8 kB\n"),
		nodeDir + "node0/hugepages/hugepages-2048kB/nr_hugepages": file("0\n")})
	if got := problems(good, "."); got != "" {
		t.Fatal(got)
	}
	for name, c := range map[string]struct{ text, want string }{
		cpuDir + "online":                {"0-99999999999", `"0-99999999999" is not a list of CPUs (such as 0-3,8)`},
		cpuDir + "cpu0/topology/core_id": {"zero", `"zero" is not a number (such as 0)`},
		cpuDir + "cpu0/cache/index3/shared_cpu_map": {"0,g",
			`"0,g" is not a mask (hexadecimal words such as 00000001,0000ffff)`},
		cpuDir + "cpu1/cache/index3/shared_cpu_list": {"1-0", `the range 1-0 goes down (write 0-1)`},
		nodeDir + "node0/cpulist": {"0-5000",
			`CPU 5000 is beyond 1023, the highest number there is room for`},
		nodeDir + "node0/distance": {"ten",
			`"ten" are not distances (such as 10 21, at most 64)`},
		nodeDir + "node0/meminfo": {"Node 0:\nMemTotal: much kB", ``},
		nodeDir + "node1/cpulist": {"1",
			`the CPUs 1 are on another NUMA node, too (a CPU is on one node)`},
		nodeDir + "node0/hugepages/hugepages-2048kB/nr_hugepages": {"-1", `"-1" is not a number of pages (such as 512)`},
	} {
		tree := maps.Clone(good)
		tree[name] = file(c.text)
		want := name + ":1:1: " + c.want
		if c.want == "" {
			want = name + ":2:1: MemTotal is not an amount (such as 65536000 kB)"
		}
		if got := problems(tree, "."); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", name, got, want)
		}
	}
	for name, want := range map[string]string{
		cpuDir + "cpu1/topology/core_id": cpuDir +
			"cpu1/topology/core_id:1:1: there is no such file, but the CPU is online (save the tree again, as root)",
		nodeDir + "node0/cpulist": nodeDir + "node0/cpulist:1:1: there is no such file (save the tree again)",
	} {
		tree := maps.Clone(good)
		delete(tree, name)
		if got := problems(tree, "."); !strings.HasPrefix(got, want) {
			t.Errorf("without %s\ngot  %s\nwant %s", name, got, want)
		}
	}
	if got, want := problems(fstest.MapFS{"a/b": file("")}, "a"), "a:1:1: there is no devices/system/cpu in it (save "+
		"/sys/devices/system/cpu and /sys/devices/system/node with their paths)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if _, err := sysfs.Read(good, "none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that isn't there: %v", err)
	}
}

// Nothing outside of the root is opened, and loops of links end.
func TestLinks(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	for _, name := range []string{"sys/devices/system", "loop/sys/devices/system/node/node0"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(outside, "cpu0/topology"), 0o755); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{
		"sys/devices/system/cpu":                     outside,
		"loop/sys/devices/system/cpu":                "cpu",
		"loop/sys/devices/system/node/node0/cpulist": "../node0/cpulist",
	} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skip("no links here: ", err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, name := range []string{".", "loop"} {
		if got := problems(root.FS(), name); !strings.Contains(got, "there is no devices/system/cpu in it") {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// packed makes a tar of files and links.
func packed(t testing.TB, headers []tar.Header, text string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, h := range headers {
		if h.Typeflag == tar.TypeReg {
			h.Size = int64(len(text))
		}
		h.Mode = 0o644
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)[:h.Size]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Paths of an archive lead nowhere else, links are no files, and what tar added
// to files that were shorter than a page is dropped.
func TestArchives(t *testing.T) {
	machine := []tar.Header{
		{Name: "../../x/sys/devices/system/cpu/cpu0/topology/core_id", Typeflag: tar.TypeReg},
		{Name: "/sys/devices/system/cpu/cpu0/topology/physical_package_id", Typeflag: tar.TypeReg},
		{Name: "sys/devices/system/node/node0/cpulist", Typeflag: tar.TypeReg},
		{Name: "sys/devices/system/cpu/cpu1/topology/core_id", Typeflag: tar.TypeSymlink,
			Linkname: "../../../../../../etc/passwd"},
		{Name: "sys/devices/system/cpu/cpu1/topology", Typeflag: tar.TypeLink,
			Linkname: "sys/devices/system/cpu/cpu0/topology"},
	}
	text := packed(t, machine, "0\n"+strings.Repeat("\x00", 4094))
	r, err := sysfs.Read(fstest.MapFS{"m.tar": &fstest.MapFile{Data: text}}, "m.tar")
	if err != nil || r.Machine.String() != "1 socket x 1 core" {
		t.Errorf("got %s, %v", r.Machine, err)
	}
	if got, want := problems(fstest.MapFS{"m": &fstest.MapFile{Data: text[:1000]}}, "m"), "m:1:1: it can't be read: "+
		"unexpected EOF (save only /sys/devices/system/cpu and /sys/devices/system/node)"; got != want {
		t.Errorf("cut short: got %s, want %s", got, want)
	}
}

// endless is a file system with one file that begins with a header and goes on
// with zeros.
type endless struct{ header io.Reader }

func (e endless) Open(string) (fs.File, error) { return e, nil }
func (e endless) Stat() (fs.FileInfo, error)   { return fs.Stat(fstest.MapFS{"m": file("")}, "m") }
func (e endless) Close() error                 { return nil }
func (e endless) Read(p []byte) (int, error) {
	if n, err := e.header.Read(p); err == nil {
		return n, nil
	}
	clear(p)
	return len(p), nil
}

// An archive that holds more than there is room for is refused, and reading an
// endless file ends.
func TestEndlessFiles(t *testing.T) {
	var header bytes.Buffer
	if err := tar.NewWriter(&header).WriteHeader(&tar.Header{Name: "zeros", Typeflag: tar.TypeReg, Size: 1 << 40,
		Format: tar.FormatGNU}); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		header.String(): "m:1:1: it can't be read: it holds more than 1Gi or too many files",
		"<topology>":    "m:1:1: it is too large (at most 32Mi are read)",
	} {
		if got := problems(endless{strings.NewReader(text)}, "m"); !strings.HasPrefix(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
