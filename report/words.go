package report

import (
	"strings"

	"plimsoll.dev/api/v1alpha1"
)

// terms are what a platform calls the things that its reports are about.
type terms struct {
	// Unit is what is placed, Place what it is placed on.
	Unit, Place string
}

// What clusters run, and what clouds run.
var (
	podWords    = terms{"pod", "node"}
	serverWords = terms{"VM", "host"}
)

func wordsOf(p v1alpha1.Platform) terms {
	if p.Type == "helion" {
		return serverWords
	}
	return podWords
}

// title begins a word with a capital.
func title(word string) string { return strings.ToUpper(word[:1]) + word[1:] }
