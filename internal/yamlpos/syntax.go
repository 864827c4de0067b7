package yamlpos

import (
	"strings"

	"github.com/goccy/go-yaml/token"
)

const (
	tabWhat = "a tab stands in the indentation"
	tabFix  = "indent with blanks"
)

// syntaxAdvice turns the parser's messages into what is wrong and what would be
// right. The first that the message contains is taken.
var syntaxAdvice = []struct{ message, what, fix string }{
	{"found character '\t'", tabWhat, tabFix},
	{"tab character", tabWhat, tabFix},
	{"single-quoted text", "the closing ' is missing", "close the quotes"},
	{"double-quoted text", "the closing \" is missing", "close the quotes"},
	{"is a reserved character", "a value can't begin with @ or `", "put the value in quotes"},
	{"unknown escape character", "this escape is not known in a text in double quotes", `write \\ for a backslash, or use single quotes`},
	{"sequence end token ']'", "the [ is not closed", "add ]"},
	{"end token '}'", "the { is not closed", "add }"},
	{"',' or ']'", "the list goes on without a comma", "add , before this or ] to end the list"},
	{"',' or '}'", "the mapping goes on without a comma", "add , before this or } to end the mapping"},
	{"corresponding to ']'", "there is no [ for this ]", "remove it, or put the value in quotes"},
	{"corresponding to '}'", "there is no { for this }", "remove it, or put the value in quotes"},
	{"but found ','", "there is no value before this comma", "remove the comma"},
	{"block sequence entries", "a list can't begin in the line of its key", "begin it in the next line, or write [a, b]"},
	{"mapping value is not allowed", "a value is followed by another colon", "put a value that holds \": \" in quotes; write keys of one mapping below each other, equally indented"},
	{"map key-value is pre-defined", "the key has a value already, and here is another", "indent keys of one mapping equally; put a value with special characters in quotes"},
	{"non-map value", "a key with a colon is expected here", "write key: value, indented as the lines above"},
	{"unexpected key name", "a key must be one line with a colon behind it", "write key: value"},
	{"implicit line break", "a key must be one line with a colon behind it", "write key: value"},
	{"value is not allowed in this context", "this does not fit the lines above", "indent keys of one mapping equally"},
	{"invalid key for this map", "a colon without a key", "write key: value"},
	{"unexpected scalar value", "a value is expected here", "put a value with special characters in quotes"},
	{"undefined anchor", "the & has no name or no value", "write &name value, or put the text in quotes"},
	{"anchor value", "the & has no name or no value", "write &name value, or put the text in quotes"},
	{"consecutively", "two anchors on one value", "keep one of them"},
	{"undefined alias", "the * has no name", "write *name, or put the text in quotes"},
	{"number of indent", "the lines of the text are indented wrongly", "indent them all by two blanks more than the key"},
	{"invalid header option", "nothing may follow the | or > but a comment", "begin the text in the next line"},
	{"flow map content", "the { is not closed, or an entry has no colon", "write {key: value}"},
	{"could not find map value", "a key without a value", "write key: value"},
	{"tag character", "a value can't begin with !", "put the value in quotes"},
	{"anchor", "an anchor (&) can't stand here", "put the value in quotes"},
	{"multi-line content", "a value that begins with | or > goes on in the next lines, indented", "put the value in quotes"},
	{"document separator", "a --- stands within quotes that were not closed", "close the quotes"},
	{"after document separator", "nothing may follow the ---", "begin the document in the next line"},
}

// syntaxProblem explains the parser's message.
func syntaxProblem(message string, t *token.Token) Problem {
	p := Problem{Line: 1, Col: 1, What: "the YAML can't be read: " + message}
	if t == nil || t.Position == nil {
		return p
	}
	p.Line, p.Col = max(1, t.Position.Line), max(1, t.Position.Column)
	switch t.Value {
	case "}":
		message = "corresponding to '}'"
	case ",":
		message = "but found ','"
	}
	for _, a := range syntaxAdvice {
		if strings.Contains(message, a.message) {
			p.What, p.Fix = a.what, a.fix
			break
		}
	}
	return p
}
