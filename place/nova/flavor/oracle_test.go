package flavor

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/unit"
)

// recorded is what Nova made of a flavor and an image.
type recorded struct {
	VCPUs   int               `json:"vcpus"`
	RAM     int64             `json:"ram"` // MiB
	Specs   map[string]string `json:"specs"`
	Image   map[string]string `json:"image"`
	Error   string            `json:"error"`
	Request *nova.Request     `json:"request"`
}

// stricter are values that Nova's scheduler overlooks and that are errors here:
// Nova's check of new extra specs refuses them, but for pages below 1 KiB, which
// the scheduler takes for no page size at all.
func (r recorded) stricter() bool {
	for key, value := range r.Specs {
		_, boolean := truth(value)
		switch {
		case (key == "hw:locked_memory" || key == "hw:cpu_realtime") && !boolean,
			value == "x" && (strings.HasPrefix(key, "resources") || strings.HasPrefix(key, "trait")),
			key == "pci_passthrough:alias" && strings.Contains(value, ":-"),
			key == "hw:mem_page_size" && value == "512B":
			return true
		}
	}
	return r.Image["hw_mem_page_size"] == "512B"
}

// want is the recorded request under our conventions.
func (r recorded) want() *nova.Request {
	if r.Request == nil {
		return nil
	}
	w := *r.Request
	w.SharedVCPU = -1
	for i := range w.Cells {
		w.Cells[i].ID, w.Cells[i].HostNode = i, -1
	}
	// Aliases of nova.conf have policies of their own, which no flavor tells.
	if r.Specs["hw:pci_numa_affinity_policy"] == "" && r.Image["hw_pci_numa_affinity_policy"] == "" {
		for i := range w.Devices {
			w.Devices[i].Policy = nova.Legacy
		}
	}
	w.Devices = slices.DeleteFunc(w.Devices, func(d nova.DeviceRequest) bool { return d.Count == 0 })
	return &w
}

func TestOracle(t *testing.T) {
	file, err := os.Open("testdata/oracle/constraints.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	zip, err := gzip.NewReader(bufio.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	lines, n, refused, skipped := json.NewDecoder(zip), 0, 0, 0
	for lines.More() {
		var r recorded
		if err := lines.Decode(&r); err != nil {
			t.Fatal(err)
		}
		n++
		if r.Error == "PciRequestAliasNotDefined" || r.stricter() {
			skipped++ // which aliases there are is the hosts' business
			continue
		}
		if r.Error != "" {
			refused++
		}
		replay(t, r)
	}
	if n < 3000 || refused < 1000 || skipped > n/50 {
		t.Errorf("%d cases, %d refused by Nova and %d skipped are not what was recorded", n, refused, skipped)
	}
}

func replay(t *testing.T, r recorded) {
	t.Helper()
	f := v1alpha1.Flavor{Name: "f", VCPUs: r.VCPUs, RAM: unit.Bytes(r.RAM) * unit.MiB, Properties: r.Specs}
	got, _, errs := Request(&f, &v1alpha1.Image{Name: "i", Properties: r.Image}, nil, nova.Nova)
	if (got == nil) != (r.Error != "") {
		t.Errorf("%v with image %v: Nova says %q, here %v", r.Specs, r.Image, r.Error, errs)
		return
	}
	if diff := cmp.Diff(r.want(), got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%v with image %v (-Nova +here):\n%s", r.Specs, r.Image, diff)
	}
}
