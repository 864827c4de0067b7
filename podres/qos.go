package podres

// Quality-of-service classes.
const (
	Guaranteed = "Guaranteed"
	Burstable  = "Burstable"
	BestEffort = "BestEffort"
)

// QOS is the quality-of-service class of a pod (OCP 7.3;
// pkg/apis/core/v1/helper/qos). Only CPU and memory count, and only amounts
// above 0: nothing requested and nothing limited is BestEffort; every container
// and init container limited in both, and the sums of requests equal to those of
// the limits, is Guaranteed. Where the pod as a whole has resources, they count
// in place of its containers'.
func QOS(p Pod) string {
	if p.Requests != nil || p.Limits != nil {
		return classOfPod(&p)
	}
	var requests, limits computeSum
	limited := true
	p.Each(func(c *Container) {
		cpu, _ := c.Request(CPU)
		memory, _ := c.Request(Memory)
		requests.add(cpu, memory)
		limits.add(c.Limits[CPU], c.Limits[Memory])
		limited = limited && c.Limits[CPU] > 0 && c.Limits[Memory] > 0
	})
	return class(requests, limits, limited)
}

func classOfPod(p *Pod) string {
	var requests, limits computeSum
	r := LevelRequests(p)
	requests.add(r[CPU], r[Memory])
	limits.add(p.Limits[CPU], p.Limits[Memory])
	return class(requests, limits, limits.cpu > 0 && limits.memory > 0)
}

// class decides from the sums; limited says that CPU and memory are limited
// everywhere.
func class(requests, limits computeSum, limited bool) string {
	switch {
	case requests == computeSum{} && limits == computeSum{}:
		return BestEffort
	case limited && requests == limits:
		return Guaranteed
	}
	return Burstable
}

// computeSum adds up positive amounts; 0 means that none was named.
type computeSum struct{ cpu, memory int64 }

func (s *computeSum) add(cpu, memory int64) {
	s.cpu += max(0, cpu)
	s.memory += max(0, memory)
}
