package main

import (
	_ "k8s.io/client-go/kubernetes/fake"
	_ "k8s.io/kube-scheduler/config/v1"
	_ "k8s.io/kubernetes/pkg/apis/core/v1"
	_ "k8s.io/kubernetes/pkg/apis/core/validation"
	_ "k8s.io/kubernetes/pkg/features"
	_ "k8s.io/kubernetes/pkg/kubelet/apis/config/validation"
	_ "k8s.io/kubernetes/pkg/kubelet/cm/cpumanager"
	_ "k8s.io/kubernetes/pkg/kubelet/cm/devicemanager"
	_ "k8s.io/kubernetes/pkg/kubelet/cm/memorymanager"
	_ "k8s.io/kubernetes/pkg/kubelet/cm/topologymanager"
	_ "k8s.io/kubernetes/pkg/kubelet/lifecycle"
	_ "k8s.io/kubernetes/pkg/kubelet/nodestatus"
	_ "k8s.io/kubernetes/pkg/kubelet/preemption"
	_ "k8s.io/kubernetes/pkg/scheduler"
	_ "k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	_ "k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	_ "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	_ "k8s.io/kubernetes/pkg/scheduler/profile"
	_ "plimsoll.dev/unit"
)
