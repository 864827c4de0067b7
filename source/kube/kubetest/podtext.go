package kubetest

const podText = `        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "annotations": {<annotations>
                    "k8s.ovn.org/pod-networks": "{\"default\":{\"ip_addresses\":[\"<ip>/23\"],\"mac_address\":\"0a:58:0a:80:02:11\",\"gateway_ips\":[\"10.128.0.1\"],\"ip_address\":\"<ip>/23\",\"gateway_ip\":\"10.128.0.1\"}}",
                    "k8s.v1.cni.cncf.io/network-status": "[{\n    \"name\": \"ovn-kubernetes\",\n    \"interface\": \"eth0\",\n    \"ips\": [\n        \"<ip>\"\n    ],\n    \"mac\": \"0a:58:0a:80:02:11\",\n    \"default\": true,\n    \"dns\": {}\n}]",
                    "openshift.io/scc": "restricted-v2",
                    "seccomp.security.alpha.kubernetes.io/pod": "runtime/default"
                },
                "creationTimestamp": "2024-05-06T07:08:09Z",
                "generateName": "<by>-",
                "labels": {
                    "app.kubernetes.io/name": "<name>",
                    "app.kubernetes.io/part-of": "<space>",
                    "pod-template-hash": "<hash>"
                },
                "name": "<pod>",
                "namespace": "<space>",
                "ownerReferences": [
                    {
                        "apiVersion": "apps/v1",
                        "blockOwnerDeletion": true,
                        "controller": true,
                        "kind": "<kind>",
                        "name": "<by>",
                        "uid": "<ownerUID>"
                    }
                ],
                "resourceVersion": "4711<n>",
                "uid": "<uid>"
            },
            "spec": {
                "containers": [
                    {
                        "env": [
                            {
                                "name": "POD_NAME",
                                "valueFrom": {
                                    "fieldRef": {
                                        "apiVersion": "v1",
                                        "fieldPath": "metadata.name"
                                    }
                                }
                            },
                            {
                                "name": "JAVA_OPTS",
                                "value": "-XX:MaxRAMPercentage=75 -XX:+ExitOnOutOfMemoryError"
                            }
                        ],
                        "image": "registry.example.com/<space>/<name>@sha256:0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0",
                        "imagePullPolicy": "IfNotPresent",
                        "livenessProbe": {
                            "failureThreshold": 3,
                            "httpGet": {
                                "path": "/healthz",
                                "port": 8080,
                                "scheme": "HTTP"
                            },
                            "periodSeconds": 10,
                            "successThreshold": 1,
                            "timeoutSeconds": 1
                        },
                        "name": "app",
                        "ports": [
                            {
                                "containerPort": 8080,
                                "name": "http",
                                "protocol": "TCP"
                            }
                        ],
                        "resources": <resources>,
                        "securityContext": {
                            "allowPrivilegeEscalation": false,
                            "capabilities": {
                                "drop": [
                                    "ALL"
                                ]
                            },
                            "runAsNonRoot": true
                        },
                        "terminationMessagePath": "/dev/termination-log",
                        "terminationMessagePolicy": "File",
                        "volumeMounts": [
                            {
                                "mountPath": "/data",
                                "name": "data"
                            },
                            {
                                "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount",
                                "name": "kube-api-access-<token>",
                                "readOnly": true
                            }
                        ]
                    }
                ],
                "dnsPolicy": "ClusterFirst",
                "enableServiceLinks": true,
                "nodeName": "<node>",
                "preemptionPolicy": "PreemptLowerPriority",
                "priority": 0,
                "restartPolicy": "Always",
                "schedulerName": "default-scheduler",
                "securityContext": {
                    "fsGroup": 1000680000,
                    "seccompProfile": {
                        "type": "RuntimeDefault"
                    }
                },
                "serviceAccount": "default",
                "serviceAccountName": "default",
                "terminationGracePeriodSeconds": 30,
                "tolerations": [
<tolerations>
                ],
                "volumes": [
                    {
                        "name": "data",
                        <volume>
                    },
                    {
                        "name": "kube-api-access-<token>",
                        "projected": {
                            "defaultMode": 420,
                            "sources": [
                                {
                                    "serviceAccountToken": {
                                        "expirationSeconds": 3607,
                                        "path": "token"
                                    }
                                },
                                {
                                    "configMap": {
                                        "items": [
                                            {
                                                "key": "ca.crt",
                                                "path": "ca.crt"
                                            }
                                        ],
                                        "name": "kube-root-ca.crt"
                                    }
                                }
                            ]
                        }
                    }
                ]
            },
            "status": {
                "conditions": [
                    {
                        "lastProbeTime": null,
                        "lastTransitionTime": "2024-05-06T07:08:09Z",
                        "status": "True",
                        "type": "Initialized"
                    },
                    {
                        "lastProbeTime": null,
                        "lastTransitionTime": "2024-05-06T07:08:19Z",
                        "status": "True",
                        "type": "Ready"
                    },
                    {
                        "lastProbeTime": null,
                        "lastTransitionTime": "2024-05-06T07:08:19Z",
                        "status": "True",
                        "type": "ContainersReady"
                    },
                    {
                        "lastProbeTime": null,
                        "lastTransitionTime": "2024-05-06T07:08:09Z",
                        "status": "True",
                        "type": "PodScheduled"
                    }
                ],
                "containerStatuses": [
                    {
                        "containerID": "cri-o://9f8e7d6c5b4a39281706f5e4d3c2b1a09f8e7d6c5b4a39281706f5e4d3c2b1a0",
                        "image": "registry.example.com/<space>/<name>@sha256:0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0",
                        "imageID": "registry.example.com/<space>/<name>@sha256:0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0",
                        "lastState": {},
                        "name": "app",
                        "ready": true,
                        "restartCount": 0,
                        "started": true,
                        "state": {
                            "running": {
                                "startedAt": "2024-05-06T07:08:18Z"
                            }
                        }
                    }
                ],
                "hostIP": "10.0.0.17",
                "phase": "<phase>",
                "podIP": "<ip>",
                "podIPs": [
                    {
                        "ip": "<ip>"
                    }
                ],
                "qosClass": "Burstable",
                "startTime": "2024-05-06T07:08:09Z"
            }
        }`

