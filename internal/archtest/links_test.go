package archtest

import (
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

func TestLinks(t *testing.T)        { demand(t, deadLinks(t, repo)) }
func TestLinksCanFail(t *testing.T) { planted(t, "links", deadLinks) }

var (
	mdLink  = regexp.MustCompile(`\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)`)
	mdCode  = regexp.MustCompile("`[^`]*`")
	mdTitle = regexp.MustCompile(`^#{1,6}\s+(.*?)\s*#*$`)
)

// deadLinks finds links in Markdown files to files or headings of this
// repository that are not there. It asks no network: links to other hosts
// are not followed.
func deadLinks(t *testing.T, root fs.FS) []string {
	var out []string
	walk(t, root, func(name string) {
		if path.Ext(name) != ".md" {
			return
		}
		for number, line := range proseLines(t, root, name) {
			for _, m := range mdLink.FindAllStringSubmatch(mdCode.ReplaceAllString(line, ""), -1) {
				if problem := linkProblem(t, root, name, m[1]); problem != "" {
					out = append(out, fmt.Sprintf("%s:%d: link %s: %s", name, number+1, m[1], problem))
				}
			}
		}
	})
	return out
}

// proseLines returns the file's lines with those of code blocks emptied.
func proseLines(t *testing.T, root fs.FS, name string) []string {
	t.Helper()
	text, err := fs.ReadFile(root, name)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	fenced := false
	for i, line := range lines {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
			lines[i] = ""
		} else if fenced {
			lines[i] = ""
		}
	}
	return lines
}

// linkProblem says in words why the link in file from leads nowhere; it is
// empty for one that does, or that leaves the repository.
func linkProblem(t *testing.T, root fs.FS, from, link string) string {
	t.Helper()
	u, err := url.Parse(link)
	if err != nil {
		return "is not a URL"
	}
	if u.IsAbs() || u.Host != "" {
		return ""
	}
	target := from
	if u.Path != "" {
		target = path.Join(path.Dir(from), u.Path)
	}
	if _, err := fs.Stat(root, target); err != nil {
		return "there is no such file"
	}
	if u.Fragment == "" || path.Ext(target) != ".md" {
		return ""
	}
	if !slices.Contains(anchors(proseLines(t, root, target)), u.Fragment) {
		return "there is no such heading"
	}
	return ""
}

// anchors are the headings as a link names them: lower case, hyphens for
// blanks, punctuation left out, a number added when a heading comes again.
func anchors(lines []string) []string {
	var out []string
	seen := map[string]int{}
	for _, line := range lines {
		m := mdTitle.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		anchor := strings.Map(func(r rune) rune {
			switch {
			case r == ' ' || r == '-':
				return '-'
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, m[1])
		if n := seen[anchor]; n > 0 {
			out = append(out, fmt.Sprintf("%s-%d", anchor, n))
		} else {
			out = append(out, anchor)
		}
		seen[anchor]++
	}
	return out
}
