package sample

import (
	"fmt"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/unit"
)

// Answers are answers of every shape, by name.
func Answers() map[string]*v1alpha1.Answer {
	hostile := Rollout()
	hostile.Findings, hostile.Parts = Check().Findings, append(hostile.Parts, Check().Parts...)
	spoilAll(hostile)
	return map[string]*v1alpha1.Answer{"check": Check(), "rollout": Rollout(), "many": Many(), "empty": {Verdict: v1alpha1.AnswerVerdict{OK: true}}, "hostile": hostile}
}

// Check is what a check of two files finds: places with excerpts, a finding of no
// file, a remark, a difference.
func Check() *v1alpha1.Answer {
	place := func(file string, line, col int, object, field, excerpt string) *v1alpha1.Place {
		return &v1alpha1.Place{File: file, Line: line, Col: col, Object: object, Field: field, Excerpt: excerpt}
	}
	return &v1alpha1.Answer{APIVersion: v1alpha1.APIVersion, Kind: "Check", Title: "What is wrong with the manifests", Release: "4.5",
		Verdict: v1alpha1.AnswerVerdict{Summary: "1 error and 2 warnings in 2 files", Problem: "the huge pages never reach the node"},
		Findings: []v1alpha1.Finding{
			{Severity: v1alpha1.Error, ID: "profile.priorityTie", Message: "priority 30 stands in two items that match one node, and the operator takes either", Remedy: "give each item a priority of its own",
				Sources: []derive.Source{{Code: "OCP", Section: "2.3"}}, Place: place("hugepages.yaml", 18, 15, "Tuned/hugepages", "spec.recommend[0].priority", "        priority: 30\n                  ^\n")},
			{Severity: v1alpha1.Warning, ID: "monitoring.unknownKey", Message: `"retension" is no key of prometheusK8s and is passed over`, Remedy: "retention", Place: place("monitoring.yaml", 9, 7, "ConfigMap/cluster-monitoring-config", "data", "")},
			{Severity: v1alpha1.Info, ID: "object.notRead", Message: "no rule reads objects of kind Route", Place: place("monitoring.yaml", 30, 1, "Route/web", "", "")},
			{Severity: v1alpha1.Warning, ID: "pool.custom", Message: "pool worker-hp has no machine config of its own", Field: "spec"},
		},
		Result: map[string]any{"files": 2},
		Parts: []v1alpha1.Part{
			{Title: "Files", Lead: []string{"Two files were read, and everything in them that a rule knows."}, Tables: []v1alpha1.Table{{
				Columns: []v1alpha1.Column{{Title: "File"}, {Title: "Objects", Right: true}, {Title: "Verdict"}, {Title: "Rules", Right: true, Wide: true}},
				Rows: [][]v1alpha1.Cell{{{Text: "hugepages.yaml"}, {Text: "2"}, {Text: "refused", Mark: "bad"}, {Text: "31"}},
					{{Text: "monitoring.yaml"}, {Text: "2"}, {Text: "doubtful", Mark: "warn"}, {Text: "44"}}}}}},
			{Texts: []v1alpha1.Text{{Title: "hugepages.yaml, corrected", Language: "diff",
				Body: "--- hugepages.yaml\n+++ hugepages.yaml\n@@ -18 +18 @@\n-    priority: 30\n+    priority: 25\n     profile: hugepages\n"},
				{Title: "tuned.conf", Language: "ini", Body: "[sysctl]\n# ``` three of them\nvm.nr_hugepages=" + strings.Repeat("1", 90) + "\n\tkept=tab\n"}}},
			{Title: "Rules that were looked for", Wide: true, Lead: []string{"All of them."}},
		}}
}

