package openstack

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"plimsoll.dev/api/v1alpha1"
)

// gathered are the rows of a directory of exports, as JSON has them.
func gathered(t testing.TB, files map[string]string) (map[string][]map[string]any, v1alpha1.Seen, error) {
	t.Helper()
	dir := fstest.MapFS{}
	for name, text := range files {
		dir[name] = &fstest.MapFile{Data: []byte(text)}
	}
	rows := map[string][]map[string]any{}
	seen, err := ReadDir(dir, "exports", func(e *Export, row map[string]any) { rows[e.Name] = append(rows[e.Name], row) })
	text, _ := json.Marshal(rows)
	var plain map[string][]map[string]any
	if err := json.Unmarshal(text, &plain); err != nil {
		t.Fatal(err)
	}
	return plain, seen, err
}

// Old clients and new ones write the same columns under other names, and nothing else is kept.
func TestKeptColumns(t *testing.T) {
	for name, c := range map[string]struct{ file, text, want string }{
		"new server": {"servers", `[{"ID": "1", "Name": "a", "Status": "ACTIVE", "Host": "h", "Flavor": "f",
			"Image Name": "i", "Networks": {"n": ["10.0.0.1"]}, "Properties": {"password": "x"}, "User Data": "x"}]`,
			`{"id": "1", "name": "a", "status": "ACTIVE", "host": "h", "flavor": "f", "image": "i"}`},
		"service's server": {"servers", `{"servers": [{"id": "1", "name": "a", "status": "ACTIVE", "adminPass": "x",
			"OS-EXT-SRV-ATTR:host": "h", "flavor": {"original_name": "f"}, "image": {"id": "i"}}]}`,
			`{"id": "1", "name": "a", "status": "ACTIVE", "host": "h", "flavor": "f", "image": "i"}`},
		"old agent": {"network-agents", `[{"Agent Type": "L3 agent", "Host": "h", "Alive": ":-)", "State": "UP"}]`,
			`{"agenttype": "L3 agent", "host": "h", "alive": true, "enabled": true}`},
		"old group": {"server-groups", `[{"Id": "g", "Name": "n", "Policies": "anti-affinity", "Members": "a, b"}]`,
			`{"id": "g", "name": "n", "policy": "anti-affinity", "members": ["a", "b"]}`},
		"shown hypervisor": {"hypervisors", `[{"hypervisor_hostname": "h.example", "service_host": "h", "memory_mb": "1024",
			"memory_mb_used": 512, "cpu_info": "{\"topology\": {\"threads\": 2}}", "vcpus": 4.0}]`,
			`{"hostname": "h.example", "host": "h", "memorymb": 1024, "memorymbused": 512, "threads": 2, "vcpus": 4}`},
		"image": {"images", `[{"ID": "i", "Name": "n", "Disk Format": "raw", "Properties":
			{"hw_vif_model": "virtio", "owner_specified.secret": "x"}}]`,
			`{"id": "i", "name": "n", "diskformat": "raw", "properties": {"hw_vif_model": "virtio"}}`},
		"health": {"ceph-health", `{"status": "HEALTH_WARN", "checks": {"MON_DOWN": {"severity": "HEALTH_WARN",
			"summary": {"message": "1/3 mons down"}, "detail": [{"message": "mon.a is down"}], "muted": true}}}`,
			`{"code": "MON_DOWN", "severity": "HEALTH_WARN", "message": "1/3 mons down", "muted": true}`},
		"room": {"ceph-df", `{"stats": {"total_bytes": 10, "total_used_bytes": 5}, "pools": []}`,
			`{"class": "", "totalbytes": 10, "usedbytes": 5}`},
		"tree": {"ceph-osd-tree", `{"nodes": [{"id": -2, "name": "s", "type": "host", "children": [1, 0]}], "stray": []}`,
			`{"id": -2, "name": "s", "type": "host", "children": ["1", "0"]}`},
	} {
		rows, seen, err := gathered(t, map[string]string{c.file + ".json": c.text})
		var want map[string]any
		if bad := json.Unmarshal([]byte(c.want), &want); bad != nil {
			t.Fatal(bad)
		}
		if err != nil || len(rows[c.file]) != 1 || !reflect.DeepEqual(rows[c.file][0], want) || len(seen.Read) != 1 {
			t.Errorf("%s: %v %v", name, rows, err)
		}
	}
}

// A snapshot holds what the directory does, whatever is in it.
func FuzzExports(f *testing.F) {
	f.Add("servers", `[{"Name": "a", "Host": "h"}]`)
	f.Add("ceph-health", `{"checks": {"X": {"severity": "HEALTH_ERR"}}}`)
	f.Add("flavors", `[{"Name": "f", "Properties": "a='1', b='2'"}]`)
	f.Add("hypervisors", `[{"cpu_info": {"topology": {"threads": "2"}}}]`)
	f.Fuzz(func(t *testing.T, name, text string) {
		if name == "" || strings.ContainsAny(name, "/.\x00") {
			return
		}
		rows, seen, err := gathered(t, map[string]string{name + ".json": text})
		if err != nil {
			return
		}
		var file bytes.Buffer
		if err := WriteSnapshot(&file, seen, rows); err != nil {
			t.Fatal(err)
		}
		again := map[string][]map[string]any{}
		seenAgain, err := ReadSnapshot(&file, "snapshot", func(e *Export, row map[string]any) {
			again[e.Name] = append(again[e.Name], row)
		})
		if err != nil || len(rows)+len(again) > 0 && !reflect.DeepEqual(rows, again) || !reflect.DeepEqual(seen, seenAgain) {
			t.Errorf("%v\n%v\n%v", rows, again, err)
		}
	})
}
