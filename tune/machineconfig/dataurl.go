package machineconfig

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// DecodeDataURL returns the bytes of a data URL, as strictly as the decoder that
// Ignition and the operator use: what is not a plain character of a URL must be
// percent-encoded, "+" stays a plus, base64 needs its padding.
func DecodeDataURL(url string) ([]byte, error) {
	u, err := splitDataURL(url)
	if err != nil {
		return nil, err
	}
	return u.bytes()
}

// dataURL is a data URL in parts.
type dataURL struct {
	base64 bool
	// text is what follows the comma.
	text string
}

// splitDataURL finds the comma before the data and checks everything before it.
func splitDataURL(url string) (dataURL, error) {
	rest, ok := strings.CutPrefix(url, "data:")
	if !ok {
		return dataURL{}, errors.New(`it does not begin with "data:" (write data:,TEXT with TEXT percent-encoded)`)
	}
	h := header{rest: rest}
	if err := h.mediaType(); err != nil {
		return dataURL{}, err
	}
	for strings.HasPrefix(h.rest, ";") {
		if err := h.parameter(); err != nil {
			return dataURL{}, err
		}
	}
	text, ok := strings.CutPrefix(h.rest, ",")
	if !ok {
		return dataURL{}, errors.New("no comma stands before the data (write data:,TEXT)")
	}
	return dataURL{base64: h.base64, text: text}, nil
}

// header reads what stands between "data:" and the comma.
type header struct {
	rest   string
	base64 bool
	// quoted says that a quoted value was empty: the original then takes the next
	// value for quoted, and does not look at its percent signs.
	quoted bool
}

// mediaTypes are the beginnings of the media types that the original knows.
var mediaTypes = []string{"text", "image", "audio", "video", "application", "message", "multipart"}

// mediaType takes "text/plain", or nothing.
func (h *header) mediaType() error {
	if h.rest == "" || h.rest[0] == ';' || h.rest[0] == ',' {
		return nil
	}
	kind := h.token()
	known := len(kind) > 1 && (kind[0] == 'x' || kind[0] == 'X') && kind[1] == '-'
	for _, t := range mediaTypes {
		known = known || strings.HasPrefix(kind, t)
	}
	switch {
	case !strings.HasPrefix(h.rest, "/"):
		return h.bad("media type", "write text/plain")
	case !known:
		return fmt.Errorf("the media type %s is not known (write text/plain)", short(kind))
	}
	h.rest = h.rest[1:]
	h.token()
	if h.rest != "" && h.rest[0] != ';' && h.rest[0] != ',' {
		return h.bad("media type", "write text/plain")
	}
	return nil
}

// parameter takes ";name=value" or the ";base64" that stands last.
func (h *header) parameter() error {
	h.rest = h.rest[1:]
	name := h.token()
	switch {
	case name == "base64" && strings.HasPrefix(h.rest, ","):
		h.base64 = true
		return nil
	case name == "" || !strings.HasPrefix(h.rest, "="):
		return h.bad("name of a parameter", "write charset=US-ASCII")
	}
	h.rest = h.rest[1:]
	if strings.HasPrefix(h.rest, `"`) {
		return h.quotedValue(name)
	}
	value := h.token()
	if value == "" || h.rest == "" || h.rest[0] != ';' && h.rest[0] != ',' {
		return h.bad("value of "+name, "write charset=US-ASCII")
	}
	if h.quoted {
		h.quoted = false
		return nil
	}
	_, err := unescape(value)
	return err
}

// quotedValue takes a value in double quotes.
func (h *header) quotedValue(name string) error {
	i := 1
	for ; i < len(h.rest) && h.rest[i] != '"'; i++ {
		if h.rest[i] == '\\' {
			i++
		}
		if i < len(h.rest) && h.rest[i] >= 0x80 {
			return fmt.Errorf("the value of %s holds a character beyond ASCII (percent-encode it)", name)
		}
	}
	if i >= len(h.rest) {
		return fmt.Errorf("the quotes of %s are not closed (write charset=US-ASCII)", name)
	}
	value := h.rest[1:i]
	h.rest = h.rest[i+1:]
	h.quoted = value == ""
	if _, err := strconv.Unquote(`"` + value + `"`); err != nil {
		return fmt.Errorf("the value of %s is not a quoted string (write charset=US-ASCII)", name)
	}
	if h.rest != "" && h.rest[0] != ';' && h.rest[0] != ',' {
		return h.bad("value of "+name, "write charset=US-ASCII")
	}
	return nil
}

// token takes the longest run of characters that a name may have.
func (h *header) token() string {
	i := 0
	for i < len(h.rest) && isToken(h.rest[i]) {
		i++
	}
	out := h.rest[:i]
	h.rest = h.rest[i:]
	return out
}

func isToken(c byte) bool {
	return c > ' ' && c < 0x7F && !strings.ContainsRune(`()<>@,;:\"/[]?=`, rune(c))
}

// bad says which character, or the end, stands where it must not.
func (h *header) bad(where, fix string) error {
	if h.rest == "" {
		return fmt.Errorf("it ends in the %s, no comma stands before the data (%s)", where, fix)
	}
	return fmt.Errorf("%s stands in the %s (%s)", character(h.rest), where, fix)
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

// bytes decodes the data.
func (u dataURL) bytes() ([]byte, error) {
	allowed := &urlCharacters
	if u.base64 {
		allowed = &base64Characters
	}
	for i := range len(u.text) {
		if !allowed[u.text[i]] {
			return nil, fmt.Errorf("%s stands in the data, character %d (percent-encode it)", character(u.text[i:]), i+1)
		}
	}
	if !u.base64 {
		return unescape(u.text)
	}
	data, err := base64.StdEncoding.DecodeString(u.text)
	if err != nil {
		return nil, errors.New("the data is not base64 with its padding (encode it anew, = at the end included)")
	}
	return data, nil
}

// The bytes that may stand in the data as they are. A percent sign may, if two
// hexadecimal digits follow.
var urlCharacters, base64Characters = characters(), bytesOf("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/=\n")

func characters() (out [256]bool) {
	for c := byte('!'); c < 0x7F; c++ {
		out[c] = !strings.ContainsRune("<>#\"{}|\\^[]`", rune(c))
	}
	return out
}

func bytesOf(set string) (out [256]bool) {
	for i := range len(set) {
		out[set[i]] = true
	}
	return out
}

// unescape resolves percent signs.
func unescape(text string) ([]byte, error) {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			out = append(out, text[i])
			continue
		}
		if i+2 >= len(text) {
			return nil, errors.New("it ends within a percent sign and its two digits (write %25 for a percent sign)")
		}
		high, low := digit(text[i+1]), digit(text[i+2])
		if high|low > 15 {
			return nil, fmt.Errorf("%s is not a percent sign with two hexadecimal digits (write %%25 for a percent sign)", strconv.QuoteToASCII(text[i:i+3]))
		}
		out = append(out, high<<4|low)
		i += 2
	}
	return out, nil
}

// digit is the value of a hexadecimal digit, above 15 for what is none.
func digit(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10
	}
	return 255
}

// EncodeDataURL writes text as the documents' Python one-liner does: letters,
// digits and "_.-~/" stay, every other byte is percent-encoded.
func EncodeDataURL(data []byte) string {
	const plain, digits = "_.-~/", "0123456789ABCDEF"
	var b strings.Builder
	b.WriteString("data:text/plain;charset=" + charset(data) + ",")
	for _, c := range data {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte(plain, c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(digits[c>>4])
		b.WriteByte(digits[c&15])
	}
	return b.String()
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
