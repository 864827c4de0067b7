package novatest_test

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	"plimsoll.dev/place/nova"
	"plimsoll.dev/place/nova/novatest"
	"plimsoll.dev/unit"
)

// small is one node of two cores with two threads, and two requests; Nova's search
// fails on the second.
const small = `{"sequence":"a/1","shape":"a","host":{"Cells":[{"ID":4,"Dedicated":"0-3","Siblings":["0,2","1,3"],
"Memory":64,"Pages":[{"Size":4,"Total":16384}]}],"CPUAllocationRatio":1,"RAMAllocationRatio":1}}
{"id":7,"request":{"VCPUs":2,"Cells":[{"PCPUs":"0-1","Memory":4}],"CPUPolicy":"dedicated"},
"answer":{"cells":[{"node":4,"page":4,"pins":[[0,0],[1,2]],"reserved":"1","idle":"3"}],"devices":[[0,2]]}}
{"release":7}
{"id":8,"request":{"VCPUs":1,"Cells":[{"PCPUs":"0","Memory":4}]},"answer":null,"fault":true,"right":{"cells":[{"node":4}]},"raises":"X"}
{"sequence":"b","host":{}}
`

func read(t *testing.T) []novatest.Sequence {
	t.Helper()
	var file bytes.Buffer
	zip := gzip.NewWriter(&file)
	_, _ = zip.Write([]byte(small))
	_ = zip.Close()
	var all []novatest.Sequence
	for s, err := range novatest.Read(&file) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

func TestRead(t *testing.T) {
	all := read(t)
	if len(all) != 2 || all[0].Name != "a/1" || all[0].Shape != "a" || len(all[0].Steps) != 3 || all[1].Name != "b" {
		t.Fatalf("read %+v", all)
	}
	first, gone, last := all[0].Steps[0], all[0].Steps[1], all[0].Steps[2]
	if first.ID != 7 || first.Fault() || first.Right == nil ||
		first.Right.Cells[0].Pins[1] != (nova.Pin{VCPU: 1, CPU: 2}) {
		t.Errorf("first step %+v", first)
	}
	if first.Request.SharedVCPU != -1 || first.Request.Cells[0].HostNode != -1 {
		t.Error("a request of Nova's binds a cell to a host node, or has a shared vCPU")
	}
	if !gone.Release || gone.ID != 7 {
		t.Errorf("release %+v", gone)
	}
	if !last.Fault() || last.Own != nil || last.Right == nil || last.Raises != "X" {
		t.Errorf("last step %+v", last)
	}
}

func TestReadRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`{"id":1}`:                   "no sequence has begun",
		`{"sequence":"a"}{"id":1}`:   "neither a sequence",
		`{"sequence":"a"}{"id":"x"}`: "line 2",
		`{"sequence":"a"}{"id":1,"request":{},"fault":true,"right":3}`:       "right answer",
		`{"sequence":"a"}{"id":1,"request":{"Cells":[{"PCPUs":"2048"}]}}`:    "beyond",
		`{"sequence":"a"}{"id":1,"request":{},"answer":{"cells":"nothing"}}`: "line 2",
	} {
		var got error
		for _, err := range novatest.ReadLines(strings.NewReader(text)) {
			got = err
		}
		if got == nil || !strings.Contains(got.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, got, want)
		}
	}
	for _, err := range novatest.Read(strings.NewReader("no gzip")) {
		if err == nil {
			t.Error("a file that is not compressed is read")
		}
	}
}

// TestDifference: threads of one core are equal, all else is not.
func TestDifference(t *testing.T) {
	s := read(t)[0]
	r, want := novatest.NewReplay(s), s.Steps[0].Right
	for _, c := range []struct {
		want  string
		alter func(f *nova.CellFit)
	}{
		{"", func(*nova.CellFit) {}},
		{"", func(f *nova.CellFit) { f.Pins = []nova.Pin{{VCPU: 1, CPU: 0}, {VCPU: 0, CPU: 2}} }},
		{"", func(f *nova.CellFit) { f.Reserved, f.Idle = f.Idle, f.Reserved }},
		{"pins", func(f *nova.CellFit) { f.Pins = []nova.Pin{{VCPU: 0, CPU: 0}, {VCPU: 1, CPU: 3}} }},
		{"pins", func(f *nova.CellFit) { f.Pins = f.Pins[:1] }},
		{"pins", func(f *nova.CellFit) { f.Pins = []nova.Pin{{VCPU: 0, CPU: 0}, {VCPU: 2, CPU: 2}} }},
		{"node", func(f *nova.CellFit) { f.Node = 0 }},
		{"page size", func(f *nova.CellFit) { f.PageSize = 2048 }},
		{"emulator", func(f *nova.CellFit) { f.Reserved = unit.CPUSet{} }},
		{"idle", func(f *nova.CellFit) { f.Idle = unit.CPUSetOf(0) }},
	} {
		got := *want
		got.Cells = []nova.CellFit{want.Cells[0]}
		c.alter(&got.Cells[0])
		if d := r.Difference(want, &got, true); (c.want == "") != (d == "") || !strings.Contains(d, c.want) {
			t.Errorf("difference %q, want %q", d, c.want)
		}
	}
	none := *want
	none.Devices = nil
	for text, d := range map[string]string{
		"devices": r.Difference(want, &none, true), "fits": r.Difference(want, nil, false),
		"place": r.Difference(want, nil, true), "cells": r.Difference(want, &nova.Fit{}, true),
	} {
		if !strings.Contains(d, text) {
			t.Errorf("difference %q, want %q", d, text)
		}
	}
	if d := r.Difference(nil, nil, false); d != "" {
		t.Errorf("two refusals differ: %s", d)
	}
}

// TestRequests: what is right is claimed and given back, but not where Nova's own
// claim fails.
func TestRequests(t *testing.T) {
	s := read(t)[0]
	s.Host.Pools = []nova.DevicePool{{Kind: "nic", Total: 2, Free: 2}}
	r, before := novatest.NewReplay(s), 0
	for step := range r.Requests() {
		if n := r.Host.Cells[0].Pinned.Len(); n != before {
			t.Errorf("request %d: %d CPUs are pinned, want %d", step.ID, n, before)
		}
	}
	if n := r.Host.Cells[0].Pinned.Len(); n != 0 {
		t.Errorf("%d CPUs stay pinned at the end", n)
	}
	if s.Host.Cells[0].Pinned.Len() != 0 || s.Host.Pools[0].Free != 2 {
		t.Error("the replay changes the recorded host")
	}
}
