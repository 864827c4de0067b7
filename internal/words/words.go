// Package words puts numbers and nouns together for people.
//
// It knows no grammar: the caller gives both forms of the noun.
//
//	words.Count(3, "node", "nodes") // 3 nodes
package words

import "fmt"

// Count counts things: "1 node", "3 nodes".
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
