package podres_test

import (
	"maps"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/podres"
)

type amounts = map[string]int64

func box(requests, limits amounts) podres.Container {
	return podres.Container{Requests: requests, Limits: limits}
}

func pod(containers ...podres.Container) podres.Pod { return podres.Pod{Containers: containers} }

const mebi = 1 << 20

// OCP 7.3 has the first three; the others are the rules of Kubernetes 1.36
// (pkg/apis/core/v1/helper/qos) one by one.
func TestQOS(t *testing.T) {
	full := amounts{"cpu": 2000, "memory": 200 * mebi}
	withInit := pod(box(nil, full))
	withInit.Init = []podres.Container{box(nil, amounts{"cpu": 100})}
	for _, c := range []struct {
		name string
		pod  podres.Pod
		want string
	}{
		{"nothing requested", pod(box(nil, nil)), podres.BestEffort},
		{"requests below limits", pod(box(amounts{"memory": 100 * mebi}, amounts{"memory": 200 * mebi})), podres.Burstable},
		{"equal, with a device", pod(box(amounts{"cpu": 2000, "memory": 200 * mebi, "example.com/device": 1},
			amounts{"cpu": 2000, "memory": 200 * mebi, "example.com/device": 1})), podres.Guaranteed},
		{"limits only", pod(box(nil, full)), podres.Guaranteed},
		{"requests only", pod(box(full, nil)), podres.Burstable},
		{"a limit of CPU only", pod(box(nil, amounts{"cpu": 1000})), podres.Burstable},
		{"one container without anything", pod(box(nil, full), box(nil, nil)), podres.Burstable},
		{"init containers count", withInit, podres.Burstable},
		{"huge pages and devices do not count", pod(box(nil, amounts{"hugepages-2Mi": 4 * mebi, "example.com/device": 1})),
			podres.BestEffort},
		{"amounts of 0 do not count", pod(box(amounts{"cpu": 0}, amounts{"memory": 0})), podres.BestEffort},
		{"a request of 0 below a limit", pod(box(amounts{"cpu": 0}, full)), podres.Burstable},
		{"the pod as a whole", podres.Pod{Containers: []podres.Container{box(nil, nil)}, Limits: full}, podres.Guaranteed},
		{"the pod as a whole, requests below", podres.Pod{Containers: []podres.Container{box(nil, full)},
			Requests: amounts{"cpu": 1000}, Limits: full}, podres.Burstable},
		{"the pod as a whole, the containers' requests are its default",
			podres.Pod{Containers: []podres.Container{box(amounts{"cpu": 500}, nil)}, Limits: full}, podres.Burstable},
		{"the pod as a whole without CPU limit", podres.Pod{Limits: amounts{"memory": mebi}}, podres.Burstable},
		{"the pod as a whole, empty", podres.Pod{Containers: []podres.Container{box(nil, full)}, Limits: amounts{}},
			podres.BestEffort},
	} {
		if got := podres.QOS(c.pod); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

// The sums of KEP 753: sidecars run on, and an init container runs with those
// that started before it.
func TestRequests(t *testing.T) {
	cpu := func(m int64) podres.Container { return box(amounts{"cpu": m}, nil) }
	sidecar := func(m int64) podres.Container {
		c := cpu(m)
		c.Restartable = true
		return c
	}
	for _, c := range []struct {
		name string
		pod  podres.Pod
		want amounts
	}{
		{"the sum of containers", pod(cpu(500), cpu(700)), amounts{"cpu": 1200}},
		{"a large init container", podres.Pod{Init: []podres.Container{cpu(2000)}, Containers: []podres.Container{cpu(500)}},
			amounts{"cpu": 2000}},
		{"a sidecar adds to both", podres.Pod{Init: []podres.Container{sidecar(300), cpu(2000)},
			Containers: []podres.Container{cpu(500)}}, amounts{"cpu": 2300}},
		{"a sidecar behind the init container does not", podres.Pod{Init: []podres.Container{cpu(2000), sidecar(300)},
			Containers: []podres.Container{cpu(500)}}, amounts{"cpu": 2000}},
		{"sidecars and containers", podres.Pod{Init: []podres.Container{cpu(600), sidecar(300)},
			Containers: []podres.Container{cpu(500)}}, amounts{"cpu": 800}},
		{"overhead on top", podres.Pod{Containers: []podres.Container{cpu(500)},
			Overhead: amounts{"cpu": 250, "memory": mebi}}, amounts{"cpu": 750, "memory": mebi}},
		{"limits stand in", pod(box(nil, amounts{"example.com/device": 2})), amounts{"example.com/device": 2}},
		{"the pod as a whole", podres.Pod{Requests: amounts{"cpu": 100, "example.com/device": 7},
			Containers: []podres.Container{cpu(500)}}, amounts{"cpu": 100}},
		{"its limit, when nobody requests",
			podres.Pod{Limits: amounts{"cpu": 900}, Containers: []podres.Container{box(nil, nil)}}, amounts{"cpu": 900}},
		{"the containers, when they do", podres.Pod{Limits: amounts{"cpu": 900}, Containers: []podres.Container{cpu(500)}},
			amounts{"cpu": 500}},
		{"the containers' memory beside the pod's CPU", podres.Pod{Requests: amounts{"cpu": 900},
			Containers: []podres.Container{box(amounts{"cpu": 1, "memory": mebi}, nil)}},
			amounts{"cpu": 900, "memory": mebi}},
	} {
		if got := podres.Requests(c.pod); !maps.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

// 100m and 200Mi stand in for what a container does not name, also beside those
// that do; an explicit 0 stays (pkg/scheduler/util: DefaultMilliCPURequest,
// DefaultMemoryRequest).
func TestNonZero(t *testing.T) {
	for _, c := range []struct {
		name        string
		pod         podres.Pod
		cpu, memory int64
	}{
		{"nothing named", pod(box(nil, nil), box(nil, nil)), 200, 400 * mebi},
		{"one named", pod(box(amounts{"cpu": 500}, nil), box(nil, nil)), 600, 400 * mebi},
		{"an explicit 0", pod(box(amounts{"cpu": 0}, nil)), 0, 200 * mebi},
		{"the pod as a whole", podres.Pod{Requests: amounts{"cpu": 500}, Containers: []podres.Container{box(nil, nil)}}, 500,
			200 * mebi},
		{"memory of one container beside the pod's CPU", podres.Pod{Requests: amounts{"cpu": 500},
			Containers: []podres.Container{box(amounts{"memory": mebi}, nil), box(nil, nil)}}, 500, mebi},
	} {
		if cpu, memory := podres.NonZero(c.pod); cpu != c.cpu || memory != c.memory {
			t.Errorf("%s: got %dm and %d, want %dm and %d", c.name, cpu, memory, c.cpu, c.memory)
		}
	}
}

// What a pod as a whole requests: huge pages of its containers become its own as
// soon as it has any resources, and with them the containers' memory.
func TestLevelRequests(t *testing.T) {
	pages := box(amounts{"cpu": 250, "memory": mebi}, amounts{"hugepages-1Gi": 1 << 30, "memory": 2 * mebi})
	for _, c := range []struct {
		name string
		pod  podres.Pod
		want amounts
	}{
		{"none", pod(pages), amounts{}},
		{"requests only", podres.Pod{Requests: amounts{"cpu": 1000},
			Containers: []podres.Container{box(amounts{"memory": mebi}, nil)}}, amounts{"cpu": 1000}},
		{"huge pages", podres.Pod{Requests: amounts{"cpu": 1000}, Containers: []podres.Container{pages}},
			amounts{"cpu": 1000, "memory": mebi, "hugepages-1Gi": 1 << 30}},
		{"a limit", podres.Pod{Limits: amounts{"cpu": 1000, "memory": 8 * mebi},
			Containers: []podres.Container{box(amounts{"cpu": 300}, nil)}},
			amounts{"cpu": 300, "memory": 8 * mebi}},
	} {
		if got := podres.LevelRequests(&c.pod); !maps.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

// A pod is not changed by any of the questions.
func TestNothingIsChanged(t *testing.T) {
	p := podres.Pod{Requests: amounts{"cpu": 500}, Limits: amounts{"cpu": 900, "memory": mebi},
		Containers: []podres.Container{box(amounts{"cpu": 100}, nil)}}
	podres.LevelRequests(&p)["cpu"] = 1
	podres.QOS(p)
	podres.NonZero(p)
	podres.Requests(p)["cpu"] = 1
	if !maps.Equal(p.Requests, amounts{"cpu": 500}) || !maps.Equal(p.Containers[0].Requests, amounts{"cpu": 100}) {
		t.Errorf("the pod is now %+v", p)
	}
}

// TestOfCounts: the number of containers is for counting processes; one of them has
// all that a pod type requests, so that a Guaranteed one stays so.
func TestOfCounts(t *testing.T) {
	p := podres.Of(v1alpha1.PodType{Name: "a", CPU: 2000, Memory: 1 << 30, QOSClass: podres.Guaranteed, Containers: 2})
	if len(p.Containers) != 1 || podres.QOS(p) != podres.Guaranteed {
		t.Errorf("%+v", p)
	}
}
