package machineconfig

import (
	"fmt"
	"strings"
	"testing"

	"plimsoll.dev/release"
)

// BenchmarkAnswer renders 500 MachineConfigs of role worker for 200 custom pools.
func BenchmarkAnswer(b *testing.B) {
	var text strings.Builder
	for i := range 200 {
		fmt.Fprintf(&text, "---\nkind: MachineConfigPool\nmetadata: {name: p%[1]d}\nspec:\n  machineConfigSelector: "+
			"{matchExpressions: [{key: machineconfiguration.openshift.io/role, operator: In, values: [worker, p%[1]d]}]}\n"+
			"  nodeSelector: {matchLabels: {node-role.kubernetes.io/p%[1]d: \"\"}}\n", i)
	}
	for i := range 500 {
		fmt.Fprintf(&text, "---\nkind: MachineConfig\n"+
			"metadata: {name: mc%05[1]d, labels: {machineconfiguration.openshift.io/role: worker}}\nspec:\n"+
			"  kernelArguments: [a%[1]d=1]\n  config:\n    ignition: {version: 3.2.0}\n"+
			"    storage:\n      files: [{path: /etc/f%[1]d, mode: 420, contents: {source: \"data:,x%%20%[1]d\"}}]\n"+
			"      links: [{path: /var/l%[1]d, target: /etc}]\n"+
			"    systemd: {units: [{name: u%[1]d.service, enabled: true, contents: \"[Service]\\n\"}]}\n", i)
	}
	objects := split(b, text.String())
	for _, r := range []release.Release{release.V45, release.Current} {
		b.Run(r.String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Answer(objects, nil, r)
			}
		})
	}
}
