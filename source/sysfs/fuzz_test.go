package sysfs_test

import (
	"testing"
	"testing/fstest"

	"plimsoll.dev/source/sysfs"
)

// Whatever a file holds, reading it ends with a machine that adds up or with
// problems.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"cpus": [{"cpu": 0, "core": 0, "l1d:l1i:l2:l3": "0:0:0:0", "online": "yes"}]}`))
	f.Add([]byte(`{"lscpu": [{"field": "NUMA:", "children": [{"field": "NUMA node0 CPU(s):", "data": "0-1"}]}, ` +
		`{"field": "Thread(s) per core:", "data": "2"}]}`))
	f.Add([]byte("# CPU,Core,Socket,Node,,L1d,L1i,L2,L3\n0,0,0,0,,0,0,0,0\n1,1,0,0,,1,1,1,0\n"))
	f.Add([]byte(`<topology><object type="Machine" os_index="0" cpuset="0x3"><distances latency_base="10.0"><latency ` +
		`value="1.0"/></distances><object type="Socket" os_index="1"><object type="Cache" depth="3"><object ` +
		`type="Core"><object type="PU" os_index="1"/></object></object></object></object></topology>`))
	f.Add([]byte(`<topology><object type="NUMANode" os_index="0" cpuset="0xf...f"><page_type size="4096" ` +
		`count="1"/><page_type size="2097152" count="9"/><object type="PU" os_index="0" cpuset="0x1"/></object><distances2 ` +
		`type="NUMANode"><u64values>10</u64values></distances2></topology>`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := sysfs.Read(fstest.MapFS{"m": &fstest.MapFile{Data: text}}, "m")
		if err != nil {
			return
		}
		if problems := r.Machine.Check(); len(problems) > 0 {
			t.Errorf("%v", problems)
		}
	})
}

// A tree with a few files of any content.
func FuzzTree(f *testing.F) {
	f.Add("0-1\n", "0\n", "00000003\n", "10\n", "Node 0 MemTotal: 8 kB\n", "4\n")
	f.Add("0-99999999999", "-1", "ffffffff,ffffffff", "10 20 30", "MemTotal: 99999999999999999999 kB", "-5")
	f.Fuzz(func(t *testing.T, cpus, id, mask, distance, meminfo, pages string) {
		tree := fstest.MapFS{cpuDir + "online": file(cpus), nodeDir + "node0/cpulist": file(cpus),
			nodeDir + "node0/distance": file(distance),
			nodeDir + "node0/meminfo":  file(meminfo), nodeDir + "node0/hugepages/hugepages-2048kB/nr_hugepages": file(pages)}
		for i := range 2 {
			cpuFiles{i, i, 0, "0", cpus}.into(tree)
		}
		tree[cpuDir+"cpu0/topology/core_id"] = file(id)
		tree[cpuDir+"cpu0/cache/index3/shared_cpu_map"] = file(mask)
		r, err := sysfs.Read(tree, ".")
		if err == nil && len(r.Machine.Check()) > 0 {
			t.Errorf("%v", r.Machine.Check())
		}
	})
}
