// Package doctest holds the test that keeps the documentation true. It types
// every console block of README.md and docs/*.md into the program and compares
// what the page shows with what is printed; it validates every scenario that a
// yaml block shows.
//
// It has no code outside its tests, and it doesn't judge the prose. Generated
// pages (docs/reference) are not read.
//
// The rules of a console block: a line that begins with "$ " is a command, and
// the lines below it are what it prints, whole and in order. A line "..." stands
// for any lines, " ..." at the end of a line for the rest of it; the width of a
// column may differ. A command with nothing below it may print what it likes but
// must end with exit code 0 or 3.
// The blocks of a page share one directory with a copy of examples/, so a file
// that one command writes is there for the next. A block with a name behind its
// language ("yaml shop.yaml") is saved under that name; in language yaml it must
// be valid, or a valid piece of a scenario.
//
//	go test ./internal/doctest
package doctest
