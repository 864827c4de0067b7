package kubeletconfig

import (
	"fmt"

	"plimsoll.dev/facts"
	"plimsoll.dev/release"
)

// testedPods is the number of pods on a node that a release's maximums name.
func testedPods(r release.Release) int64 {
	f, _, _, _ := facts.Load().ForRelease("ocp.max.podsPerNode", r.Minor().String())
	return f.Value().Int()
}

// podAddresses is what the part of the cluster network that a node gets leaves for
// pods. The network's plug-in, of which there are several, keeps one at least.
func podAddresses(hostPrefix int) int64 {
	c := facts.Load()
	return 1<<(32-hostPrefix) - c.Must("net.subnet.reservedIPv4").Value().Int() -
		c.Must("ocp.network.nodeAddresses/other").Value().Int()
}

// judgeNetwork holds maxPods against a node's part of the cluster network, of
// prefix length hostPrefix; 0 is not known.
func judgeNetwork(c Conf, hostPrefix int) []Problem {
	if hostPrefix < 1 || hostPrefix > 32 {
		return nil
	}
	have, want := podAddresses(hostPrefix), int64(c.Pods(1<<20))
	system := facts.Load().Must("ocp.systemPods.max").Value().Int()
	p := Problem{Path: inConfig("maxPods")}
	switch {
	case want > have:
		p.Rule = hostPrefixShort
		p.What = fmt.Sprintf("hostPrefix %d leaves %d addresses for pods on a node, and maxPods is %d: "+
			"the pods beyond get no address", hostPrefix, have, want)
	case want+system > have:
		p.Rule = hostPrefixTight
		p.What = fmt.Sprintf("hostPrefix %d leaves %d addresses for pods on a node: "+
			"not enough for %d user pods beside up to %d of the system", hostPrefix, have, want, system)
	default:
		return nil
	}
	p.Fix = fmt.Sprintf("use hostPrefix %d, which is chosen when the cluster is installed, or lower maxPods",
		fitting(want+system))
	return []Problem{p}
}

// fitting is the longest hostPrefix with addresses for so many pods.
func fitting(pods int64) int {
	for prefix := 31; prefix > 1; prefix-- {
		if podAddresses(prefix) >= pods {
			return prefix
		}
	}
	return 1
}
