package place

// room is how many more pods of a kind would run now, one after the other.
func (r *run) room(kind int) int {
	if r.c.Kinds[kind].Type.DaemonSet || r.runaway[kind] {
		return 0
	}
	if !r.pinnedAny() {
		return r.s.Room(r.class[kind])
	}
	c := r.clone()
	before := c.placed[kind]
	for c.one(kind) >= 0 {
	}
	return c.placed[kind] - before
}

// pinnedAny says whether any kubelet may refuse a pod.
func (r *run) pinnedAny() bool {
	for _, t := range r.c.Types {
		if t.Pinned {
			return true
		}
	}
	return false
}

// mixedRoom is how many more pods of each kind would run when all kinds grow in
// proportion to their numbers, until the first one finds no place.
func (r *run) mixedRoom() []int {
	c := r.clone()
	more := make([]int, len(r.c.Kinds))
	total := 0
	for i := range r.c.Kinds {
		if !r.c.Kinds[i].Type.DaemonSet {
			total += r.placed[i] + r.pending[i]
		}
	}
	if total == 0 {
		return more
	}
	// The k-th pod is of the kind that is furthest behind its share.
	for step := 1; step <= total*maxGrowth; step++ {
		kind, behind := -1, 0.0
		for i, k := range r.c.Kinds {
			share := float64(r.placed[i]+r.pending[i]) / float64(total)
			if lag := share*float64(step) - float64(more[i]); !k.Type.DaemonSet && (kind < 0 || lag > behind) {
				kind, behind = i, lag
			}
		}
		if c.one(kind) < 0 {
			break
		}
		more[kind]++
	}
	return more
}

// maxGrowth bounds how many times the workload is added to an empty cluster.
const maxGrowth = 10

// numaAware is how many pods of each kind would run if the scheduler passed over
// nodes whose kubelet would refuse.
func (r *run) numaAware() []int {
	c, err := newRun(r.c)
	if err != nil {
		return r.placed
	}
	c.aware = true
	for kind, k := range r.c.Kinds {
		for range k.Count {
			c.one(kind)
		}
	}
	return c.placed
}
