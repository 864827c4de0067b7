package helion_test

import (
	"os"
	"path/filepath"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/plan/helion"
	"plimsoll.dev/source/scenario"
)

// read reads a scenario of the examples as the program does.
func read(t *testing.T, name string) *scenario.Document {
	t.Helper()
	path := filepath.Join("..", "..", "examples", name)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := scenario.Read(path, text)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func plannedOf(t *testing.T, name string) *v1alpha1.Plan {
	t.Helper()
	doc := read(t, name)
	return helion.Make(doc.Scenario, doc.Assumptions, facts.Load(), nil)
}

// The worked example of 100 VMs with volumes on the controllers: conversion of raw
// images of 8 GB is 5 x 8 x 1.25 = 50 GB, images 20 x 4 x 1.25 = 100, and the disk
// 39 + 40 + 100 + 50 + 160 = 389 GB.
func TestControllerStorageOfTheExample(t *testing.T) {
	p := plannedOf(t, "hcg-controller-storage.yaml")
	for id, want := range map[string]float64{"controller.conversion": 50 * gb, "controller.images": 100 * gb,
		"controller.disk": 389 * gb, "controller.lvm": 1500 * gb} {
		if got := figure(t, p, id); got != want {
			t.Errorf("%s is %v, want %v", id, got, want)
		}
	}
}

// What a scenario writes inside its lists is its own, though an assumption stands
// for the other elements; what it leaves open is not.
func TestProvenanceInsideLists(t *testing.T) {
	p := plannedOf(t, "hcg-controller-storage.yaml")
	for input, want := range map[[2]string]string{
		{"neutron.packetsPerVM[forward]", "frame2"}: "scenario workload.servers[2].ports[1].frameSize",
		{"neutron.coresNeeded[compute]", "clock"}:   "default hardware.nodeTypes[1].cpuGHz",
		{"neutron.packetsPerVM[control]", "frame2"}: "figure neutron.imix",
		{"neutron.dpdk[compute/0]", "mtu1"}:         "default hardware.nodeTypes[1].nics[0].mtu",
		{"controller.conversionFormula", "margin"}:  "default policy.margin",
	} {
		f := figureOf(t, p, input[0])
		for _, in := range f.Inputs {
			if got := in.Value.From.String(); in.Name == input[1] && got[:min(len(got), len(want))] != want {
				t.Errorf("%s, %s comes from %q, want %q", input[0], input[1], got, want)
			}
		}
	}
}

func figureOf(t *testing.T, p *v1alpha1.Plan, id string) derive.Figure {
	t.Helper()
	for _, f := range p.Figures {
		if f.ID == id {
			return f
		}
	}
	t.Fatalf("the plan has no figure %s", id)
	return derive.Figure{}
}

func figure(t *testing.T, p *v1alpha1.Plan, id string) float64 {
	t.Helper()
	return figureOf(t, p, id).Value.Number
}