const nodeText = `        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {
                "annotations": {
                    "machineconfiguration.openshift.io/currentConfig": "rendered-<role>-0123456789abcdef0123456789abcdef",
                    "machineconfiguration.openshift.io/state": "Done",
                    "volumes.kubernetes.io/controller-managed-attach-detach": "true"
                },
                "creationTimestamp": "2024-05-01T07:08:09Z",
                "labels": {
                    "beta.kubernetes.io/arch": "amd64",
                    "beta.kubernetes.io/os": "linux",
                    "kubernetes.io/arch": "amd64",
                    "kubernetes.io/hostname": "<name>",
                    "kubernetes.io/os": "linux",
                    "node-role.kubernetes.io/<role>": "",
                    "node.kubernetes.io/instance-type": "<type>",
                    "node.openshift.io/os_id": "rhcos",
                    "topology.kubernetes.io/region": "eu-west-1",
                    "topology.kubernetes.io/zone": "<zone>"
                },
                "name": "<name>",
                "resourceVersion": "987654321",
                "uid": "<uid>"
            },
            "spec": {
                "providerID": "aws:///<zone>/i-0123456789abcdef0"<taint>
            },
            "status": {
                "addresses": [
                    {
                        "address": "<ip>",
                        "type": "InternalIP"
                    },
                    {
                        "address": "<name>",
                        "type": "Hostname"
                    }
                ],
                "allocatable": {
                    "attachable-volumes-aws-ebs": "39",
                    "cpu": "<cpuFree>",
                    "ephemeral-storage": "114345831029",
                    "hugepages-1Gi": "0",
                    "hugepages-2Mi": "0",
                    "memory": "<memoryFree>Ki",
                    "pods": "250"
                },
                "capacity": {
                    "attachable-volumes-aws-ebs": "39",
                    "cpu": "<cpu>",
                    "ephemeral-storage": "125238252Ki",
                    "hugepages-1Gi": "0",
                    "hugepages-2Mi": "0",
                    "memory": "<memory>Ki",
                    "pods": "250"
                },
                "conditions": [
                    {
                        "lastHeartbeatTime": "2024-05-06T07:08:09Z",
                        "lastTransitionTime": "2024-05-01T07:09:09Z",
                        "message": "kubelet is posting ready status",
                        "reason": "KubeletReady",
                        "status": "True",
                        "type": "Ready"
                    }
                ],
                "images": [
                    {
                        "names": [
                            "quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
                        ],
                        "sizeBytes": 1220847652
                    }
                ],
                "nodeInfo": {
                    "architecture": "amd64",
                    "kernelVersion": "5.14.0-284.52.1.el9_2.x86_64",
                    "kubeletVersion": "v1.27.10+28ed2d7",
                    "operatingSystem": "linux",
                    "osImage": "Red Hat Enterprise Linux CoreOS 414.92.202402201520-0 (Plow)"
                }
            }
        }`
