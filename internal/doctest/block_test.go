package doctest

import (
	"fmt"
	"strings"
)

// block is a fenced code block of a page.
type block struct {
	lang string // the first word behind the fence
	name string // the second word: the file that the block is saved as
	line int    // of the block's first line
	text []string
}

func (b block) source() string { return strings.Join(b.text, "\n") + "\n" }

// blocks cuts a page into its code blocks. problem is about a fence that is
// never closed.
func blocks(page string) (found []block, problem string) {
	var open *block
	for i, line := range strings.Split(page, "\n") {
		info, fence := strings.CutPrefix(strings.TrimSpace(line), "```")
		switch {
		case fence && open == nil:
			words := append(strings.Fields(info), "", "")
			open = &block{lang: words[0], name: words[1], line: i + 2}
		case fence:
			found = append(found, *open)
			open = nil
		case open != nil:
			open.text = append(open.text, line)
		}
	}
	if open != nil {
		problem = fmt.Sprintf("%d: the code block is not closed", open.line-1)
	}
	return found, problem
}

// step is a command of a console block with what the page shows below it.
type step struct {
	line    int
	command string
	shown   []string
}

// steps cuts a console block into its commands. A command that ends with a
// backslash goes on in the next line.
func steps(b block) (found []step, problem string) {
	going := false
	for i, line := range b.text {
		command, isCommand := strings.CutPrefix(line, "$ ")
		switch {
		case going:
			last := &found[len(found)-1]
			last.command = strings.TrimSuffix(last.command, `\`) + strings.TrimSpace(line)
		case isCommand:
			found = append(found, step{line: b.line + i, command: command})
		case len(found) == 0:
			return nil, fmt.Sprintf("%d: a console block begins with a command (\"$ ...\")", b.line+i)
		default:
			last := &found[len(found)-1]
			last.shown = append(last.shown, line)
		}
		going = (going || isCommand) && strings.HasSuffix(line, `\`)
	}
	return found, ""
}
