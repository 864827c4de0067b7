package unit

import (
	"errors"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// errHostile is a quantity that would take long to compute with.
var errHostile = errors.New("not a reasonable number")

// ParseQuantity is resource.ParseQuantity for text from anywhere: that would
// write out a number such as 1e99999999 digit by digit as soon as it is compared.
func ParseQuantity(s string) (resource.Quantity, error) {
	const longest, exponentDigits = 100, 2
	i := strings.LastIndexAny(s, "eE")
	if len(s) > longest || i >= 0 && len(strings.TrimLeft(s[i+1:], "+-0")) > exponentDigits {
		return resource.Quantity{}, errHostile
	}
	return resource.ParseQuantity(s)
}
