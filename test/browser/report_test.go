package browser

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func TestReports(t *testing.T) {
	browser := newBrowser(t)
	all := pages(t, "report-")
	for _, name := range largestFirst(all) {
		html := all[name]
		for _, v := range layouts {
			t.Run(name+"/"+v.name, func(t *testing.T) {
				t.Parallel()
				look(t, browser, html, v, func(b *tab) {
					b.fitsWidth()
					if name == "plan" {
						b.accessible()
					}
					b.picture("closed.png")
					b.openAll()
					b.fitsWidth()
					b.accessible()
					b.picture("open.png")
					b.colours(v.dark)
					b.quiet()
				})
			})
		}
	}
}

// colours demands light text on dark ground, or the other way round.
func (b *tab) colours(dark bool) {
	b.Helper()
	const brightness = `(p => getComputedStyle(document.body)[p].match(/\d+/g).slice(0, ` +
		`3).reduce((a, x) => a + +x, 0) / 3)`
	ground, ink := eval[float64](b, brightness+`('backgroundColor')`), eval[float64](b, brightness+`('color')`)
	if dark != (ground < ink) || max(ground, ink)-min(ground, ink) < 128 {
		b.Errorf("ground %v, ink %v, dark %v", ground, ink, dark)
	}
}

func TestPlanPage(t *testing.T) {
	browser := newBrowser(t)
	page := pages(t, "report-")["plan"]
	t.Run("says what matters first", func(t *testing.T) { look(t, browser, page, views[0], verdictFirst) })
	t.Run("says it on a phone", func(t *testing.T) { look(t, browser, page, views[2], verdictFirst) })
	t.Run("keyboard", func(t *testing.T) { look(t, browser, page, views[0], keyboard) })
	t.Run("links open folds", func(t *testing.T) { look(t, browser, page, views[0], linksOpen) })
	t.Run("print", func(t *testing.T) { look(t, browser, page, views[1], prints) })
	t.Run("limits line up", func(t *testing.T) { look(t, browser, page, views[0], linesUp) })
}

func TestPlacementPage(t *testing.T) {
	browser := newBrowser(t)
	shop, pages := pages(t, "example-")["shop"], pages(t, "report-")
	t.Run("labels do not overlap", func(t *testing.T) {
		for _, v := range []view{views[0], views[2]} {
			look(t, browser, pages["placement-cluster"], v, labelsApart)
			look(t, browser, shop, v, labelsApart)
		}
	})
	t.Run("threads stand together",
		func(t *testing.T) { look(t, browser, pages["placement-large"], views[0], threadsTogether) })
	t.Run("print", func(t *testing.T) { look(t, browser, pages["placement-numa"], views[1], printsPlacement) })
}

func TestServersPage(t *testing.T) {
	browser := newBrowser(t)
	page := pages(t, "report-")["servers-figure-16"]
	for _, v := range []view{views[0], views[2]} {
		t.Run("cores stand beside each other on a "+v.name, func(t *testing.T) { look(t, browser, page, v, coresInLine) })
	}
	t.Run("the same VM has one colour", func(t *testing.T) { look(t, browser, page, views[0], coloursAgree) })
}

// coresInLine demands that the eight cores of a socket stand on one line, each with
// its number above its mark.
func coresInLine(b *tab) {
	lines := eval[[]int64](b, `[...document.querySelectorAll('.cores')].map(c => new `+
		`Set([...c.querySelectorAll('.core')].map(e => e.getBoundingClientRect().top)).size)`)
	for _, n := range lines {
		if n != 1 {
			b.Errorf("the cores of the sockets stand on %v lines", lines)
		}
	}
	marks := eval[string](b, `[...document.querySelectorAll('.cores .cpu')].map(e => e.lastChild.textContent).join('')`)
	if marks != "PVVAABBC"+"SCFF~~~~" {
		b.Errorf("the marks are %s", marks)
	}
	if n := eval[int64](b, `[...document.querySelectorAll('.cores small')].filter((e, `+
		`i) => e.textContent == i).length`); n != 16 {
		b.Errorf("%d CPUs have their number", n)
	}
}

