package report

import (
	"html/template"
	"strings"

	"plimsoll.dev/facts"
)

// factPage is a page of facts in one file, without network or script.
var factPage = template.Must(template.New("facts").Funcs(template.FuncMap{"join": strings.Join}).Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Plimsoll: facts</title><style>
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 1rem auto; max-width: 80rem; padding: 0 1rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
caption { text-align: left; padding: .5rem 0; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid color-mix(in srgb, currentColor 25%, transparent); }
td.id { font-family: ui-monospace, monospace; }
</style></head><body><main><h1>Facts</h1>
<div class="scroll" tabindex="0" role="region" aria-label="Facts"><table><caption>{{len .}} figures with kind, grade and source</caption>
<thead><tr><th scope="col">Fact</th><th scope="col">Value</th><th scope="col">Title</th><th scope="col">Kind</th><th scope="col">Grade</th><th scope="col">Source</th><th scope="col">Notes</th><th scope="col">Contradicted by</th></tr></thead>
<tbody>{{range .}}<tr><td class="id">{{.ID}}</td><td>{{.Printed}}</td><td>{{.Title}}</td><td>{{.Kind}}</td><td>{{.Grade}}</td><td>{{.Source}}</td><td>{{join .Notes " "}}</td><td>{{join .Contradicts ", "}}</td></tr>
{{end}}</tbody></table></div></main></body></html>
`))

func factsHTML(list []facts.Fact) (string, error) {
	var b strings.Builder
	err := factPage.Execute(&b, list)
	return b.String(), err
}
