package strict

import (
	"fmt"
	"math"
	"reflect"

	"plimsoll.dev/unit"
)

// Sensible are the largest values that numbers of a kind can mean in a document about
// machines, where no tag says less. Sums and products of them can be computed: without
// bounds, a number of eighteen digits overflows far from the line that has it.
var Sensible = map[reflect.Type]float64{
	reflect.TypeFor[int]():           1e9,
	reflect.TypeFor[int32]():         math.MaxInt32, // Kubernetes' own, whose priorities go that far
	reflect.TypeFor[float64]():       1e15,
	reflect.TypeFor[unit.Bytes]():    1 << 50,
	reflect.TypeFor[unit.BitRate]():  100e12,
	reflect.TypeFor[unit.Duration](): 100 * 365 * 86400,
	reflect.TypeFor[unit.Factor]():   1e6,
}

// most is the largest value of a field of type t: its tag's, or that of its kind.
func (d *Decoder) most(f *field, t reflect.Type) *float64 {
	if f.max != nil {
		return f.max
	}
	if most, ok := d.Most[t]; ok {
		return &most
	}
	return nil
}

// Exceeded tells of the first number of a document that is larger than its field can
// mean. It is for documents that were not decoded here: those that the program saved.
func (d *Decoder) Exceeded(document any) error {
	return d.exceeded(reflect.ValueOf(document), &field{}, "")
}

func (d *Decoder) exceeded(v reflect.Value, f *field, path string) error {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return d.exceeded(v.Elem(), f, path)
		}
	case reflect.Struct:
		for _, f := range d.specOf(v.Type()).fields {
			if err := d.exceeded(v.Field(f.index), f, join(path, f.name)); err != nil {
				return err
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			if err := d.exceeded(v.Index(i), f, fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			if err := d.exceeded(v.MapIndex(key), f, fmt.Sprintf("%s[%v]", path, key)); err != nil {
				return err
			}
		}
	default:
		return d.outside(v, f, path)
	}
	return nil
}

func (d *Decoder) outside(v reflect.Value, f *field, path string) error {
	if !v.CanInt() && !v.CanFloat() {
		return nil
	}
	x := numberOf(v)
	if most := d.most(f, v.Type()); most != nil && x > *most {
		return fmt.Errorf("%s: %s is too large (at most %s)", path, textOf(v), printed(*most, v.Type()))
	}
	if f.min != nil && x < 0 && x < *f.min {
		return fmt.Errorf("%s: %s is negative (at least %s)", path, textOf(v), printed(max(0, *f.min), v.Type()))
	}
	return nil
}