// coloursAgree demands that letters in cores, legend and devices have the same
// colour, and different VMs different ones.
func coloursAgree(b *tab) {
	faults := eval[[]string](b, `(() => {
		const seen = {}, out = [];
		document.querySelectorAll('.machine .cpu.own').forEach(e => {
			const mark = e.lastChild.textContent, colour = getComputedStyle(e).backgroundColor;
			if (seen[mark] && seen[mark] != colour) out.push(mark + ' is ' + colour + ' and ' + seen[mark]);
			seen[mark] = colour;
		});
		if (new Set(Object.values(seen)).size != Object.keys(seen).length) out.push('two VMs share a colour: ' + JSON.stringify(seen));
		if (Object.keys(seen).length != 6) out.push('only ' + Object.keys(seen));
		return out;
	})()`)
	for _, f := range faults {
		b.Error(f)
	}
}

// labelsApart demands that the labels of drawings stand within them, and not on one another.
func labelsApart(b *tab) {
	faults := eval[[]string](b, `[...document.querySelectorAll('main svg')].filter(s => s.querySelector('text') && !s.closest('svg svg, details:not([open])')).flatMap(s => {
		const box = e => e.getBoundingClientRect(), all = box(s), texts = [...s.querySelectorAll('text')], out = [];
		texts.forEach((t, i) => {
			const r = box(t);
			if (r.left < all.left - 1 || r.right > all.right + 1) out.push(t.textContent + ' leaves the drawing');
			texts.slice(i + 1).forEach(u => { const q = box(u); if (q.left < r.right && r.left < q.right && q.top < r.bottom - 3 && r.top < q.bottom - 3) out.push(t.textContent + ' overlaps ' + u.textContent); });
		});
		return out;
	})`)
	for _, f := range faults {
		b.Error(f)
	}
	if n := eval[int64](b, `document.querySelectorAll('svg.packing text').length`); n < 2 {
		b.Errorf("only %d labels", n)
	}
}

// threadsTogether demands that a machine is drawn whole: each core on one line, all
// CPUs there, and each with its number for a pointer.
func threadsTogether(b *tab) {
	type drawn struct{ CPUs, Named, Broken int }
	got := eval[drawn](b,
		`({CPUs: document.querySelectorAll('.cores .cpu').length, Named: document.querySelectorAll('.cores .cpu[title^="CPU "]').length,
		Broken: [...document.querySelectorAll('.core')].filter(c => new Set([...c.children].map(e => e.getBoundingClientRect().top)).size > 1).length})`)
	if got != (drawn{256, 256, 0}) {
		b.Errorf("%+v", got)
	}
}

