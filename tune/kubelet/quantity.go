package kubelet

import (
	"errors"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// parseQuantity reads a quantity. What has an exponent of more than two digits is
// refused: computing with 1e99999999 would write it out digit by digit.
func parseQuantity(text string) (resource.Quantity, error) {
	i := strings.LastIndexAny(text, "eE")
	if len(text) > 100 || i >= 0 && len(strings.TrimLeft(text[i+1:], "+-0")) > 2 {
		return resource.Quantity{}, errors.New("not a reasonable number")
	}
	return resource.ParseQuantity(text)
}
