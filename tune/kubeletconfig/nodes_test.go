package kubeletconfig

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/release"
)

// Reserved CPUs of the KubeletConfig that counts are held against the nodes of its pool.
func TestOnNodes(t *testing.T) {
	node := func(role string) string {
		return "---\napiVersion: v1\nkind: Node\nmetadata: {name: n, labels: {node-role.kubernetes.io/" + role +
			": ''}}\nstatus: {capacity: {cpu: '8'}}\n"
	}
	reserved := func(cpus string) string {
		return cr("a", standard, "kubeletConfig: {reservedSystemCPUs: '"+cpus+"', cpuManagerPolicy: static}")
	}
	for _, c := range []struct {
		text string
		want []string
	}{
		{reserved("0-1") + node("worker"), nil},
		{reserved("30-31"), nil},
		{reserved("30-31") + node("master"), nil},
		{reserved("30-31") + node("worker"), []string{"reservedBeyond"}},
	} {
		if d := cmp.Diff(c.want, ids(Check(objectsOf(t, c.text), release.Current))); d != "" {
			t.Errorf("%s: %s", c.text, d)
		}
	}
}
