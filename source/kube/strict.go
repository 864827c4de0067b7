package kube

import "strings"

// known are the fields of the types that are read strictly, as Kubernetes 1.36 has them
// (k8s.io/api v0.36.3: core/v1, apps/v1 and batch/v1).
var known = map[string]map[string]bool{
	"pod spec": fieldsOf("activeDeadlineSeconds affinity automountServiceAccountToken containers dnsConfig " +
		"dnsPolicy enableServiceLinks ephemeralContainers hostAliases hostIPC hostNetwork hostPID " +
		"hostUsers hostname hostnameOverride imagePullSecrets initContainers nodeName nodeSelector " +
		"os overhead preemptionPolicy priority priorityClassName readinessGates resourceClaims " +
		"resources restartPolicy runtimeClassName schedulerName schedulingGates schedulingGroup " +
		"securityContext serviceAccount serviceAccountName setHostnameAsFQDN shareProcessNamespace " +
		"subdomain terminationGracePeriodSeconds tolerations topologySpreadConstraints volumes"),
	"container": fieldsOf("args command env envFrom image imagePullPolicy lifecycle livenessProbe name ports " +
		"readinessProbe resizePolicy resources restartPolicy restartPolicyRules securityContext " +
		"startupProbe stdin stdinOnce terminationMessagePath terminationMessagePolicy tty " +
		"volumeDevices volumeMounts workingDir"),
	"resources": fieldsOf("claims limits requests"),
	"template":  fieldsOf("metadata spec"),
	"Deployment spec": fieldsOf("minReadySeconds paused progressDeadlineSeconds replicas revisionHistoryLimit selector " +
		"strategy template"),
	"ReplicaSet spec": fieldsOf("minReadySeconds replicas selector template"),
	"StatefulSet spec": fieldsOf("minReadySeconds ordinals persistentVolumeClaimRetentionPolicy podManagementPolicy " +
		"replicas revisionHistoryLimit selector serviceName template updateStrategy " +
		"volumeClaimTemplates"),
	"DaemonSet spec": fieldsOf("minReadySeconds revisionHistoryLimit selector template updateStrategy"),
	"Job spec": fieldsOf("activeDeadlineSeconds backoffLimit backoffLimitPerIndex completionMode completions " +
		"managedBy manualSelector maxFailedIndexes parallelism podFailurePolicy " +
		"podReplacementPolicy selector successPolicy suspend template ttlSecondsAfterFinished"),
	"CronJob spec": fieldsOf("concurrencyPolicy failedJobsHistoryLimit jobTemplate schedule startingDeadlineSeconds " +
		"successfulJobsHistoryLimit suspend timeZone"),
}

func fieldsOf(names string) map[string]bool {
	out := map[string]bool{}
	for _, name := range strings.Fields(names) {
		out[name] = true
	}
	return out
}

// strict tells the fields of a manifest that its type does not have, as kubectl apply does:
// what a misspelt one asks for is not counted. What an API server gives out has none.
func (r *reader) strict(v value, of string) {
	if r.live || known[of] == nil {
		return
	}
	for k := range v.fields() {
		if !known[of][string(k)] {
			r.pod.lack("the unknown field " + r.word(k) + " of its " + of)
		}
	}
}
