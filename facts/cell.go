package facts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"plimsoll.dev/limit"
	"plimsoll.dev/unit"
)

// UnmarshalJSON reads a cell: a number, a quantity or text in quotes, or an
// object {value, kind, grade, marks, notes, conditions, contradicts}.
func (c *Cell) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] != '{' {
		return c.setValue(b)
	}
	var o struct {
		Value       json.RawMessage `json:"value"`
		Kind        limit.Kind      `json:"kind"`
		Grade       Grade           `json:"grade"`
		Marks       []string        `json:"marks"`
		Notes       []string        `json:"notes"`
		Conditions  string          `json:"conditions"`
		Contradicts []string        `json:"contradicts"`
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&o); err != nil {
		return err
	}
	*c = Cell{Kind: o.Kind, Grade: o.Grade, Marks: o.Marks, Notes: o.Notes, Conditions: o.Conditions,
		Contradicts: o.Contradicts}
	if o.Value == nil {
		return fmt.Errorf("a cell has no value: %s", b)
	}
	return c.setValue(o.Value)
}

func (c *Cell) setValue(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) != nil {
		return json.Unmarshal(b, &c.Number)
	}
	if n, ok := quantity(s); ok {
		c.Number = n
		return nil
	}
	c.Text = s
	return nil
}

// quantity reads a text such as "16GB", "500m", "100Mi", "10Gbit/s" or "50ms"
// that data files use to stay readable; ok is false for any other text.
func quantity(s string) (float64, bool) {
	for _, u := range []struct {
		suffix string
		scale  float64
	}{
		{"Gbit/s", 1e9}, {"Mbit/s", 1e6}, {"KiB", float64(unit.KiB)}, {"MiB", float64(unit.MiB)}, {"GiB", float64(unit.GiB)},
		{"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"Ki", float64(unit.KiB)}, {"Mi", float64(unit.MiB)},
		{"Gi", float64(unit.GiB)},
		{"%", 0.01}, {"ms", 0.001}, {"min", 60}, {"cores", 1000}, {"core", 1000}, {"m", 1}, {"s", 1}, {"h", 3600},
		{"d", 86400},
	} {
		number, ok := strings.CutSuffix(s, u.suffix)
		if !ok {
			continue
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		return v * u.scale, err == nil
	}
	return 0, false
}
