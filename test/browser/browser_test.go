// Package browser tests pages in a real browser, from the disk as their readers
// open them: no request leaves the page, nothing overflows, everything can be
// reached by keyboard, and axe-core finds no serious fault. It holds tests only.
// Screenshots are kept with go test -artifacts.
//
// A page that was found good is not looked at again, unless with -count=1 or CI=true.
//
// It needs Chromium, and axe-core by npm ci in this directory.
//
//	go test -C test/browser -run TestReports -artifacts -outputdir .
package browser

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"plimsoll.dev/internal/need"
)

// axePath is where npm puts the accessibility checker.
const axePath = "node_modules/axe-core/axe.min.js"

// patience is how long one test may use the browser.
const patience = 2 * time.Minute

// view is a way to look at a page.
type view struct {
	name          string
	width, height int64
	mobile, dark  bool
}

// layouts are the views in which the layout of each page is looked at: both widths and both
// colour schemes, though not each with each.
var layouts = []view{views[0], views[3]}

var views = []view{
	{"desktop", 1280, 900, false, false},
	{"desktop-dark", 1280, 900, false, true},
	{"phone", 390, 844, true, false},
	{"phone-dark", 390, 844, true, true},
}

// chromium is a browser that is started when the first page is to be looked at.
type chromium struct {
	start  func() (context.Context, error)
	judges func() (string, error) // on whom verdicts depend
}

// newBrowser is one that lives as long as the test.
func newBrowser(t *testing.T) *chromium {
	t.Helper()
	path := need.Program(t, "chromium", "chromium-browser", "google-chrome")
	need.File(t, axePath, "run npm ci in test/browser")
	opts := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.WSURLReadTimeout(patience)) // its own 20 s are few beside a compiler
	judged := sync.OnceValues(func() (string, error) { return judges(path) })
	return &chromium{judges: judged, start: sync.OnceValues(func() (context.Context, error) {
		allocator, stop := chromedp.NewExecAllocator(context.Background(), opts...)
		ctx, end := chromedp.NewContext(allocator)
		t.Cleanup(func() { end(); stop() })
		return ctx, chromedp.Do(ctx)
	})}
}

// tab is a page in the browser and what it did.
type tab struct {
	*testing.T
	ctx context.Context
	url string

	mu       sync.Mutex
	requests []string
	faults   []string
}

// open shows a page from the disk.
func open(t *testing.T, browser *chromium, html []byte, v view) *tab {
	t.Helper()
	process, err := browser.start()
	if err != nil {
		t.Fatalf("the browser does not start: %v", err)
	}
	path := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(path, html, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, end := chromedp.NewContext(process)
	ctx, stop := context.WithTimeout(ctx, patience)
	t.Cleanup(func() { stop(); end() })
	b := &tab{T: t, ctx: ctx, url: "file://" + path}
	if err := chromedp.Listen(ctx, b.hear); err != nil {
		t.Fatal(err)
	}
	scheme := map[bool]string{true: "dark", false: "light"}[v.dark]
	touch := []chromedp.EmulateViewportOption{}
	if v.mobile {
		touch = append(touch, chromedp.EmulateMobile, chromedp.EmulateTouch)
	}
	b.do(
		command(network.Enable, network.EnableParams{}), command(log.Enable, cdp.Empty{}),
		command(runtime.Enable, cdp.Empty{}), chromedp.EmulateViewport(v.width, v.height, touch...),
		command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		}),
		chromedp.Navigate(b.url),
	)
	return b
}

// command is a protocol command as an action.
func command[P, R any](c cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, c, params)
		return err
	})
}

func (b *tab) hear(ev any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := ev.(type) {
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	case *runtime.EventExceptionThrown:
		b.faults = append(b.faults, e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
			b.faults = append(b.faults, "console "+string(e.Type))
		}
	case *log.EventEntryAdded:
		b.faults = append(b.faults, e.Entry.Text)
	}
}

func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.Fatal(err)
	}
}

// eval runs an expression in the page.
func eval[T any](b *tab, expression string) T {
	b.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.Fatalf("%v in %s", err, expression)
	}
	return v
}

// openAll opens every fold.
func (b *tab) openAll() {
	eval[int](b, `document.querySelectorAll('details').forEach(d => d.open = true), 1`)
}

// quiet demands that nothing but the page itself was asked for, and that the
// browser had nothing to complain of.
func (b *tab) quiet() {
	b.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.requests {
		if before, _, _ := strings.Cut(r, "#"); before != b.url {
			b.Errorf("the page asks for %s", r)
		}
	}
	if len(b.requests) == 0 {
		b.Error("no request was seen at all: the listener is deaf")
	}
	for _, f := range b.faults {
		b.Errorf("the browser complains: %s", f)
	}
}

// fitsWidth demands that the page does not scroll sideways.
func (b *tab) fitsWidth() {
	b.Helper()
	const wider = `[...document.querySelectorAll('body *')].filter(e => !e.closest('.scroll, nav, svg') && !e.matches('.skip') && e.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
		.slice(0, 5).map(e => e.tagName + '.' + e.className + ' ' + e.textContent.slice(0, 40))`
	size := eval[[]int64](b, `[document.documentElement.scrollWidth, document.documentElement.clientWidth]`)
	if size[0] > size[1] {
		b.Errorf("the page is %d wide in a window of %d: %q", size[0], size[1], eval[[]string](b, wider))
	}
}

// fault is a violation that axe found.
type fault struct {
	ID, Impact, Help string
	Nodes            []string
}

// accessible demands that axe-core finds nothing serious or critical.
func (b *tab) accessible() {
	b.Helper()
	axe, err := os.ReadFile(axePath)
	if err != nil {
		b.Fatal(err)
	}
	eval[chromedp.Void](b, string(axe))
	faults := eval[[]fault](b, `axe.run(document, {resultTypes: ['violations']}).then(r => r.violations.map(v =>
		({id: v.id, impact: v.impact, help: v.help, nodes: v.nodes.slice(0, 3).map(n => n.html.slice(0, 200) + ' ' + n.failureSummary)})))`)
	for _, f := range faults {
		if f.Impact == "serious" || f.Impact == "critical" {
			b.Errorf("axe: %s (%s): %s\n%s", f.ID, f.Impact, f.Help, strings.Join(f.Nodes, "\n"))
		} else {
			b.Logf("axe, %s: %s: %s", f.Impact, f.ID, f.Help)
		}
	}
}

// pictured reports whether screenshots are wanted: they cost as much as all the rest.
func pictured() bool {
	f := flag.Lookup("test.artifacts")
	return f != nil && f.Value.String() == "true"
}

// tallest bounds screenshots, which browsers refuse of very long pages.
const tallest = 12000

// picture keeps a screenshot of the page, where -artifacts asks for it.
func (b *tab) picture(name string) {
	b.Helper()
	if !pictured() {
		return
	}
	size := eval[[]float64](b, `[document.documentElement.clientWidth, document.documentElement.scrollHeight]`)
	png, err := chromedp.Run(b.ctx, func(ctx context.Context, t *chromedp.Target) ([]byte, error) {
		beyond := true
		clip := page.Viewport{Width: size[0], Height: min(size[1], tallest), Scale: 1}
		r, err := cdp.Call(ctx, t, page.CaptureScreenshot,
			page.CaptureScreenshotParams{CaptureBeyondViewport: &beyond, Clip: &clip})
		return r.Data, err
	})
	if err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(b.ArtifactDir(), strings.ReplaceAll(b.Name(), "/", "-")+"-"+name), png,
		0o600); err != nil {
		b.Fatal(err)
	}
}
