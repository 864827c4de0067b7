package kubelettest

import (
	"fmt"
	"maps"
	"slices"

	"plimsoll.dev/place/kubelet"
)

// Difference says how got differs from what the real kubelet answered; empty when
// it does not. Containers at the end that got nothing, not even a hint, count as
// absent. What the kubelet leaves to chance is not compared: a recorded message
// that is empty stands for any. Slow is ours alone.
func Difference(want, got kubelet.Verdict) string {
	switch {
	case want.Reason == kubelet.Hangs && got.Reason == kubelet.Hangs:
		return "" // nothing else is known then
	case want.Admitted != got.Admitted || want.Reason != got.Reason:
		return differ("verdict", fmt.Sprintf("%v %s %q", want.Admitted, want.Reason, want.Message),
			fmt.Sprintf("%v %s %q", got.Admitted, got.Reason, got.Message))
	case want.QOS != got.QOS:
		return differ("QoS class", want.QOS, got.QOS)
	case want.Message != "" && want.Message != got.Message:
		return differ("message", want.Message, got.Message)
	case !slices.Equal(want.Preempted, got.Preempted):
		return differ("preempted pods", want.Preempted, got.Preempted)
	}
	return differContainers(given(want.Containers), given(got.Containers))
}

// FirstDifference compares answers in their order; -1 when they are equal.
func FirstDifference(want, got []kubelet.Verdict) (at int, what string) {
	for i := range want {
		if i >= len(got) {
			return i, "no answer"
		}
		if d := Difference(want[i], got[i]); d != "" {
			return i, d
		}
	}
	if len(got) > len(want) {
		return len(want), "an answer too many"
	}
	return -1, ""
}

func differContainers(want, got []kubelet.Allocation) string {
	for i := range want {
		if i >= len(got) {
			return differ("container "+want[i].Container, want[i], "nothing")
		}
		if d := differAllocation(want[i], got[i]); d != "" {
			return "container " + want[i].Container + ": " + d
		}
	}
	if len(got) > len(want) {
		return differ("container "+got[len(want)].Container, "nothing", got[len(want)])
	}
	return ""
}

func differAllocation(want, got kubelet.Allocation) string {
	switch {
	case want.Container != got.Container:
		return differ("name", want.Container, got.Container)
	case want.CPUs != got.CPUs:
		return differ("CPUs", want.CPUs, got.CPUs)
	case !slices.Equal(want.Affinity, got.Affinity):
		return differ("affinity", want.Affinity, got.Affinity)
	case want.Preferred != got.Preferred:
		return differ("preferred", want.Preferred, got.Preferred)
	case !sameMemory(want.Memory, got.Memory):
		return differ("memory", want.Memory, got.Memory)
	case !maps.EqualFunc(want.Devices, got.Devices, slices.Equal):
		return differ("devices", want.Devices, got.Devices)
	}
	return ""
}

// sameMemory compares blocks by type, whose order is of no meaning.
func sameMemory(want, got []kubelet.MemoryBlock) bool {
	return slices.EqualFunc(byType(want), byType(got), func(a, b kubelet.MemoryBlock) bool {
		return a.Type == b.Type && a.Size == b.Size && slices.Equal(a.Nodes, b.Nodes)
	})
}

func byType(blocks []kubelet.MemoryBlock) []kubelet.MemoryBlock {
	return slices.SortedStableFunc(slices.Values(blocks), func(a, b kubelet.MemoryBlock) int {
		switch {
		case a.Type < b.Type:
			return -1
		case a.Type > b.Type:
			return 1
		}
		return 0
	})
}

// given are the containers up to the last that got anything.
func given(all []kubelet.Allocation) []kubelet.Allocation {
	n := len(all)
	for n > 0 && differAllocation(all[n-1], kubelet.Allocation{Container: all[n-1].Container}) == "" {
		n--
	}
	return all[:n]
}

func differ(what string, want, got any) string {
	return fmt.Sprintf("%s: the kubelet says %v, we say %v", what, want, got)
}
