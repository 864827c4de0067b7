package tuned

import (
	"fmt"
	"strings"
	"testing"

	"plimsoll.dev/object"
)

// parsed writes what a text is read as: [section] key=value, a key without value
// alone, lines of values with a bar between them.
func parsed(text string) string {
	f, _ := Parse(Source{Body: text})
	if f.Refused {
		return "refused"
	}
	var out []string
	for _, s := range f.Sections {
		out = append(out, "["+s.Name+"]")
		for _, o := range f.all(s) {
			out = append(out, o.Key+"="+strings.ReplaceAll(o.Value, "\n", "|"))
		}
	}
	return strings.Join(out, " ")
}

// TestParse has the corners of the format, as TuneD's parser reads them.
func TestParse(t *testing.T) {
	for _, c := range []struct{ what, text, want string }{
		{"only = separates, the first one", "[a]\nk:1=b=c\n", "[a] k:1=b=c"},
		{"names are case-sensitive", "[a]\nK=1\nk=2\n[A]\nk=3\n", "[a] K=1 k=2 [A] k=3"},
		{"comments on lines of their own", "# x\n[a]\n ; y\nk=1\n# z\n", "[a] k=1"},
		{"# behind a blank is a comment, ; is not", "[a]\nk=1 # x\nl=1#x\nm=1 ; x\nn=# x\n", "[a] k=1 l=1#x m=1 ; x n=# x"},
		{"the last of two values counts, in the place of the first", "[a]\nk=1\nl=2\nk=3\n", "[a] k=3 l=2"},
		{"sections of one name are joined", "[a]\nk=1\n[b]\nx=1\n[a]\nl=2\nk=4\n", "[a] k=4 l=2 [b] x=1"},
		{"an indented line continues", "[a]\nk=1\n  l=2\nm=3\n", "[a] k=1|l=2 m=3"},
		{"also over empty lines, not over comments", "[a]\nk=1\n\n  2\n # c\n  3\nm=3\n", "[a] k=1||2|3 m=3"},
		{"an indented header continues as well", "[a]\nk=1\n  [b]\nl=2\n", "[a] k=1|[b] l=2"},
		{"the first line decides the indentation", "  [a]\n  k=1\n    more\n  l=2\nm=3\n", "[a] k=1|more l=2 m=3"},
		{"text behind a header is dropped", "[a] b=1\nk=1\n[c]=2\n", "[a] k=1 [c]"},
		{"a header ends at its last bracket", "[a]b]\nk=1\n", "[a]b] k=1"},
		{"blanks around = don't count", "[a]\n k \t=\u00a0 v \n", "[a] k=v"},
		{"an empty value is one", "[a]\nk=\nl = \n", "[a] k= l="},
		{"line ends of all kinds", "[a]\r\nk=1\rl=2\n", "[a] k=1 l=2"},
		{"form feed is a blank, not a line end", "[a]\nk=1\x0cl=2\n", "[a] k=1\x0cl=2"},
		{"DEFAULT is in every section", "[DEFAULT]\nd=1\nk=9\n[a]\nk=1\n[b]\n", "[a] k=1 d=1 [b] d=1 k=9"},
		{"no interpolation", "[a]\nk=%(x)s %d\n", "[a] k=%(x)s %d"},
		{"nothing", "", ""},
		{"a key without =", "[a]\nk\n", "refused"},
		{"a colon is no =", "[a]\nk: v\n", "refused"},
		{"no key", "[a]\n=v\n", "refused"},
		{"an empty header", "[]\nk=v\n", "refused"},
		{"text before the first section", "k=v\n[a]\n", "refused"},
		{"a byte order mark", "\ufeff[a]\nk=v\n", "refused"},
		{"no UTF-8", "[a]\nk=\xff\n", "refused"},
	} {
		if got := parsed(c.text); got != c.want {
			t.Errorf("%s: %q is %q, want %q", c.what, c.text, got, c.want)
		}
	}
}

