package keep

import (
	"fmt"
	"strings"
)

// fields are the names that are kept of a mapping, and what of each: nil is all of it.
type fields map[string]fields

const (
	// meta is kept of all objects; of annotations those that say what an object is.
	meta = "name generateName namespace uid labels creationTimestamp deletionTimestamp " +
		"ownerReferences(apiVersion kind name uid controller) annotations(kubernetes.io/config.mirror " +
		"pv.kubernetes.io/bind-completed storageclass.kubernetes.io/is-default-class " +
		"storageclass.beta.kubernetes.io/is-default-class machine.openshift.io/machine " +
		"machineconfiguration.openshift.io/currentConfig " +
		"machineconfiguration.openshift.io/desiredConfig machineconfiguration.openshift.io/state)"
	container = "(name image resources restartPolicy ports(containerPort hostPort hostIP protocol))"
	claim     = "resources storageClassName volumeName volumeMode accessModes"
	podSpec   = "containers" + container + " initContainers" + container + " resources overhead nodeSelector " +
		"tolerations affinity priority priorityClassName preemptionPolicy hostNetwork nodeName runtimeClassName " +
		"schedulerName os schedulingGates topologySpreadConstraints resourceClaims(name) volumes(name " +
		"persistentVolumeClaim(claimName) emptyDir(medium sizeLimit) image(reference) " +
		"ephemeral(volumeClaimTemplate(spec(" + claim + "))))"
	conditions = "conditions(type status reason lastTransitionTime)"
	ended      = " state(waiting(reason) terminated(reason finishedAt)) lastState(terminated(reason finishedAt))"
	held       = "(name resources allocatedResources restartCount" + ended + ")"
	controller = "spec(replicas selector template(metadata(labels) spec(" + podSpec + ")) " +
		"volumeClaimTemplates(metadata(name) spec(" + claim + ")))"
	network = "(networkType clusterNetwork serviceNetwork)"
)

// kept is what is kept of each kind beside its kind, version and metadata. It is all that package kube reads of a
// cluster that runs.
var kept = parsed(map[string]string{
	"Node": "spec(taints unschedulable providerID) status(capacity allocatable " + conditions +
		" nodeInfo(kubeletVersion architecture operatingSystem) addresses images(names sizeBytes))",
	"Namespace": "",
	"Pod": "spec(" + podSpec + ") status(phase reason qosClass nominatedNodeName " + conditions + " containerStatuses" +
		held + " initContainerStatuses" + held + " resources allocatedResources)",
	"Service":               "spec(selector type)",
	"PersistentVolumeClaim": "spec(" + claim + ") status(phase capacity)",
	"PersistentVolume": "spec(csi(driver) nfs(readOnly) storageClassName claimRef(namespace name) nodeAffinity capacity " +
		"accessModes)",
	"Deployment":              controller,
	"ReplicaSet":              controller,
	"StatefulSet":             controller,
	"DaemonSet":               controller,
	"ReplicationController":   controller,
	"DeploymentConfig":        controller,
	"HorizontalPodAutoscaler": "spec(scaleTargetRef(apiVersion kind name) minReplicas maxReplicas)",
	"PodDisruptionBudget": "spec(selector minAvailable maxUnavailable unhealthyPodEvictionPolicy) " +
		"status(disruptionsAllowed currentHealthy desiredHealthy expectedPods " + conditions + ")",
	"PriorityClass":  "value preemptionPolicy globalDefault",
	"RuntimeClass":   "overhead scheduling",
	"StorageClass":   "provisioner volumeBindingMode allowedTopologies",
	"CSINode":        "spec(drivers(name allocatable))",
	"CSIDriver":      "spec(storageCapacity)",
	"ClusterVersion": "status(desired(version) history(state version))",
	"Network":        "spec" + network + " status" + network,
	"MachineConfigPool": "spec(machineConfigSelector nodeSelector paused configuration(name) maxUnavailable) " +
		"status(configuration(name) machineCount updatedMachineCount readyMachineCount unavailableMachineCount " +
		"degradedMachineCount " + conditions + ")",
	"KubeletConfig": "spec(machineConfigPoolSelector kubeletConfig(cpuManagerPolicy cpuManagerPolicyOptions " +
		"memoryManagerPolicy topologyManagerPolicy maxPods podsPerCore kubeAPIQPS kubeAPIBurst systemReserved " +
		"kubeReserved reservedSystemCPUs)) status(" + conditions + ")",
	"Machine":    "status(phase errorReason lastUpdated nodeRef(name))",
	"MachineSet": "spec(replicas selector template(metadata(labels))) status(replicas readyReplicas availableReplicas)",
	"MachineHealthCheck": "spec(selector unhealthyConditions maxUnhealthy nodeStartupTimeout) status(expectedMachines " +
		"currentHealthy remediationsAllowed " + conditions + ")",
	"Tuned": "spec",
	"Profile": "spec(config(tunedProfile)) status(tunedProfile " +
		"conditions(type status reason message lastTransitionTime))",
	"IngressController": "spec(replicas nodePlacement endpointPublishingStrategy(type) tuningOptions) " +
		"status(availableReplicas " + conditions + ")",
	"FeatureGate": "spec(featureSet customNoUpgrade)",
	"Scheduler":   "spec(mastersSchedulable defaultNodeSelector profile)",
	"Config": "spec(managementState replicas storage(emptyDir pvc(claim) s3(region) gcs(region) azure(cloudName) " +
		"swift(container) ibmcos(location) oss(region) managementState))",
	"Ingress":     "",
	"Route":       "",
	"Build":       "",
	"BuildConfig": "",
})

func parsed(table map[string]string) map[string]fields {
	out := map[string]fields{}
	for kind, text := range table {
		list, rest := parse("kind apiVersion metadata(" + meta + ") " + text)
		if rest != "" {
			panic(fmt.Sprintf("the fields of %s do not end at %q", kind, rest)) // a mistake in the table
		}
		out[kind] = list
	}
	return out
}

// parse reads names, of which those with a list in brackets keep only that, up to a closing bracket.
func parse(text string) (list fields, rest string) {
	list = fields{}
	for {
		text = strings.TrimLeft(text, " ")
		end := strings.IndexAny(text, " ()")
		if end < 0 {
			end = len(text)
		}
		name := text[:end]
		if name == "" {
			return list, strings.TrimPrefix(text, ")")
		}
		list[name] = nil
		if text = text[end:]; strings.HasPrefix(text, "(") {
			list[name], text = parse(text[1:])
		}
	}
}

// Fields leaves of an object what is kept of its kind; nil of one that nobody asked for. It is changed in place.
func Fields(o map[string]any) map[string]any {
	kind, _ := o["kind"].(string)
	list, known := kept[kind]
	if !known {
		return nil
	}
	list.cut(o)
	if meta, _ := o["metadata"].(map[string]any); meta != nil {
		if a, _ := meta["annotations"].(map[string]any); len(a) == 0 {
			delete(meta, "annotations")
		}
	}
	return o
}

func (f fields) cut(v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			f.cut(e)
		}
	case map[string]any:
		for name, value := range v {
			of, keeps := f[name]
			switch {
			case !keeps:
				delete(v, name)
			case of != nil:
				of.cut(value)
			}
		}
	}
}
