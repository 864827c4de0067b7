// Package term answers what a stream is able to show: whether it is a terminal,
// how wide, whether in colour; and it draws progress on it.
//
// It lays out nothing (package table does) and decides nothing about content.
// Fake stands in for a terminal in tests.
//
//	color := term.Color(term.Auto, os.Stdout, os.Getenv)
//	p := term.NewProgress(os.Stderr, term.ProgressOptions{Title: "packing", Total: 500, Now: time.Now})
//	defer p.Done()
package term
