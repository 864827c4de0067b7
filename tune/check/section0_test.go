package check

import (
	"os"
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/infra"
)

// Where the documents themselves are wrong: each row is a fault that the lint finds
// in the documents' own manifests, or a statement of prose that a table by release sets
// right.

// Prose: all CRs are translated into a recommend.conf. Only up to 4.3.
func TestSection0_S01_recommend_file(t *testing.T) {
	says(t, "profile.perNode", "false", "true", "true", "true")
}

// Prose, of which a manifest is the change that it allows: CR default may be edited.
func TestSection0_S02_management_state(t *testing.T) {
	finds(t, until(release.V45), "profile.defaultEdited", "managementState", "ocp-4.2-management-state")
	says(t, "profile.managementState", "false", "false", "false", "true")
}

// The tie with CR default is found even when that is not among the files.
func TestSection0_S03_hugepages_tie(t *testing.T) {
	finds(t, every, "profile.priorityTie", "priority: 30", "ocp-13.3-hugepages")
	finds(t, every, "profile.priorityTie", "priority: 30", "ocp-13.3-hugepages", "ocp-4.3-default")
}

func TestSection0_S04_health_check_version_and_label(t *testing.T) {
	finds(t, every, "health.apiVersion", "machine.openshift.io/v1beta", "ocp-3.4-machine-health-check")
	finds(t, every, "health.labelKey", "cluster-api-machinestype", "ocp-3.4-machine-health-check")
}

func TestSection0_S05_startup_timeout(t *testing.T) {
	finds(t, until(release.V44), "health.startupIgnored", "nodeStartupTimeout", "ocp-3.4-machine-health-check")
}

// Prose: one node at a time. What is serial is the machine controller, by release.
func TestSection0_S06_one_node_at_a_time(t *testing.T) {
	says(t, "health.drainsApart", "false", "false", "false", "true")
	says(t, "health.mastersInTurn", "false", "false", "false", "true")
}

// The output of a command, no manifest: a scenario of plimsoll tune health simulate
// plays it.
func TestSection0_S07_sample_output(t *testing.T) {
	if _, err := os.Stat("../health/testdata/sample-output.yaml"); err != nil {
		t.Error(err)
	}
}

// Prose: a reboot is not needed. Up to 4.5 every change drains and reboots.
func TestSection0_S08_reboot(t *testing.T) {
	says(t, "machineConfig.react.policies", "false", "false", "false", "true")
}

func TestSection0_S09_mask_of_text_and_payload(t *testing.T) {
	finds(t, every, "machineConfig.maskDiffers", "data:text/plain", "ztip-1-enable-rps-and-its-text")
}

// As it is printed it is no YAML; indented, the URL has blanks in it.
func TestSection0_S10_folded_url(t *testing.T) {
	finds(t, every, "check.unreadable", "ASCII,%23", "ztip-1-enable-rps")
	finds(t, every, "machineConfig.foldedURL", "charset=US-", "ztip-1-enable-rps-folded")
}

func TestSection0_S11_telemetry_client(t *testing.T) {
	finds(t, every, "monitoring.unknownKey", "telemetryClient", "ztip-3-monitoring")
}

func TestSection0_S12_keys_of_3_11(t *testing.T) {
	for _, key := range []string{"baseImage: openshift/prometheus", "prometheusConfigReloaderBaseImage",
		"configReloaderBaseImage", "kubeRbacProxy", "auth"} {
		finds(t, every, "monitoring.oldKey", key, "ocp-8.2-monitoring")
	}
	// a key again since 4.13,
	finds(t, until(release.V45), "monitoring.oldKey", "nodeExporter:", "ocp-8.2-monitoring")
	// with other keys below it
	finds(t, from(release.Current), "monitoring.oldKey", "openshift/prometheus-node-exporter", "ocp-8.2-monitoring")
}

func TestSection0_S13_suffix_K(t *testing.T) {
	finds(t, every, "monitoring.badQuantity", "2000000000K", "ocp-8.2-monitoring-filled-in")
	finds(t, every, "monitoring.notFilledIn", "PROMETHEUS_STORAGE_SIZE", "ocp-8.2-monitoring")
}

