package kubetest

// The objects as kubectl prints them inside a List. Names in angle brackets
// are filled in.
const (
	namespaceText = `        {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {
                "name": "<space>"
            },
            "status": {
                "phase": "Active"
            }
        }`
	serviceText = `        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {
                "name": "<name>",
                "namespace": "<space>"
            },
            "spec": {
                "ports": [
                    {
                        "port": 8080,
                        "protocol": "TCP",
                        "targetPort": "http"
                    }
                ],
                "selector": {
                    "app.kubernetes.io/name": "<name>"
                },
                "type": "ClusterIP"
            }
        }`
	claimText = `        {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {
                "name": "<claim>",
                "namespace": "<space>"
            },
            "spec": {
                "accessModes": [
                    "ReadWriteOnce"
                ],
                "resources": {
                    "requests": {
                        "storage": "10Gi"
                    }
                },
                "storageClassName": "gp3"
            },
            "status": {
                "capacity": {
                    "storage": "10Gi"
                },
                "phase": "Bound"
            }
        }`
	deploymentText  = workloadHead + `"Deployment"` + workloadTail
	statefulSetText = workloadHead + `"StatefulSet"` + workloadTail
	workloadHead    = `        {
            "apiVersion": "apps/v1",
            "kind": `
	workloadTail = `,
            "metadata": {
                "name": "<name>",
                "namespace": "<space>",
                "uid": "<ownerUID>"
            },
            "spec": {
                "replicas": <count>,
                "selector": {
                    "matchLabels": {
                        "app.kubernetes.io/name": "<name>"
                    }
                },` + podTemplate + `
            },
            "status": {
                "readyReplicas": <count>,
                "replicas": <count>
            }
        }`
	replicaSetText = workloadHead + `"ReplicaSet",
            "metadata": {
                "name": "<by>",
                "namespace": "<space>",
                "ownerReferences": [
                    {
                        "apiVersion": "apps/v1",
                        "controller": true,
                        "kind": "Deployment",
                        "name": "<name>",
                        "uid": "<ownerUID>"
                    }
                ]
            },
            "spec": {
                "replicas": <count>,` + podTemplate + `
            }
        }`
	podTemplate = `
                "template": {
                    "metadata": {
                        "labels": {
                            "app.kubernetes.io/name": "<name>"
                        }
                    },
                    "spec": {
                        "containers": [
                            {
                                "image": "registry.example.com/team/app:1.42.0",
                                "name": "app",
                                "resources": {}
                            }
                        ]
                    }
                }`
	emptyDir = `"emptyDir": {}`

	claimVolume = `"persistentVolumeClaim": {
                            "claimName": "<claim>"
                        }`
	tolerations = `                    {
                        "effect": "NoExecute",
                        "key": "node.kubernetes.io/not-ready",
                        "operator": "Exists",
                        "tolerationSeconds": 300
                    },
                    {
                        "effect": "NoExecute",
                        "key": "node.kubernetes.io/unreachable",
                        "operator": "Exists",
                        "tolerationSeconds": 300
                    }`
	everything = `                    {
                        "operator": "Exists"
                    }`
)
