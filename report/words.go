package report

import (
	"strings"

	"plimsoll.dev/api/v1alpha1"
)

// words are what a platform calls the things that its reports are about.
type words struct {
	// Unit is what is placed, Place what it is placed on.
	Unit, Place string
}

// What clusters run, and what clouds run.
var (
	podWords    = words{"pod", "node"}
	serverWords = words{"VM", "host"}
)

func wordsOf(p v1alpha1.Platform) words {
	if p.Type == "helion" {
		return serverWords
	}
	return podWords
}

// title begins a word with a capital.
func title(word string) string { return strings.ToUpper(word[:1]) + word[1:] }
