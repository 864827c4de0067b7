package browser

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/internal/need"
)

// pages reads the pages whose names begin with a prefix, by the rest of the name.
// They are files, so that go test runs this package anew when a page has changed,
// and not whenever the program has; of the pages, look takes those that have.
func pages(t *testing.T, prefix string) map[string][]byte {
	t.Helper()
	index := need.File(t, "pages/index.txt", "run go run ./tools/pages -o test/browser/pages in the root")
	names, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for _, name := range strings.Fields(string(names)) {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			html, err := os.ReadFile(filepath.Join("pages", name+".html"))
			if err != nil {
				t.Fatal(err)
			}
			out[rest] = html
		}
	}
	if len(out) < 10 {
		t.Fatalf("only %d pages begin with %s", len(out), prefix)
	}
	return out
}

// largestFirst are the names of pages in the order in which they are looked at: in the
// end nobody waits for a large one.
func largestFirst(pages map[string][]byte) []string {
	return slices.SortedFunc(maps.Keys(pages), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(pages[b]), len(pages[a])), cmp.Compare(a, b))
	})
}

// mostBytes is what a page may weigh that is attached to a ticket.
const mostBytes = 1_500_000

// mostHigh is the height of a page, in pixels, that a reader takes in by scrolling a few times.
const mostHigh = 5000

// notTall demands that a page whose folds are closed is no taller than that.
func (b *tab) notTall() {
	b.Helper()
	if high := eval[int64](b, `document.documentElement.scrollHeight`); high > mostHigh {
		b.Errorf("the page is %d pixels high, more than %d", high, mostHigh)
	}
}

// TestExamples opens the pages of the examples.
func TestExamples(t *testing.T) {
	browser := newBrowser(t)
	all := pages(t, "example-")
	for _, name := range largestFirst(all) {
		html := all[name]
		if len(html) > mostBytes && strings.HasPrefix(name, "place-") {
			t.Errorf("the page of %s has %d bytes, more than %d", name, len(html), mostBytes)
		}
		for _, v := range layouts {
			t.Run(name+"/"+v.name, func(t *testing.T) {
				t.Parallel()
				look(t, browser, html, v, func(b *tab) {
					b.fitsWidth()
					if !v.mobile {
						b.notTall()
					}
					b.picture("closed.png")
					b.openAll()
					b.fitsWidth()
					b.accessible()
					b.quiet()
				})
			})
		}
	}
}
