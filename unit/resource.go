package unit

import "strings"

// FormatResource writes an amount of a resource of Kubernetes for people: cpu is
// in millicores, memory, ephemeral-storage and hugepages-* in bytes, others are
// counts.
func FormatResource(resource string, n int64) string {
	switch {
	case resource == "cpu":
		return Format(float64(n), Millicores)
	case resource == "memory" || resource == "ephemeral-storage" || strings.HasPrefix(resource, "hugepages-"):
		return Format(float64(n), ByteUnit)
	}
	return Format(float64(n), None)
}
