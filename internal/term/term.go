package term

import (
	"fmt"
	"io"
	"strconv"

	xterm "golang.org/x/term"
)

// Sizer is a stream that knows about itself whether it is a terminal. Fake
// implements it; real files are asked through their descriptor.
type Sizer interface {
	// TerminalWidth is the width in columns; ok is false when the stream is no
	// terminal.
	TerminalWidth() (columns int, ok bool)
}

// IsTerminal reports whether w is a terminal.
func IsTerminal(w any) bool {
	if s, ok := w.(Sizer); ok {
		_, is := s.TerminalWidth()
		return is
	}
	f, ok := w.(interface{ Fd() uintptr })
	return ok && xterm.IsTerminal(int(f.Fd()))
}

// Width is the number of columns of the terminal w. When w is no terminal or
// does not know, it is the variable COLUMNS, and 0 when that says nothing.
func Width(w any, env func(string) string) int {
	if s, ok := w.(Sizer); ok {
		if n, is := s.TerminalWidth(); is && n > 0 {
			return n
		}
	} else if f, ok := w.(interface{ Fd() uintptr }); ok {
		if n, _, err := xterm.GetSize(int(f.Fd())); err == nil && n > 0 {
			return n
		}
	}
	if n, err := strconv.Atoi(env("COLUMNS")); err == nil && n > 0 {
		return n
	}
	return 0
}

// ColorMode is the value of the flag --color.
type ColorMode string

// The colour modes.
const (
	Auto   ColorMode = "auto"
	Always ColorMode = "always"
	Never  ColorMode = "never"
)

// ParseColorMode reads the value of --color; empty is auto.
func ParseColorMode(s string) (ColorMode, error) {
	switch m := ColorMode(s); m {
	case "":
		return Auto, nil
	case Auto, Always, Never:
		return m, nil
	}
	return "", fmt.Errorf("colour %q is not auto, always or never", s)
}

// Color reports whether to paint what is written to w. In auto mode that is on
// a terminal, unless NO_COLOR is set and not empty or TERM is dumb.
func Color(mode ColorMode, w any, env func(string) string) bool {
	switch mode {
	case Always:
		return true
	case Never:
		return false
	}
	return env("NO_COLOR") == "" && env("TERM") != "dumb" && IsTerminal(w)
}

// Fake is a terminal for tests; what is written to it is kept in Text.
type Fake struct {
	// Columns is the width; 0 makes the fake a file rather than a terminal.
	Columns int
	// Text is everything written so far.
	Text []byte
}

// Write appends to Text.
func (f *Fake) Write(p []byte) (int, error) {
	f.Text = append(f.Text, p...)
	return len(p), nil
}

// TerminalWidth is Columns.
func (f *Fake) TerminalWidth() (int, bool) { return f.Columns, f.Columns > 0 }

var (
	_ Sizer     = (*Fake)(nil)
	_ io.Writer = (*Fake)(nil)
)
