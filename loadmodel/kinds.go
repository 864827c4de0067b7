package loadmodel

import "strings"

// groups are the API groups of kinds that OpenShift 3 served under "v1", and their first versions.
// Source: the API groups of openshift/api.
var groups = map[string]string{
	"DeploymentConfig": "apps.openshift.io/v1",
	"Build":            "build.openshift.io/v1", "BuildConfig": "build.openshift.io/v1",
	"Image": "image.openshift.io/v1", "ImageStream": "image.openshift.io/v1", "ImageStreamTag": "image.openshift.io/v1",
	"Route":    "route.openshift.io/v1",
	"Template": "template.openshift.io/v1",
	"Project":  "project.openshift.io/v1", "ProjectRequest": "project.openshift.io/v1",
	"User": "user.openshift.io/v1", "Group": "user.openshift.io/v1", "Identity": "user.openshift.io/v1",
	"Role": rbac, "RoleBinding": rbac, "ClusterRole": rbac, "ClusterRoleBinding": rbac,
}

const rbac = "rbac.authorization.k8s.io/v1"

// later are the versions that took the place of those that Kubernetes has given up. Source:
// "Deprecated API Migration Guide" of Kubernetes.
var later = map[string]string{
	"extensions/v1beta1 Deployment": "apps/v1", "extensions/v1beta1 DaemonSet": "apps/v1",
	"extensions/v1beta1 ReplicaSet": "apps/v1", "extensions/v1beta1 Ingress": "networking.k8s.io/v1",
	"extensions/v1beta1 NetworkPolicy":  "networking.k8s.io/v1",
	"networking.k8s.io/v1beta1 Ingress": "networking.k8s.io/v1",
	"batch/v1beta1 CronJob":             "batch/v1", "policy/v1beta1 PodDisruptionBudget": "policy/v1",
}

// Served is the apiVersion under which a kind is served today: that of the file, but for OpenShift's
// kinds of the time before API groups and for versions that Kubernetes has given up.
func Served(apiVersion, kind string) string {
	if group, ok := groups[kind]; ok && apiVersion == "v1" {
		return group
	}
	if v, ok := later[apiVersion+" "+kind]; ok {
		return v
	}
	if strings.HasPrefix(apiVersion, "apps/v1beta") {
		return "apps/v1"
	}
	return apiVersion
}
