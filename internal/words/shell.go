package words

import "strings"

// plain are the letters, beside letters and digits of ASCII, that no shell takes
// for anything but themselves, wherever in a word they stand.
const plain = "-_./:=,+@%"

// Quote is the word as a shell reads it back: as it is when every shell takes it so,
// otherwise in single quotes, inside of which nothing is special but a single quote.
func Quote(word string) string {
	if word != "" && word[0] != '=' &&
		strings.Trim(word, plain+"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
