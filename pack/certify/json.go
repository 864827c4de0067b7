package certify

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
	"plimsoll.dev/pack"
)

// Kind of a document that CheckJSON reads.
const Kind = "Packing"

// MaxBytes of a document.
const MaxBytes = 32 << 20

// Document is a problem with its solution, as it is printed and checked.
type Document struct {
	Kind     string          `json:"kind"`
	MadeBy   *v1alpha1.Build `json:"madeBy,omitempty"`
	Problem  *pack.Problem   `json:"problem"`
	Solution *pack.Solution  `json:"solution"`
	Beside   any             `json:"beside,omitempty"` // what else is said of it, and not checked
}

// CheckJSON reads a document and checks it. The error says why it can't be
// read: it is cut off, too large, no JSON, or has a field twice, unknown, or of
// the wrong type; the faults are those of Check.
func CheckJSON(r io.Reader) (faults []string, err error) {
	d, err := Read(r)
	if err != nil {
		return nil, err
	}
	return Check(*d.Problem, *d.Solution), nil
}

// Read reads a document, strictly: every field is known, stands once, and has
// its type.
func Read(r io.Reader) (Document, error) {
	var d Document
	text, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return d, fmt.Errorf("packing: %w", err)
	}
	if len(text) > MaxBytes {
		return d, fmt.Errorf("packing: is longer than %d MiB, which no packing is", MaxBytes>>20)
	}
	if len(text) == 0 {
		return d, errors.New("packing: is empty (plimsoll pack -o json writes one)")
	}
	if err := Decode(text, &d); err != nil {
		return d, fmt.Errorf("packing: %w", err)
	}
	switch {
	case d.Kind != Kind:
		return d, fmt.Errorf("packing: kind is %q (%q would be right)", d.Kind, Kind)
	case d.Problem == nil:
		return d, errors.New("packing: problem is missing (a certificate proves nothing without it)")
	case d.Solution == nil:
		return d, errors.New("packing: solution is missing (it holds the patterns and the certificate)")
	}
	return d, nil
}

// Decode reads one JSON document, strictly: every field is known, stands once, and has
// its type. The error says in the document's own terms what is wrong with it, and where.
func Decode(text []byte, into any) error {
	err := json.Unmarshal(text, into, json.RejectUnknownMembers(true))
	var syntax *jsontext.SyntacticError
	var meaning *json.SemanticError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.ErrUnexpectedEOF) && errors.As(err, &syntax):
		return fmt.Errorf("%s: is cut off within %s (the whole document is needed)", position(text, int64(len(text))),
			place(syntax.JSONPointer))
	case errors.Is(err, jsontext.ErrDuplicateName) && errors.As(err, &syntax):
		return fmt.Errorf("%s: %s stands twice (once would be right)", position(text, syntax.ByteOffset),
			place(syntax.JSONPointer))
	case errors.As(err, &syntax):
		return fmt.Errorf("%s: %s is no JSON: %w", position(text, syntax.ByteOffset), place(syntax.JSONPointer), syntax.Err)
	case errors.Is(err, json.ErrUnknownName) && errors.As(err, &meaning):
		return fmt.Errorf("%s: %s is not a field here (remove it)", position(text, meaning.ByteOffset),
			place(meaning.JSONPointer))
	case errors.As(err, &meaning):
		return fmt.Errorf("%s: %s can't be %s (%s would be right)", position(text, meaning.ByteOffset),
			place(meaning.JSONPointer), said(meaning.JSONKind), wanted(meaning.GoType))
	}
	return err
}

// position is where in a text a byte stands, as editors count.
func position(text []byte, at int64) string {
	before := text[:min(int(at), len(text))]
	line := bytes.LastIndexByte(before, '\n') + 1
	return fmt.Sprintf("line %d, column %d", bytes.Count(before, []byte{'\n'})+1, utf8.RuneCount(before[line:])+1)
}

// said is the value that has another type than its field, in a few words.
func said(kind jsontext.Kind) string {
	switch kind {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a text"
	case '0':
		return "this number"
	}
	return kind.String()
}

// wanted is what a field of a type takes.
func wanted(t reflect.Type) string {
	if t == nil {
		return "another value"
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a text"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map, reflect.Pointer:
		return "an object"
	case reflect.Float32, reflect.Float64:
		return "a number"
	}
	return "a whole number in range"
}

// place names where in the document something stands.
func place(p jsontext.Pointer) string {
	if p == "" {
		return "the document"
	}
	return table.Clean(string(p[1:]))
}
