package kube

import "testing"

func BenchmarkEntry(b *testing.B) {
	s, _ := New(Profile{}, benchNodes(20000))
	for _, c := range benchClasses(50) {
		s.Class(c)
	}
	for i := range 200000 {
		s.Schedule(ClassID(i % 50))
	}
	c := s.classes[7]
	b.ResetTimer()
	t := cpuTime()
	for i := range b.N {
		s.entry(c, int32(i*7919%20000))
	}
	b.ReportMetric(float64(cpuTime()-t)/float64(b.N), "cpu-ns/op")
}
