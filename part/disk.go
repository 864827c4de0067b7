package part

import (
	"math"

	"plimsoll.dev/derive"
	"plimsoll.dev/unit"
)

// InDecimal writes bytes as disks are sold, in decimal multiples. What no disk can
// hold is written as the most that can be counted.
func InDecimal(number float64) string {
	return unit.FormatDecimal(unit.Bytes(unit.Whole(math.Min(math.Round(number), math.MaxInt64/2))))
}

// Items are a number of equal things on disks: images, volumes.
type Items struct {
	// Name for the reader: "image rhel".
	Name string
	// Count of the things, and Size of one in bytes.
	Count, Size derive.Value
}

// SizeOf is the sum of count times size, in bytes.
func SizeOf(items []Items) float64 {
	sum := 0.0
	for _, i := range items {
		sum += i.Count.Number * i.Size.Number
	}
	return sum
}
