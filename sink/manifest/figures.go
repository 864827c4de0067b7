package manifest

import (
	"strings"

	"plimsoll.dev/api/v1alpha1"
)

// topic is a subject of the plan that files belong to.
type topic string

// The topics.
const (
	topicNetwork      topic = "network"
	topicMTU          topic = "mtu"
	topicControlPlane topic = "control plane"
	topicWorkers      topic = "workers"
	topicInfra        topic = "infra"
	topicGrowth       topic = "growth"
	topicRollout      topic = "rollout"
	topicKubelet      topic = "kubelet"
	topicMonitoring   topic = "monitoring"
	topicRouter       topic = "router"
	topicHugePages    topic = "huge pages"
)

// figureIDs are the ids of the figures behind a topic, without what stands in
// brackets.
var figureIDs = map[topic][]string{
	topicNetwork:      {"network.cidr", "network.hostPrefix"},
	topicMTU:          {"network.mtu.cluster"},
	topicControlPlane: {"control.cores", "control.memory"},
	topicWorkers:      {"nodes.workers"},
	topicInfra:        {"infra.nodes"},
	topicGrowth:       {"grow.steps"},
	topicRollout:      {"grow.rollout.atOnce", "grow.rollout.max", "grow.rollout.left"},
	topicKubelet:      {"nodes.mostPods"},
	topicMonitoring:   {"monitoring.volume", "monitoring.memoryRequest", "monitoring.cpuRequest"},
	topicRouter:       {"router.replicas", "router.shards"},
	topicHugePages:    {"hugePages.pages", "hugePages.perNUMA"},
}

// mostFigures bounds the figures that a header names.
const mostFigures = 6

// poolTopic is the topic of a pool's size.
func poolTopic(pool v1alpha1.PoolDecision) topic {
	if pool.Role == "infra" {
		return topicInfra
	}
	return topicWorkers
}

// figures are the ids of the plan's figures behind a topic. Where there is one
// for each item, such as a node type, those are meant that name the given item;
// all, when none does.
func (r *renderer) figures(t topic, item string) []string {
	var out []string
	for _, id := range figureIDs[t] {
		var exact, named, others []string
		for _, f := range r.Figures {
			rest, ok := strings.CutPrefix(f.ID, id)
			switch {
			case !ok || rest != "" && rest[0] != '[':
			case rest == "":
				exact = append(exact, f.ID)
			case strings.Contains(rest, item):
				named = append(named, f.ID)
			default:
				others = append(others, f.ID)
			}
		}
		for _, found := range [][]string{exact, named, others} {
			if len(found) > 0 {
				out = append(out, found...)
				break
			}
		}
	}
	return out[:min(len(out), mostFigures)]
}
