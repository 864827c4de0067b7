package helion_test

import (
	"math"
	"strings"

	"plimsoll.dev/limit"
)

// bound is a limit as the document states it, and whether it is the system that
// refuses, the vendor's support that ends, or the tests.
type bound struct {
	most float64
	kind limit.Kind
}

// bounds are table 12, table 1 and the text of section 5.
var bounds = map[string]bound{
	"vmsPerCompute":         {20, limit.Tested},
	"computes":              {100, limit.Supported},
	"computesTypical":       {10, limit.Recommended},
	"vms":                   {1000, limit.Supported},
	"storageHosts":          {8, limit.Supported},
	"tenantNetworks":        {450, limit.Tested},
	"providerNetworks":      {42, limit.Tested},
	"routers":               {20, limit.Tested},
	"subnets":               {850, limit.Tested},
	"subnetsPerCompute":     {250, limit.Hard},
	"routersPerCompute":     {250, limit.Hard},
	"segments":              {256, limit.Hard},
	"macEntries":            {2700, limit.Tested},
	"macEntriesTheoretical": {262144, limit.Hard},
	"macPerSegment":         {1024, limit.Hard},
	"ports":                 {254, limit.Hard},
	"physicalPorts":         {4, limit.Hard},
	"portsPerVM":            {8, limit.Hard},
	"rulesPerPort":          {128, limit.Hard},
	"securityRules":         {16384, limit.Hard},
	"vswitchCores":          {8, limit.Hard},
	"osds":                  {16, limit.Tested},
	"osdsPerHost":           {8, limit.Supported},
	"stackResources":        {1000, limit.Tested},
	"pgsPerOSD":             {250, limit.Hard},
}

// limits compares the gauges with the document's limits and with the figures.
func (w *twin) limits() (out []string) {
	n := w.s.Network.Neutron
	host := "[" + w.host.Name + "]"
	values := map[string]float64{
		"vms": w.vms(), "computes": float64(w.computes), "routers": float64(n.Routers), "subnets": float64(n.Subnets),
		"tenantNetworks": w.want["neutron.tenantNetworks"], "providerNetworks": w.want["neutron.providerNetworks"],
		"subnetsPerCompute": w.subnets, "routersPerCompute": w.want["neutron.servicesPerCompute"],
		"segments": w.segments, "portsPerVM": w.want["neutron.portsPerVM"], "rulesPerPort": w.want["neutron.rulesPerPort"],
		"ports": w.want["neutron.ports"+host], "physicalPorts": w.want["neutron.physicalPorts"+host],
		"securityRules": w.want["neutron.rules"+host], "vswitchCores": w.want["neutron.cores"+host],
		"vmsPerCompute": w.onFullest(),
		"macEntries":    w.want["neutron.macEntries"], "macEntriesTheoretical": w.want["neutron.macEntries"],
		"macPerSegment": float64(n.MACsPerSegment),
		"osds":          w.want["ceph.osds"], "osdsPerHost": w.want["ceph.osdsPerHost"], "storageHosts": float64(w.storage),
		"pgsPerOSD": w.want["ceph.pgsPerOSD"], "stackResources": float64(n.StackResources),
		"computesTypical": float64(w.computes),
	}
	if !w.careful { // the row names routers and DHCP servers together
		values["routers"] = w.want["neutron.services"]
	}
	seen := map[string]bool{}
	for _, g := range w.p.Gauges {
		id, _, _ := strings.Cut(g.ID, "[")
		b, ok := bounds[id]
		if !ok {
			continue
		}
		seen[id] = true
		if _, known := w.open["rules as printed"]; known && id == "securityRules" && !w.careful && values[id] > 0 {
			b.most = 32512
		}
		if math.Abs(g.Value.Number-values[id]) > 1e-9*values[id] || g.Limit.Number != b.most || g.Kind != b.kind {
			out = append(out, text("gauge %s: plan %v of %v %s, twin %v of %v %s", g.ID, g.Value.Number, g.Limit.Number, g.Kind,
				values[id], b.most, b.kind))
		}
		if (g.Verdict == limit.Passed) != (values[id] > b.most) {
			out = append(out, text("gauge %s: %s with %v of %v", g.ID, g.Verdict, values[id], b.most))
		}
	}
	for id, b := range bounds {
		if values[id] > b.most && !seen[id] && id != "computesTypical" {
			out = append(out, text("gauge %s: none, though %v pass %v", id, values[id], b.most))
		}
	}
	return out
}
