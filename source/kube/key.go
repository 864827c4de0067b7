package kube

import (
	"encoding/binary"
	"slices"
	"strings"
)

// Keys are texts that are equal when what they were made of is. Lengths stand
// before texts, so that no two things run into each other.

func appendText(key []byte, s string) []byte {
	key = binary.AppendUvarint(key, uint64(len(s)))
	return append(key, s...)
}

func appendAmount(key []byte, name string, n int64, ok bool) []byte {
	key = appendText(key, name)
	key = append(key, flag(ok))
	return binary.AppendVarint(key, n)
}

func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}

func sortLabels(list []label) {
	if len(list) > 1 {
		slices.SortFunc(list, func(a, b label) int { return strings.Compare(a.key, b.key) })
	}
}
