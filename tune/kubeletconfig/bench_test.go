package kubeletconfig

import (
	"fmt"
	"strings"
	"testing"

	"plimsoll.dev/release"
)

// BenchmarkCheck judges 500 KubeletConfigs of one pool.
func BenchmarkCheck(b *testing.B) {
	var text strings.Builder
	for i := range 500 {
		text.WriteString(cr(fmt.Sprintf("k%d", i), "k: v",
			fmt.Sprintf("kubeletConfig: {maxPods: %d, podsPerCore: 5}", 100+i)))
	}
	text.WriteString(onPool("worker", "k: v"))
	objects := objectsOf(b, text.String())
	for _, r := range []release.Release{release.V44, release.Current} {
		b.Run(r.String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Check(objects, r)
			}
		})
	}
}
