package main

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

func made(t *testing.T, text string) (string, error) {
	t.Helper()
	var tab table
	if err := yaml.UnmarshalStrict([]byte(text), &tab); err != nil {
		t.Fatal(err)
	}
	out, err := tab.source("pool")
	return string(out), err
}

func TestSource(t *testing.T) {
	got, err := made(t, `
behaviours:
- {id: a.b, name: first, title: t, since: '4.4', until: '4.5', source: 'X source: f.go'}
- {id: a.c, name: second, title: t, seen: '4.19', type: time.Duration, values: {'4.10': 3s, '4.6': 20s}, source: X}
- {id: a.d, name: third, title: t, type: names, values: {'4.1': [a, b]}, source: X}
findings:
- {id: a.e, name: fourth, title: t, severity: warning, sources: ['OCP: 4.1', X]}
`)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`Steps: []release.Step[bool]{{From: 4, Value: true}, {From: 6, Value: false}}, Source: derive.Source{Code: ` +
			`"X source", Section: "f.go"}`,
		`Steps: []release.Step[time.Duration]{{From: 6, Value: 20000000000}, {From: 10, Seen: 19, Value: 3000000000}}`,
		`{From: 1, Value: names{"a", "b"}}`,
		`object.Rule{ID: "a.e", Severity: v1alpha1.Warning, Title: "t", Sources: []derive.Source{{Code: "OCP", Section: ` +
			`"4.1"}, {Code: "X", Section: ""}}}`,
		"func Behaviours() []release.Row {", "func Rules() []object.Rule {", "// Code generated",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

func TestBadRows(t *testing.T) {
	for row, want := range map[string]string{
		"behaviours: [{id: ab, name: it, title: t, since: '4.4', source: X}]":   "ab: the id is not dotted",
		"behaviours: [{id: a.b, name: a-b, title: t, since: '4.4', source: X}]": `the name "a-b" is no Go name`,
		"behaviours: [{id: a.b, name: it, since: '4.4', source: X}]":            "the title is empty",
		"behaviours: [{id: a.b, name: it, title: t, since: '4.4'}]":             "there is no source",
		"behaviours: [{id: a.b, name: it, title: t, source: X}]":                "there is no value",
		"behaviours: [{id: a.b, name: it, title: t, since: '4.44', source: X}]": "release 4.44 is not known",
		"behaviours: [{id: a.b, name: it, title: t, since: '4.4', values: {'4.4': x}, source: X}]": "since " +
			"and until go with neither",
		"behaviours: [{id: a.b, name: it, title: t, type: time.Duration, values: {'4.4': x}, source: X}]": "invalid duration",
		"findings: [{id: a.b, name: it, title: t, severity: bad}]": `severity ` +
			`"bad" is not`,
	} {
		if _, err := made(t, row); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", row, err, want)
		}
	}
}
