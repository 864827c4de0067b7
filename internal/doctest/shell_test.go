package doctest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"plimsoll.dev/cli"
)

// shell types commands in the current directory: the program itself, in this
// process, and the few others that a page needs.
type shell struct {
	exit int // of the last command
}

// run runs a command line and returns what the terminal shows.
func (s *shell) run(line string) (string, error) {
	stages, file, err := parse(line)
	if err != nil {
		return "", err
	}
	var screen, out bytes.Buffer
	for i, words := range stages {
		in := bytes.NewReader(bytes.Clone(out.Bytes()))
		out.Reset()
		target := io.Writer(&out)
		if i == len(stages)-1 && file == "" {
			target = &screen // in the order in which both streams are written
		}
		if s.exit, err = s.command(words, cli.Streams{In: in, Out: target, Err: &screen}); err != nil {
			return "", err
		}
	}
	if file != "" {
		err = os.WriteFile(file, out.Bytes(), 0o644)
	}
	return screen.String(), err
}

func (s *shell) command(words []string, io cli.Streams) (exit int, err error) {
	if words[0] == "kubectl" && len(words) > 1 && words[1] == "plimsoll" {
		words = append([]string{"kubectl-plimsoll"}, words[2:]...)
	}
	switch words[0] {
	case "plimsoll", "kubectl-plimsoll":
		return cli.Run(context.Background(), io, words, kubeconfig), nil
	case "cat":
		return 0, cat(words[1:], io)
	case "ls":
		return 0, ls(words[1:], io)
	case "head":
		return 0, head(words[1:], io)
	case "echo":
		if len(words) == 2 && words[1] == "$?" {
			fmt.Fprintln(io.Out, s.exit)
			return 0, nil
		}
	}
	return 0, fmt.Errorf("%q is not run by this test; use plimsoll, kubectl plimsoll, cat, ls, head, echo $?, "+
		"or a block that is not console", strings.Join(words, " "))
}

func cat(files []string, io cli.Streams) error {
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		io.Out.Write(text)
	}
	return nil
}

// ls lists directories, one name a line, as ls does into a pipe.
func ls(words []string, io cli.Streams) error {
	dirs := words
	if len(dirs) > 0 && dirs[0] == "-1" {
		dirs = dirs[1:]
	}
	for i, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		if len(dirs) > 1 {
			fmt.Fprintf(io.Out, "%s%s:\n", strings.Repeat("\n", min(i, 1)), dir)
		}
		for _, e := range entries {
			if !strings.HasPrefix(e.Name(), ".") {
				fmt.Fprintln(io.Out, e.Name())
			}
		}
	}
	return nil
}

func head(words []string, io cli.Streams) error {
	n, err := strconv.Atoi(strings.TrimPrefix(strings.Join(words, ""), "-n"))
	if err != nil {
		return fmt.Errorf("head: %w", err)
	}
	text, err := readAll(io.In)
	lines := strings.SplitAfter(text, "\n")
	fmt.Fprint(io.Out, strings.Join(lines[:min(max(n, 0), len(lines))], ""))
	return err
}

func readAll(in io.Reader) (string, error) {
	text, err := io.ReadAll(in)
	return string(text), err
}

// parse cuts a command line into the stages of its pipe, words apart, and the
// file that its output goes to.
func parse(line string) (stages [][]string, file string, err error) {
	words, err := split(line)
	if err != nil {
		return nil, "", err
	}
	stages = [][]string{nil}
	for i, w := range words {
		last := len(stages) - 1
		switch {
		case w.quoted || w.text != "|" && w.text != ">":
			stages[last] = append(stages[last], w.glob()...)
		case w.text == "|":
			stages = append(stages, nil)
		case i == len(words)-2:
			return checked(stages, words[i+1].text)
		default:
			return nil, "", errors.New("> must stand before the last word")
		}
	}
	return checked(stages, "")
}

func checked(stages [][]string, file string) ([][]string, string, error) {
	for _, words := range stages {
		if len(words) == 0 {
			return nil, "", errors.New("a command is missing")
		}
	}
	return stages, file, nil
}

// word is a word of a command line; quotes keep the shell's hands off it.
type word struct {
	text   string
	quoted bool
}

// glob is the files that the word's pattern matches, or the word itself.
func (w word) glob() []string {
	if w.quoted || !strings.Contains(w.text, "*") {
		return []string{w.text}
	}
	files, err := filepath.Glob(w.text)
	if err != nil || len(files) == 0 {
		return []string{w.text}
	}
	return files
}

// split cuts a line at its blanks, but not within quotes.
func split(line string) ([]word, error) {
	var words []word
	var now word
	var quote rune
	inWord := false
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, inWord, now.quoted = r, true, true
		case quote == 0 && r == ' ':
			if inWord {
				words = append(words, now)
			}
			now, inWord = word{}, false
		default:
			now.text, inWord = now.text+string(r), true
		}
	}
	if quote != 0 {
		return nil, errors.New("a quote is not closed")
	}
	if inWord {
		words = append(words, now)
	}
	return words, nil
}
