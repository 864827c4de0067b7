package compute

// Enough is the fewest hosts found, beyond Total, on which all VMs run, also after a
// loss, with no more on one host than were tested; 0 when no number that was tried
// does. Hosts on which the order of arrival wastes room are bounded more closely than
// those that spread VMs.
func (f *Fleet) Enough(in Input) int {
	from := max(f.Total, f.Least+f.Spares-1)
	far := 2*from + nearby
	t, problems := f.trials(in, far)
	if len(problems) > 0 || !f.try(in, t, far).ok() {
		return 0 // hosts are no help
	}
	near := from + nearby + f.Base/10
	return fewest(from, far, func(n int) (ok, goOn bool) {
		o := f.try(in, t, n)
		return o.ok(), n < near || o.crowded
	})
}

// nearby is how many hosts more are tried at least.
const nearby = 4

// fewest is a number beyond from, up to most, that holds while a smaller one near it
// doesn't; 0 when none is found. Steps grow until a number holds, or until goOn says
// that larger ones are no use; then the gap is halved, down to the first step, which
// is some percent of large numbers: every try places all VMs.
func fewest(from, most int, holds func(n int) (ok, goOn bool)) int {
	first := max(1, from/32)
	fails, works := from, 0
	for step := first; works == 0; step *= 4 {
		n := min(fails+step, most)
		if n == fails {
			return 0
		}
		ok, goOn := holds(n)
		switch {
		case ok:
			works = n
		case !goOn:
			return 0
		default:
			fails = n
		}
	}
	for works-fails > first {
		n := (fails + works) / 2
		if ok, _ := holds(n); ok {
			works = n
		} else {
			fails = n
		}
	}
	return works
}

// leastCures is how many settings are tried, however many the VMs are.
const leastCures = 2

// cure is a choice of the order of hosts, NUMA nodes or VMs with which all holds on
// Total hosts, in words and as the input to place with; empty when none is.
func (f *Fleet) cure(in Input) (words string, with Input) {
	const pack, spread = "pack", "spread"
	was := in.Scenario.Scheduling
	tries := max(leastCures, effort/max(1, vmsOf(in.Scenario)))
	for _, c := range []struct{ host, numa, order, words string }{
		{spread, was.NUMAStrategy, was.Order, "scheduling.hostStrategy: spread"},
		{pack, was.NUMAStrategy, was.Order, "scheduling.hostStrategy: pack"},
		{was.HostStrategy, pack, was.Order, "scheduling.numaStrategy: pack"},
		{was.HostStrategy, was.NUMAStrategy, "largestFirst", "the largest VMs first (scheduling.order: largestFirst)"},
		{pack, pack, "largestFirst",
			"hostStrategy and numaStrategy: pack and the largest VMs first (scheduling.order: largestFirst)"},
	} {
		s := *in.Scenario
		s.Scheduling.HostStrategy, s.Scheduling.NUMAStrategy, s.Scheduling.Order = c.host, c.numa, c.order
		if c.host == was.HostStrategy && c.numa == was.NUMAStrategy && c.order == was.Order || tries == 0 {
			continue
		}
		tries--
		with = in
		with.Scenario = &s
		if t, problems := f.trials(with, f.Total); len(problems) == 0 && f.try(with, t, f.Total).ok() {
			return c.words, with
		}
	}
	return "", in
}

// Remedy is a setting or a number of hosts with which all holds; both were tried.
// It is empty when neither was found.
func (f *Fleet) Remedy(in Input) string {
	if words, _ := f.cure(in); words != "" {
		return "place with " + words + ": then all holds on " + hosts(f.Total)
	}
	if n := f.Enough(in); n > 0 {
		return "take " + hosts(n) + ": then all holds"
	}
	return ""
}
