package kubelet

import (
	"context"
	"errors"
	"slices"

	"google.golang.org/grpc"
	api "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"

	"plimsoll.dev/topo"
)

// plugin is a device plug-in that is called directly instead of over its socket.
// Asked for its preference, it names the lowest ids, so that the choice is not
// left to the order of a Go map.
type plugin struct {
	resource string
	devices  []*api.Device
}

// plugins are one for each resource, in the order of their first device.
func plugins(devices []topo.Device) []*plugin {
	var all []*plugin
	for _, d := range devices {
		i := slices.IndexFunc(all, func(p *plugin) bool { return p.resource == d.Resource })
		if i < 0 {
			i = len(all)
			all = append(all, &plugin{resource: d.Resource})
		}
		all[i].devices = append(all[i].devices, device(d))
	}
	return all
}

func device(d topo.Device) *api.Device {
	out := &api.Device{ID: d.ID, Health: api.Healthy}
	if d.Unhealthy {
		out.Health = api.Unhealthy
	}
	if len(d.Nodes) > 0 {
		out.Topology = &api.TopologyInfo{}
	}
	for _, n := range d.Nodes {
		out.Topology.Nodes = append(out.Topology.Nodes, &api.NUMANode{ID: int64(n)})
	}
	return out
}

func (p *plugin) API() api.DevicePluginClient { return p }
func (p *plugin) Resource() string            { return p.resource }
func (p *plugin) SocketPath() string          { return "" }

func (p *plugin) GetDevicePluginOptions(context.Context, *api.Empty,
	...grpc.CallOption) (*api.DevicePluginOptions, error) {
	return &api.DevicePluginOptions{GetPreferredAllocationAvailable: true}, nil
}

func (p *plugin) ListAndWatch(context.Context, *api.Empty,
	...grpc.CallOption) (grpc.ServerStreamingClient[api.ListAndWatchResponse], error) {
	return nil, errors.New("the list of devices is handed over directly")
}

func (p *plugin) GetPreferredAllocation(_ context.Context, in *api.PreferredAllocationRequest,
	_ ...grpc.CallOption) (*api.PreferredAllocationResponse, error) {
	out := &api.PreferredAllocationResponse{}
	for _, r := range in.ContainerRequests {
		ids := slices.Clone(r.MustIncludeDeviceIDs)
		for _, id := range slices.Sorted(slices.Values(r.AvailableDeviceIDs)) {
			if len(ids) < int(r.AllocationSize) && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
		out.ContainerResponses = append(out.ContainerResponses, &api.ContainerPreferredAllocationResponse{DeviceIDs: ids})
	}
	return out, nil
}

func (p *plugin) Allocate(_ context.Context, in *api.AllocateRequest,
	_ ...grpc.CallOption) (*api.AllocateResponse, error) {
	out := &api.AllocateResponse{}
	for range in.ContainerRequests {
		out.ContainerResponses = append(out.ContainerResponses, &api.ContainerAllocateResponse{})
	}
	return out, nil
}

func (p *plugin) PreStartContainer(context.Context, *api.PreStartContainerRequest,
	...grpc.CallOption) (*api.PreStartContainerResponse, error) {
	return &api.PreStartContainerResponse{}, nil
}
