package certify

import (
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"plimsoll.dev/pack"
)

// Kind of a document that CheckJSON reads.
const Kind = "Packing"

// MaxBytes of a document.
const MaxBytes = 32 << 20

// Document is a problem with its solution, as it is printed and checked.
type Document struct {
	Kind     string         `json:"kind"`
	Problem  *pack.Problem  `json:"problem"`
	Solution *pack.Solution `json:"solution"`
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
	if err := json.Unmarshal(text, &d, json.RejectUnknownMembers(true)); err != nil {
		return d, unreadable(err, len(text))
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

// unreadable says what is wrong with a document of so many bytes, and where.
func unreadable(err error, size int) error {
	var syntax *jsontext.SyntacticError
	var meaning *json.SemanticError
	switch {
	case size == 0:
		return errors.New("packing: is empty (plimsoll pack -o json writes one)")
	case errors.Is(err, io.ErrUnexpectedEOF) && errors.As(err, &syntax):
		return fmt.Errorf("packing: is cut off after %d bytes, within %s (the whole document is needed)", size,
			place(syntax.JSONPointer))
	case errors.Is(err, jsontext.ErrDuplicateName) && errors.As(err, &syntax):
		return fmt.Errorf("packing: %s stands twice (once would be right)", place(syntax.JSONPointer))
	case errors.As(err, &syntax):
		return fmt.Errorf("packing: byte %d, in %s: is no JSON: %w", syntax.ByteOffset, place(syntax.JSONPointer), syntax.Err)
	case errors.Is(err, json.ErrUnknownName) && errors.As(err, &meaning):
		return fmt.Errorf("packing: %s is not a field of a packing", place(meaning.JSONPointer))
	case errors.As(err, &meaning):
		return fmt.Errorf("packing: %s: a JSON %v can't be its value (%v would be right)", place(meaning.JSONPointer),
			meaning.JSONKind, meaning.GoType)
	}
	return fmt.Errorf("packing: %w", err)
}

// place names where in the document something stands.
func place(p jsontext.Pointer) string {
	if p == "" {
		return "the document"
	}
	return string(p[1:])
}
