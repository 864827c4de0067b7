package podres

import (
	"maps"
	"strings"
)

// Amounts that the scheduler assumes for containers without a request when it
// scores nodes (pkg/scheduler/util/pod_resources.go).
const (
	assumedMilliCPU = 100
	assumedMemory   = 200 << 20
)

// Sort of container, as far as what it holds can be used by others.
type Sort uint8

const (
	// App containers run side by side.
	App Sort = iota
	// Init containers run one after the other, before the app containers.
	Init
	// Sidecar is an init container that keeps running (restartPolicy: Always).
	Sidecar
)

// Sum adds up what the containers of a pod hold of one thing, init containers in
// their order.
type Sum struct{ running, started, starting int64 }

// Add counts a container in.
func (s *Sum) Add(sort Sort, amount int64) {
	switch sort {
	case App:
		s.running += amount
	case Sidecar:
		s.started += amount
	case Init:
		s.starting = max(s.starting, s.started+amount)
	}
}

// Peak is the most that is held at one time: by all app containers and sidecars,
// or by an init container and the sidecars that started before it (KEP 753).
func (s *Sum) Peak() int64 { return max(s.running+s.started, s.starting) }

func peak(p *Pod, of func(c *Container) int64) int64 {
	var s Sum
	for i := range p.Init {
		sort := Init
		if p.Init[i].Restartable {
			sort = Sidecar
		}
		s.Add(sort, of(&p.Init[i]))
	}
	for i := range p.Containers {
		s.Add(App, of(&p.Containers[i]))
	}
	return s.Peak()
}

// Requests is what the pod asks of a node, by resource: the peak of its
// containers, for cpu, memory and huge pages the request of the pod as a whole
// where it has one, and the overhead. Resources of amount 0 are left out.
func Requests(p Pod) map[string]int64 {
	return requests(&p, func(c *Container, resource string) int64 {
		v, _ := c.Request(resource)
		return v
	})
}

// NonZero is what LeastAllocated and MostAllocated count of the pod: CPU in
// millicores and memory in bytes, with 100m and 200Mi for each container that
// does not name the resource. In a pod with requests as a whole that happens only
// where nobody names it.
func NonZero(p Pod) (milliCPU, memory int64) {
	whole := anySupported(LevelRequests(&p))
	assumed := map[string]int64{CPU: assumedMilliCPU, Memory: assumedMemory}
	for name := range assumed {
		if whole && named(&p, name) {
			delete(assumed, name)
		}
	}
	sum := requests(&p, func(c *Container, resource string) int64 {
		if v, ok := c.Request(resource); ok {
			return v
		}
		return assumed[resource]
	})
	return sum[CPU], sum[Memory]
}

func requests(p *Pod, of func(c *Container, resource string) int64) map[string]int64 {
	sum := map[string]int64{CPU: 0, Memory: 0}
	Names(p, func(name string) { sum[name] = 0 })
	level := LevelRequests(p)
	for name := range sum {
		sum[name] = requestOf(p, level, name, of)
	}
	maps.DeleteFunc(sum, func(_ string, v int64) bool { return v == 0 })
	return sum
}

// RequestOf is what Requests has of one resource.
func RequestOf(p *Pod, resource string) int64 {
	var level map[string]int64
	if p.Requests != nil || p.Limits != nil {
		level = LevelRequests(p)
	}
	return requestOf(p, level, resource, func(c *Container, resource string) int64 {
		v, _ := c.Request(resource)
		return v
	})
}

func requestOf(p *Pod, level map[string]int64, resource string, of func(c *Container, resource string) int64) int64 {
	v, whole := level[resource]
	if !whole || !supported(resource) {
		v = peak(p, func(c *Container) int64 { return of(c, resource) })
	}
	return v + p.Overhead[resource]
}

// Names calls f with the names of all resources that the pod asks for, some more
// than once.
func Names(p *Pod, f func(resource string)) {
	each := func(amounts map[string]int64) {
		for name := range amounts {
			f(name)
		}
	}
	p.Each(func(c *Container) {
		each(c.Requests)
		each(c.Limits)
	})
	each(p.Requests)
	each(p.Limits)
	each(p.Overhead)
}

// LevelRequests are the requests of the pod as a whole, empty when it has none,
// with the API server's defaults: where it has limits, the sum of the containers'
// requests, or else the limit (pkg/apis/core/v1/defaults.go).
func LevelRequests(p *Pod) map[string]int64 {
	limits := levelLimits(p)
	out := make(map[string]int64, len(limits))
	maps.Copy(out, p.Requests)
	if len(limits) == 0 {
		return out
	}
	for _, name := range []string{CPU, Memory} {
		if _, given := out[name]; given || !named(p, name) {
			continue
		}
		out[name] = peak(p, func(c *Container) int64 {
			v, _ := c.Request(name)
			return v
		})
	}
	for name, v := range limits {
		if _, given := out[name]; !given && supported(name) {
			out[name] = v
		}
	}
	return out
}

// levelLimits are the limits of the pod as a whole. Once it has resources at all,
// huge pages that it does not name are limited to what its containers may have.
func levelLimits(p *Pod) map[string]int64 {
	if len(p.Requests)+len(p.Limits) == 0 {
		return nil
	}
	out := maps.Clone(p.Limits)
	if out == nil {
		out = map[string]int64{}
	}
	p.Each(func(c *Container) {
		for name := range c.Limits {
			_, requested := p.Requests[name]
			_, limited := p.Limits[name]
			if strings.HasPrefix(name, HugePages) && !requested && !limited {
				out[name] = peak(p, func(c *Container) int64 { return c.Limits[name] })
			}
		}
	})
	return out
}

// named reports whether a container of the pod requests the resource.
func named(p *Pod, resource string) (found bool) {
	p.Each(func(c *Container) {
		_, ok := c.Request(resource)
		found = found || ok
	})
	return found
}

// supported reports whether a pod as a whole can ask for the resource.
func supported(resource string) bool {
	return resource == CPU || resource == Memory || strings.HasPrefix(resource, HugePages)
}

func anySupported(amounts map[string]int64) bool {
	for name := range amounts {
		if supported(name) {
			return true
		}
	}
	return false
}