func TestSection0_S14_relabelled_node(t *testing.T) {
	finds(t, every, "pool.unmanaged", "node-role.kubernetes.io/infra", "ztip-3-relabel")
}

func TestSection0_S15_master_and_worker(t *testing.T) {
	finds(t, every, "machineConfig.unreached", "machineconfiguration.openshift.io/role: worker", "ztip-1-nodes")
	finds(t, every, "pool.masterAndWorker", "node-role.kubernetes.io/master", "ztip-1-nodes")
}

// Flattened it is no YAML; blanks for underscores are found one by one; and with
// type: pod in its place the nested items are said to look at the node.
func TestSection0_S16_lost_indentation_and_underscores(t *testing.T) {
	finds(t, every, "check.unreadable", "label: tuned.openshift.io/elasticsearch", "ocp-4.5-selection-flattened")
	for _, key := range []string{"kernel.pid max", "nf conntrack max", "gc thresh2", "vm.max map count"} {
		finds(t, every, "tuned.blankInKey", key, "ocp-4.3-default-as-printed")
	}
	finds(t, every, "tuned.unknownOption", "avc cache threshold", "ocp-4.3-default-as-printed")
	finds(t, every, "profile.nestedUnderPod", "node-role.kubernetes.io/master", "ocp-4.5-selection")
}

func TestSection0_S17_scheduler_sysctls(t *testing.T) {
	for _, key := range []string{"sched_min_granularity_ns", "sched_migration_cost_ns", "sched_wakeup_granularity_ns"} {
		finds(t, from(release.Current), "profile.sysctlGone", key, "ocp-4.3-default")
	}
}

func TestSection0_S18_parts_left_behind(t *testing.T) {
	finds(t, every, "monitoring.staysBehind", "config.yaml", "ztip-3-monitoring")
	for _, r := range every {
		for _, f := range lint(r, documents(t, "ztip-3-monitoring")).Findings {
			if f.ID == "monitoring.staysBehind" && strings.Contains(f.Message, "thanosQuerier") != (r.Minor() >= release.V45) {
				t.Errorf("%v: %s", r, f.Message)
			}
		}
	}
}

// Section 8, line 23: worker becomes infra. The node is found where no pool is
// beside it, and not where there is one.
func TestSection8_23_worker_to_infra_leaves_the_pool(t *testing.T) {
	finds(t, every, "pool.unmanaged", "node-role.kubernetes.io/infra", "ztip-3-relabel")
	texts := documents(t, "ztip-3-relabel")
	texts["pool.yaml"] = infra.Plan(infra.Options{Release: 4}).Files[0].YAML
	for _, r := range every {
		if found := lint(r, texts).Findings; len(found) > 0 {
			t.Errorf("%v: %v", r, found)
		}
	}
}

// Section 8, line 24, all of it: fff against ff, the folded URL, the decimal mode, the
// suffix K, telemetryClient.
func TestSection8_24_faults_of_the_documents(t *testing.T) {
	finds(t, every, "machineConfig.maskDiffers", "data:", "ztip-1-enable-rps-and-its-text")
	finds(t, every, "machineConfig.foldedURL", "data:", "ztip-1-enable-rps-folded")
	finds(t, every, "monitoring.badQuantity", "K", "ocp-8.2-monitoring-filled-in")
	finds(t, every, "monitoring.unknownKey", "telemetryClient", "ztip-3-monitoring")
	for _, r := range every {
		text := strings.Replace(documents(t, "ztip-1-enable-rps-joined")["ztip-1-enable-rps-joined.yaml"], "mode: 0644",
			"mode: 644", 1)
		if !slices.ContainsFunc(one(r, text), func(f v1alpha1.Finding) bool {
			return f.ID == "machineConfig.modeDecimal" || f.ID == "machineConfig.mode"
		}) {
			t.Errorf("%v: mode 644 is not found: %v", r, lines(one(r, text)))
		}
	}
}
