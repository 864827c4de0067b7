// Package report turns a plan, a placement or a packing into every output format:
// text for terminals (table, wide), JSON and YAML for programs, Markdown for
// tickets, HTML as one file that needs no network, and the list of names; it
// explains a single number of a plan (Why) and compares two plans (Diff).
//
// Each kind of answer has one function that makes a Document of it: title, verdict,
// findings, and sections of blocks (a table, a list, gauges, a timeline). The
// renderers of text, Markdown and pages draw blocks and know no answer; findings as
// JUnit and SARIF and tables as CSV are made from the Document, too.
//
// It computes no plan and places nothing: it orders, formats and draws what a
// v1alpha1.Plan or a v1alpha1.Placement holds, and evaluates a figure's formula
// once more to show that it agrees. The same document and options give the same
// bytes.
//
//	err := report.Write(os.Stdout, plan, "table", report.Options{Width: 80})
package report
