package kubeletconfig

import (
	"testing"

	"plimsoll.dev/object"
	"plimsoll.dev/release"
)

// FuzzExplain feeds manifests: nothing may panic, and findings have a place.
func FuzzExplain(f *testing.F) {
	for _, c := range faults {
		f.Add(cr("x", "k: v", c.lines...)+onPool("worker", "k: v"), byte(c.release))
	}
	for _, c := range groups {
		f.Add(c.text, byte(c.release))
	}
	f.Add(cr("x", "k: v", "kubeletConfig: {logging: {flushFrequency: 5s, vmodule: [{}], options: {json: "+
		"{infoBufferSize: 1Ki}}}, tracing: {endpoint: a}, registerWithTaints: [{timeAdded: x}]}"), byte(3))
	f.Fuzz(func(t *testing.T, text string, e byte) {
		objects, problems := object.Split("fuzz.yaml", []byte(text))
		if len(problems) > 0 || int(e) >= len(release.Documented()) {
			return
		}
		a := Explain(objects, Options{Release: release.Release(e), Pool: "worker", Cores: 4, HostPrefix: 23})
		for _, found := range a.Findings {
			if found.Place == nil || found.Message == "" {
				t.Fatalf("%+v", found)
			}
		}
	})
}