// Rollout is a timeline of three nodes of which one hangs, with the nodes that are
// left.
func Rollout() *v1alpha1.Answer {
	span := func(from, to unit.Duration, state, mark string) v1alpha1.TimelineSpan {
		return v1alpha1.TimelineSpan{From: from, To: to, State: state, Mark: mark}
	}
	return &v1alpha1.Answer{APIVersion: v1alpha1.APIVersion, Kind: "Rollout", Title: "How the pool takes the change", Release: "current",
		Verdict: v1alpha1.AnswerVerdict{OK: true, Summary: "3 nodes are updated in 33 min, one at a time; 2 of 3 are left"},
		Result:  map[string]any{"nodes": 3},
		Parts: []v1alpha1.Part{{Title: "Timeline", Timeline: &v1alpha1.Timeline{Title: "Pool worker", Description: "Three nodes are drained, restarted and updated one after the other.", End: 2400,
			Rows: []v1alpha1.TimelineRow{
				{Name: "worker-1", Spans: []v1alpha1.TimelineSpan{span(0, 300, "draining", ""), span(300, 540, "rebooting", "warn"), span(540, 2400, "updated", "good")}},
				{Name: "worker-2.a-rather-long.domain.example", Spans: []v1alpha1.TimelineSpan{span(540, 840, "draining", ""), span(840, 1440, "down", "bad"), span(1440, 2400, "updated", "good")},
					Events: []v1alpha1.TimelineEvent{{At: 1440, Text: "comes back after 10 min", Mark: "warn"}}},
				{Name: "worker-3", Spans: []v1alpha1.TimelineSpan{span(1440, 1740, "draining", ""), span(1740, 1980, "rebooting", "warn"), span(1980, 2400, "updated", "good")}}},
			Level: &v1alpha1.Level{Title: "Nodes that take pods", Unit: "nodes", Steps: []v1alpha1.LevelStep{{At: 0, Amount: 2}, {At: 1980, Amount: 3}},
				Limits: []v1alpha1.LevelLimit{{Name: "needed", Amount: 2}, {Name: "all", Amount: 3}}},
			Events: []v1alpha1.TimelineEvent{{At: 0, Text: "the pool has a new configuration"}, {At: 1980, Text: "the pool is updated", Mark: "good"}}}}}}
}

// Many is an answer with hundreds of rows and dozens of findings.
func Many() *v1alpha1.Answer {
	a := &v1alpha1.Answer{APIVersion: v1alpha1.APIVersion, Kind: "HealthSimulation", Title: "What the health check does", Verdict: v1alpha1.AnswerVerdict{Summary: "300 nodes are not healed"}}
	line := v1alpha1.Timeline{Title: "300 nodes", Description: "Each node is down for a minute, one after the other.", End: 2 * 86400,
		Level: &v1alpha1.Level{Title: "Healthy nodes", Unit: "nodes", Steps: []v1alpha1.LevelStep{{Amount: 300}}}}
	for i := range 300 {
		at := unit.Duration(i * 500)
		row := v1alpha1.TimelineRow{Name: fmt.Sprintf("node-%d", i), Spans: []v1alpha1.TimelineSpan{{From: at, To: at + 500, State: "down"}}}
		if i%60 == 7 {
			row.Spans[0].Mark, row.Spans[0].State = "bad", "lost"
		}
		line.Rows = append(line.Rows, row)
		line.Level.Steps = append(line.Level.Steps, v1alpha1.LevelStep{At: at, Amount: 299}, v1alpha1.LevelStep{At: at + 400, Amount: 300})
		line.Events = append(line.Events, v1alpha1.TimelineEvent{At: at, Text: "down"})
	}
	for i := range 16 {
		a.Findings = append(a.Findings, v1alpha1.Finding{Severity: v1alpha1.Severities()[i%3], ID: "health.shortTimeout", Message: "timeout 60 s is shorter than a restart", Remedy: "600 s or more",
			Place: &v1alpha1.Place{File: fmt.Sprintf("mhc-%d.yaml", i%2), Line: 40 - i, Col: 5, Excerpt: "    timeout: 60s\n             ^\n"}})
	}
	a.Parts = []v1alpha1.Part{{Title: "Timeline", Timeline: &line}}
	return a
}
