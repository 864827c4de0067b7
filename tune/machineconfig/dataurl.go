package machineconfig

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/vincent-petithory/dataurl"
)

// DecodeDataURL returns the bytes of a data URL. The decoder is the one of Ignition
// and the operator: what is not a plain character of a URL must be percent-encoded,
// "+" stays a plus, base64 needs its padding.
func DecodeDataURL(url string) ([]byte, error) {
	u, err := dataurl.DecodeString(url)
	if err != nil {
		return nil, explained(url, err)
	}
	return u.Data, nil
}

// explained says what the decoder refused, where it stands, and what would be right.
func explained(url string, err error) error {
	head, data, comma := strings.Cut(url, ",")
	var padding base64.CorruptInputError
	switch {
	case !strings.HasPrefix(url, "data:"):
		return errors.New(`it does not begin with "data:" (write data:,TEXT with TEXT percent-encoded)`)
	case !comma:
		return errors.New("no comma stands before the data (write data:,TEXT)")
	case errors.As(err, &padding):
		return errors.New("the data is not base64 with its padding (encode it anew, = at the end included)")
	}
	plain := strings.TrimPrefix(err.Error(), "rfc2396: ")
	if i := strings.IndexFunc(data, notPlain); i >= 0 && plain == "invalid data character" {
		return fmt.Errorf("%s stands in the data, character %d (percent-encode it)", character(data[i:]), i+1)
	}
	if plain != err.Error() {
		return fmt.Errorf("a percent sign stands without its two hexadecimal digits: %s (write %%25 for it)", plain)
	}
	if i := strings.IndexFunc(head, func(r rune) bool { return r <= ' ' || r >= 0x7F }); i >= 0 {
		plain = character(head[i:]) + " stands in it"
	}
	return fmt.Errorf("%s before the data: %s (write data:text/plain;charset=US-ASCII,TEXT)", short(head), plain)
}

// notPlain reports whether a character can't stand in the data of any URL.
func notPlain(r rune) bool {
	return r <= ' ' || r >= 0x7F || strings.ContainsRune("<>#\"{}|\\^[]`", r)
}

// character names the first character of a text.
func character(text string) string {
	r, _ := utf8.DecodeRuneInString(text)
	switch {
	case r == ' ':
		return "a blank"
	case r == '\n':
		return "a line break"
	case unicode.IsPrint(r):
		return strconv.QuoteRune(r)
	}
	return fmt.Sprintf("the character %U", r)
}

// EncodeDataURL writes text as the documents' Python one-liner does: letters,
// digits and "_.-~/" stay, every other byte is percent-encoded.
func EncodeDataURL(data []byte) string {
	text := strings.NewReplacer("+", "%20", "%2F", "/").Replace(url.QueryEscape(string(data)))
	return "data:text/plain;charset=" + charset(data) + "," + text
}

// EncodeDataURLBase64 writes any bytes, shorter than percent signs do where few
// of them are letters.
func EncodeDataURLBase64(data []byte) string {
	return "data:text/plain;charset=" + charset(data) + ";base64," + base64.StdEncoding.EncodeToString(data)
}

// charset is the narrowest that the bytes are in.
func charset(data []byte) string {
	for _, c := range data {
		if c >= 0x80 {
			return "utf-8"
		}
	}
	return "US-ASCII"
}

// short quotes what a file holds for a message, cut when it is long.
func short(text string) string {
	const most = 40
	if r := []rune(text); len(r) > most {
		text = string(r[:most]) + "..."
	}
	return strconv.Quote(text)
}

// cut is short without the quotation marks, where no letter asks for them.
func cut(text string) string {
	quoted := short(text)
	if plain := quoted[1 : len(quoted)-1]; plain != "" && !strings.ContainsAny(plain, " \\") {
		return plain
	}
	return quoted
}
