package yamlout

import (
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

// A list of 100,000 parts takes memory for a few of them and for the text, not
// for all at once.
func TestPiecesTakeLittle(t *testing.T) {
	raw := []byte(`{"list": [0` + strings.Repeat(`, {"a": 1, "b": [2]}`, 100_000) + "]}")
	var before, after runtime.MemStats
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	runtime.ReadMemStats(&before)
	_, err := InOrder(raw)
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapSys) - int64(before.HeapSys); err != nil || grown > 32<<20 {
		t.Errorf("%v, %d bytes", err, grown)
	}
	if _, err := InOrder([]byte(`{"a": [1, 2`)); err == nil {
		t.Error("half a text is no error")
	}
}
