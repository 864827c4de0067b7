package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"plimsoll.dev/api/v1alpha1"
)

// parsed reads a page and lists its elements in order.
func parsed(t *testing.T, text string) []*html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var out []*html.Node
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			out = append(out, n)
		}
	}
	return out
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// textOf is the text below a node, with blanks between elements.
func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data + " ")
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// eachPage calls check for every page that can be written of the samples.
func eachPage(t *testing.T, check func(t *testing.T, text string, elements []*html.Node)) {
	for name, p := range plans() {
		for what, text := range texts(t, p, HTML, Options{}) {
			t.Run(name+"/"+strings.Fields(what)[0], func(t *testing.T) { check(t, text, parsed(t, text)) })
		}
	}
	for name, p := range placements() {
		text := placementOf(t, p, HTML, Options{})
		t.Run("placement/"+name, func(t *testing.T) { check(t, text, parsed(t, text)) })
	}
	for name, p := range serverPlacements() {
		text := serversOf(t, p, HTML, Options{})
		t.Run("servers/"+name, func(t *testing.T) { check(t, text, parsed(t, text)) })
	}
	for name, a := range answers() {
		text := answerOf(t, a, HTML, Options{})
		t.Run("answer/"+name, func(t *testing.T) { check(t, text, parsed(t, text)) })
	}
	text := packingOf(t, samplePacking(), HTML, Options{})
	t.Run("packing", func(t *testing.T) { check(t, text, parsed(t, text)) })
}

var pagesDir = flag.String("pages", "", "directory to write a page of each sample to, for the browser to look at")

// TestPagesCanBeWritten writes a page of each sample, if somebody wants them.
func TestPagesCanBeWritten(t *testing.T) {
	if *pagesDir == "" {
		return
	}
	opt := Options{File: "web-shop.yaml"}
	plan, later := texts(t, samplePlan(), HTML, opt), texts(t, stored[v1alpha1.Plan]("later"), HTML, opt)
	made := map[string]string{"plan": plan["plan"], "why": plan["why nodes"], "diff": later["diff"],
		"hostile": texts(t, hostilePlan(), HTML, opt)["plan"], "packing": packingOf(t, samplePacking(), HTML, opt)}
	for name, p := range placements() {
		made["placement-"+name] = placementOf(t, p, HTML, Options{})
	}
	for name, p := range serverPlacements() {
		made["servers-"+name] = serversOf(t, p, HTML, Options{})
	}
	for name, a := range answers() {
		made["answer-"+name] = answerOf(t, a, HTML, opt)
	}
	for name, page := range made {
		if err := os.WriteFile(filepath.Join(*pagesDir, name+".html"), []byte(page), 0o600); err != nil {
			t.Error(err)
		}
	}
}

func TestPagesStandAlone(t *testing.T) {
	foreign := regexp.MustCompile(`(?i)https?:|//[a-z]|@import|javascript:`)
	eachPage(t, func(t *testing.T, text string, elements []*html.Node) {
		policy := false
		for _, n := range elements {
			if slices.Contains([]string{"script", "link", "iframe", "object", "embed", "img", "form", "base", "foreignobject"},
				strings.ToLower(n.Data)) {
				t.Errorf("has a <%s>", n.Data)
			}
			if attr(n, "http-equiv") == "Content-Security-Policy" {
				policy = true
				rules := strings.Split(attr(n, "content"), "; ")
				for _, rule := range []string{"default-src 'none'", "form-action 'none'", "base-uri 'none'"} {
					if !slices.Contains(rules, rule) {
						t.Errorf("the policy %q lacks %s", rules, rule)
					}
				}
			}
			for _, a := range n.Attr {
				if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "src" {
					t.Errorf("<%s %s=%q>", n.Data, a.Key, a.Val)
				}
				if a.Key == "href" && !strings.HasPrefix(a.Val, "#") {
					t.Errorf("a link leaves the page: %q", a.Val)
				}
			}
			if n.Data == "style" && n.FirstChild != nil && foreign.MatchString(n.FirstChild.Data) {
				t.Error("the style sheet loads something")
			}
		}
		if !policy {
			t.Error("no content security policy")
		}
		if i := strings.Index(text, `<meta charset="utf-8">`); i < 0 || i > 1000 {
			t.Errorf("charset at %d", i)
		}
	})
}

func TestAnchorsResolve(t *testing.T) {
	eachPage(t, func(t *testing.T, _ string, elements []*html.Node) {
		ids := map[string]int{}
		for _, n := range elements {
			if id := attr(n, "id"); id != "" {
				ids[id]++
			}
		}
		for id, n := range ids {
			if n > 1 || strings.ContainsAny(id, " \t\n\"'<>") {
				t.Errorf("id %q stands %d times", id, n)
			}
		}
		for _, n := range elements {
			for _, ref := range []string{strings.TrimPrefix(attr(n, "href"), "#"), attr(n, "aria-labelledby")} {
				if ref != "" && ids[ref] == 0 {
					t.Errorf("<%s> refers to %q, which is not there", n.Data, ref)
				}
			}
			if _, pattern, ok := strings.Cut(attr(n, "fill"), "url(#"); ok && ids[strings.TrimSuffix(pattern, ")")] == 0 {
				t.Errorf("no pattern %q", pattern)
			}
		}
	})
}

func TestPagesAreStructured(t *testing.T) {
	eachPage(t, func(t *testing.T, _ string, elements []*html.Node) {
		last, tops, mains := 0, 0, 0
		for _, n := range elements {
			switch n.Data {
			case "html":
				if attr(n, "lang") != "en" {
					t.Error("no language")
				}
			case "h1", "h2", "h3", "h4", "h5", "h6":
				level := int(n.Data[1] - '0')
				if level > last+1 {
					t.Errorf("%q: h%d follows h%d", textOf(n), level, last)
				}
				if level == 1 {
					tops++
				}
				last = level
			case "main":
				mains++
			case "th":
				if s := attr(n, "scope"); s != "col" && s != "row" {
					t.Errorf("%q has no scope", textOf(n))
				}
			case "details":
				if c := n.FirstChild; c == nil || c.Data != "summary" {
					t.Error("details without summary")
				}
			}
			if n.Data == "div" && attr(n, "class") == "scroll" && (attr(n, "tabindex") != "0" || attr(n, "role") != "region") {
				t.Error("a scrolling box can't be reached by keyboard")
			}
		}
		if tops != 1 || mains != 1 {
			t.Errorf("%d h1, %d main", tops, mains)
		}
	})
}

func TestPageIsSmall(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, samplePlan(), HTML, options(HTML)); err != nil {
		t.Fatal(err)
	}
	if b.Len() > 150_000 {
		t.Errorf("the sample takes %d bytes", b.Len())
	}
}

func TestFiguresAreFoldedOutOnce(t *testing.T) {
	p := samplePlan()
	p.Sections[1].Figures = append(p.Sections[1].Figures, p.Sections[0].Figures...)
	for _, n := range parsed(t, texts(t, p, HTML, Options{})["plan"]) {
		if attr(n, "class") == "again" && textOf(n) == "Pods of the workload 500 pods" {
			return
		}
	}
	t.Error("a figure listed again is not linked")
}
