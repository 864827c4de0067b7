package kube

import (
	"slices"
	"testing"

	"plimsoll.dev/api/v1alpha1"
)

// TestStrict: what kubectl apply refuses as an unknown field opens the verdict; a snapshot, which an
// API server wrote, is taken as it is.
func TestStrict(t *testing.T) {
	const typo = `{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "typo"}, "spec": {"replica": 30, ` +
		`"template": {"spec": {"toleration": [], "containers": [{"name": "c", "imagePullPolicy": "Always", "resources": ` +
		`{"request": {"cpu": 4}, "requests": {"cpu": "100m"}}}, {"name": "d", "resource": {}}]}}}}`
	const job = `{"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "night"}, "spec": ` +
		`{"schedule": "0 0 * * *", "jobTemplate": {"spec": {"parallel": 4, "template": {"spec": {"containers": ` +
		`[{"name": "c"}]}}}}}}`
	for text, want := range map[string][]string{
		typo: {"Deployment typo: not counted: the unknown field replica of its Deployment spec",
			"Deployment typo: not counted: the unknown field request of its resources",
			"Deployment typo: not counted: the unknown field resource of its container",
			"Deployment typo: not counted: the unknown field toleration of its pod spec"},
		job: {"CronJob night: not counted: the unknown field parallel of its Job spec"},
	} {
		open := v1alpha1.Undecided(manifests(t, text).Skipped)
		if slices.Sort(open); !slices.Equal(open, want) {
			t.Errorf("open: %q", open)
		}
		if open := v1alpha1.Undecided(snapshot(t, asList(text)).Skipped); len(open) > 0 {
			t.Errorf("in a snapshot: %q", open)
		}
	}
}
