package schema

import (
	"slices"
	"strings"
)

// Nearest returns the known word that text is most likely a slip of, or "".
// Case does not count; up to a third of the letters may be wrong.
func Nearest(text string, known []string) string {
	const longest = 100 // nobody mistypes a longer name
	word := []rune(strings.ToLower(text))
	if len(word) == 0 || len(word) > longest {
		return ""
	}
	best, distance := "", max(1, len(word)/3)+1
	for _, k := range known {
		if d := editDistance(word, []rune(strings.ToLower(k))); d < distance {
			best, distance = k, d
		}
	}
	if best != "" {
		return best
	}
	return longer(string(word), known)
}

// longer is the only known word that begins or ends with word.
func longer(word string, known []string) string {
	matches := slices.DeleteFunc(slices.Clone(known), func(k string) bool {
		k = strings.ToLower(k)
		return len(word) < 3 || !strings.HasPrefix(k, word) && !strings.HasSuffix(k, word)
	})
	if len(matches) != 1 {
		return ""
	}
	return matches[0]
}

// Distance is how many letters to insert, delete, replace or swap with their neighbour
// make a of b.
func Distance(a, b string) int { return editDistance([]rune(a), []rune(b)) }

// editDistance counts the letters to insert, delete, replace or swap with their
// neighbour (the restricted Damerau-Levenshtein distance).
func editDistance(a, b []rune) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