// TestSection8_08_indented_line_is_a_continuation: a=1 and an indented b=2 are one
// key with two lines, and the reader is told.
func TestSection8_08_indented_line_is_a_continuation(t *testing.T) {
	f, found := Parse(Source{Body: "[s]\na=1\n b=2\n", File: "f"})
	if len(f.Sections[0].Options) != 1 || f.Sections[0].Options[0].Value != "1\nb=2" {
		t.Errorf("read as %+v", f.Sections)
	}
	wantFinding(t, found, Joined, "f", 3)
}

// TestParseTellsAllProblems: every problem of a text at once, each at its place.
func TestParseTellsAllProblems(t *testing.T) {
	text := "[main] rest\nsummary=x ; y\nno equals\n=v\nk=1\nk=2\nm=1#2\n   [net]\n[ a ]\n[DEFAULT]\n"
	_, found := Parse(Source{Body: text, File: "f"})
	var got []string
	for _, f := range found {
		got = append(got, fmt.Sprintf("%d:%d %s", f.Place.Line, f.Place.Col, strings.TrimPrefix(f.ID, "tuned.")))
	}
	want := "1:1 headerRest, 2:1 commentKept, 3:1 noValue, 4:1 noKey, 6:1 duplicateKey, 7:1 commentKept, 8:4 joined, " +
		"9:1 headerRest, 10:1 defaultSection"
	if strings.Join(got, ", ") != want {
		t.Errorf("found %s\nwant  %s", strings.Join(got, ", "), want)
	}
}

// TestRulesAreDistinct: ids are unique, and every rule says what it is about.
func TestRulesAreDistinct(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rules() {
		if seen[r.ID] || r.Title == "" || r.Severity == "" || !strings.HasPrefix(r.ID, "tuned.") ||
			strings.HasSuffix(r.Title, ".") {
			t.Errorf("rule %+v", r)
		}
		seen[r.ID] = true
	}
	if o := (object.Rule{}); seen[o.ID] {
		t.Error("a rule has no id")
	}
}

// FuzzFlatten: no text makes the parser, the merger or the functions panic, hang
// or grow without bounds; what they accept is written and read again to the same.
func FuzzFlatten(f *testing.F) {
	for _, seed := range []string{
		"[main]\ninclude=p\n[sysctl]\nk=>1\n", "[variables]\na=1\nb=${a}${f:strip:${a}: x}\n[net]\nmtu=${b}\n",
		"[variables]\na=xxxxxxxxxx\nb=${a}${a}${a}${a}\nc=${b}${b}${b}${b}\nd=${c}${c}${c}${c}\n" +
			"[sysctl]\nk=${d}${d}${d}${d}\n",
		"[a]\nk=${f:cpulist_unpack:0-99999999}${f:cpulist2hex:999999999999}\n", "[variables]\n0=a\n1=bb\n[a]\nk=$$x\n",
		"[a]\nk=${f:regex_search_ternary:aaaaaaaaaaaaaaaaaaaaaaaa:(a*)*b:1:2}\nuname_regex=(a|b)*c\n",
		"[script]\nscript=${i:PROFILE_DIR}/../x\n",
		"[bootloader]\ncmdline=+a b\ncmdline_x=-b \"\n", "[a]\nk=${f:${f:x:}:}}{${f\n", "\ufeff", "[a]\n=\n", "[a]\nk\n  l\n",
		"[a]\ndrop=a*,b\npriority=1e9\n",
	} {
		f.Add(seed, "[sysctl]\nk=1\n")
	}
	yes, text := true, "0-3\n"
	f.Fuzz(func(t *testing.T, child, parent string) {
		if len(child)+len(parent) > 1<<16 {
			return
		}
		m := Machine{Virtual: &yes, Online: &text, Present: &text, CPUInfo: &text, Uname: &text, Processors: 4}
		s := NewSet(directory("/v", "p", parent, "q", parent), directory("/a", "p", child))
		flat, found := s.Flatten("p q", m)
		if flat == nil && len(found) == 0 {
			t.Fatal("refused without a reason")
		}
		if flat != nil {
			Kernel(flat)
			Answer("p q", flat, found)
		}
	})
}
