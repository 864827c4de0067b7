package load

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"plimsoll.dev/engine/apiserver"
	"plimsoll.dev/internal/words"
)

// Cluster is what a run was on; what the server does not tell is left out.
type Cluster struct {
	// Kubernetes and OpenShift are versions: "v1.36.3", "4.17.3".
	Kubernetes string `json:"kubernetes,omitempty"`
	OpenShift  string `json:"openshift,omitempty"`
	// Nodes that there were, and Simulated those among them that run nothing.
	Nodes     int `json:"nodes,omitempty"`
	Simulated int `json:"simulated,omitempty"`
}

// ClusterOf asks the server. Who may not know has an answer with less in it.
func ClusterOf(ctx context.Context, c *apiserver.Client) Cluster {
	var version struct{ GitVersion string }
	var release struct {
		Status struct{ Desired struct{ Version string } }
	}
	var nodes struct {
		Items []struct {
			Status struct {
				NodeInfo struct{ KubeletVersion, ContainerRuntimeVersion string }
			}
		}
	}
	ask := func(path string, to any) {
		if text, err := c.Do(ctx, apiserver.Request{Method: http.MethodGet, Path: path}); err == nil {
			_ = json.Unmarshal(text, to) // a server that answers otherwise tells nothing
		}
	}
	ask("/version", &version)
	ask("/apis/config.openshift.io/v1/clusterversions/version", &release)
	ask(apiserver.Resource{APIVersion: "v1", Name: "nodes"}.Path(""), &nodes)
	out := Cluster{Kubernetes: version.GitVersion, OpenShift: release.Status.Desired.Version, Nodes: len(nodes.Items)}
	for _, n := range nodes.Items {
		info := n.Status.NodeInfo
		if strings.HasPrefix(info.ContainerRuntimeVersion, "simulated") || strings.HasPrefix(info.KubeletVersion, "kwok") {
			out.Simulated++
		}
		if strings.HasPrefix(out.Kubernetes, "v0.0.0") { // built without a version, as the laboratory is
			out.Kubernetes = info.KubeletVersion
		}
	}
	return out
}

// String is "OpenShift 4.17.3, Kubernetes v1.30.5, 100 simulated nodes"; "" of a cluster that tells nothing.
func (c Cluster) String() string {
	var parts []string
	if c.OpenShift != "" {
		parts = append(parts, "OpenShift "+c.OpenShift)
	}
	if c.Kubernetes != "" {
		parts = append(parts, "Kubernetes "+c.Kubernetes)
	}
	switch {
	case c.Nodes == 0:
	case c.Simulated == c.Nodes:
		parts = append(parts, words.Count(c.Nodes, "simulated node"))
	case c.Simulated > 0:
		parts = append(parts, fmt.Sprintf("%s, %s of them simulated", words.Count(c.Nodes, "node"),
			words.Number(c.Simulated)))
	default:
		parts = append(parts, words.Count(c.Nodes, "node"))
	}
	return strings.Join(parts, ", ")
}
