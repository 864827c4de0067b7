package scheduler

// Resources that every node has.
const (
	cpu       = "cpu"
	memory    = "memory"
	ephemeral = "ephemeral-storage"
)

// native resources score nodes even for pods that don't ask for them.
func native(name string) bool { return name == cpu || name == memory || name == ephemeral }

func amount(r *Resources, name string) int64 {
	switch name {
	case cpu:
		return r.CPU
	case memory:
		return r.Memory
	case ephemeral:
		return r.EphemeralStorage
	}
	return r.Scalar[name]
}

// asked is what a pod counts for; nonZero of cpu and memory where it says nothing.
func asked(c *PodClass, name string, nonZero bool) int64 {
	switch {
	case nonZero && c.Incoming != nil:
		return amount(c.Incoming, name)
	case nonZero && name == cpu:
		return c.NonZeroCPU
	case nonZero && name == memory:
		return c.NonZeroMemory
	}
	return amount(&c.Request, name)
}