// printsPlacement demands that folds are open on paper, and that the drawing keeps
// its colours.
func printsPlacement(b *tab) {
	b.do(command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"}))
	hidden := eval[[]string](b, `[...document.querySelectorAll('.admission, .cores, .packing, `+
		`.unplaced')].filter(e => e.getBoundingClientRect().height < 5).map(e => e.textContent)`)
	if len(hidden) > 0 {
		b.Errorf("not printed: %q", hidden)
	}
	if got := eval[string](b, `getComputedStyle(document.querySelector('.cpu.own')).printColorAdjust`); got != "exact" {
		b.Errorf("CPUs are printed with colours %q", got)
	}
	b.picture("print.png")
}

// verdictFirst demands that verdict and nearest limit stand on the first screen.
func verdictFirst(b *tab) {
	for _, selector := range []string{"h1", "#verdict h2", "#limits h2"} {
		bottom := eval[float64](b, `document.querySelector('`+selector+`').getBoundingClientRect().bottom`)
		if height := eval[float64](b, `innerHeight`); bottom <= 0 || bottom > height {
			b.Errorf("%s ends at %v, the screen at %v", selector, bottom, height)
		}
	}
	if text := eval[string](b, `document.querySelector('#verdict').innerText`); !strings.Contains(text,
		"Does not fit: 1 error") || !strings.Contains(text, "57 x m5.2xlarge") {
		b.Errorf("verdict: %q", text)
	}
	if text := eval[string](b, `document.querySelector('.gauge summary').innerText`); !strings.Contains(text, "234 %") ||
		!strings.Contains(text, "exceeded") {
		b.Errorf("nearest limit: %q", text)
	}
}

// keyboard demands that Tab reaches the first limit and Enter opens it.
func keyboard(b *tab) {
	b.do(chromedp.KeyEvent(kb.Tab))
	if text := eval[string](b, `document.activeElement.innerText`); text != "Skip to the verdict" {
		b.Errorf("the first stop is %q", text)
	}
	for range 40 {
		b.do(chromedp.KeyEvent(kb.Tab))
		if eval[bool](b, `document.activeElement.matches('.gauge > summary')`) {
			break
		}
	}
	if !eval[bool](b, `parseFloat(getComputedStyle(document.activeElement).outlineWidth) >= 2`) {
		b.Error("the focus is not visible")
	}
	b.do(chromedp.KeyEvent(kb.Enter))
	if !eval[bool](b, `document.activeElement.parentElement.open && document.querySelector('.gauge `+
		`.how').checkVisibility({contentVisibilityAuto: true})`) {
		b.Error("Enter does not open the limit")
	}
}

// linksOpen demands that a link to a figure opens the fold that hides it.
func linksOpen(b *tab) {
	b.do(chromedp.Click(chromedp.CSS(`.findings a[href="#f-network.nodes"]`)))
	const shown = `(e => e.closest('details').open && e.getBoundingClientRect().top < innerHeight && ` +
		`e.getBoundingClientRect().bottom > 0)(document.getElementById('f-network.nodes'))`
	for range 50 {
		if eval[bool](b, shown) {
			return
		}
		eval[int](b, `new Promise(done => setTimeout(() => done(1), 100))`)
	}
	b.Error("the figure stays hidden")
}

// prints demands a PDF, folds open, black on white even from a dark screen.
func prints(b *tab) {
	pdf, err := chromedp.Run(b.ctx, chromedp.PrintToPDF(chromedp.PDFPrintBackground()))
	if err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(b.ArtifactDir(), "plan.pdf"), pdf, 0o600); err != nil {
		b.Fatal(err)
	}
	if n := len(regexp.MustCompile(`/Type\s*/Page\b`).FindAll(pdf, -1)); n < 2 {
		b.Errorf("%d pages", n)
	}
	b.do(command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print",
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}}))
	hidden := eval[[]string](b, `[...document.querySelectorAll('.how, .more .gauge, `+
		`.kinds')].filter(e => e.getBoundingClientRect().height < 5).map(e => e.id || e.textContent)`)
	if len(hidden) > 0 {
		b.Errorf("not printed: %q", hidden)
	}
	if eval[bool](b, `document.querySelector('nav').checkVisibility()`) {
		b.Error("the contents are printed, too")
	}
	b.colours(false)
}

// linesUp demands that the limit stands at the same place in every row, so
// that it makes one line, and that no bar of a kept limit crosses it.
func linesUp(b *tab) {
	places := eval[[]float64](b, `[...document.querySelectorAll('.gauges .limit-line')].filter(e => `+
		`e.checkVisibility({contentVisibilityAuto: true})).map(e => Math.round(e.getBoundingClientRect().left))`)
	for _, x := range places {
		if x != places[0] {
			b.Errorf("limits stand at %v", places)
			break
		}
	}
	ends := eval[[]float64](b, `[...document.querySelectorAll('.gauge.within, .gauge.near')].filter(e => `+
		`e.querySelector('.bar')?.checkVisibility({contentVisibilityAuto: `+
		`true})).map(e => e.querySelector('.bar').getBoundingClientRect().right)`)
	for _, x := range ends {
		if x > places[0]+2 {
			b.Errorf("a bar ends at %v, the limit is at %v", x, places[0])
		}
	}
}
