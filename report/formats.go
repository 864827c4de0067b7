package report

import (
	"encoding/csv"
	"encoding/xml"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
)

// UsageError says that what was asked for can't be given, and what can.
type UsageError struct{ message string }

func (e *UsageError) Error() string { return e.message }

func unusable(format string, args ...any) error { return &UsageError{fmt.Sprintf(format, args...)} }

// judgedOnly refuses a format of findings for answers that have none.
func (d *Document) judgedOnly(format string) error {
	if d.Judged {
		return nil
	}
	return unusable("format %s lists findings, and this answer is of a kind that has none", format)
}

// rule is the id of a finding without what it is about: "place.refused[web]" is of the
// rule place.refused.
func rule(f v1alpha1.Finding) string {
	id, _, _ := strings.Cut(oneLine(f.ID), "[")
	return strings.Trim(id, " .")
}

// The parts of a JUnit report that Jenkins, GitLab and others read.
type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Skipped  int         `xml:"skipped,attr,omitempty"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	File    string        `xml:"file,attr,omitempty"`
	Line    int           `xml:"line,attr,omitempty"`
	Failure *junitFailure `xml:"failure"`
	Skipped *junitSkipped `xml:"skipped"`
	Out     string        `xml:"system-out,omitempty"`
}

type junitFailure struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

type junitSkipped struct {
	Message string `xml:"message,attr"`
}

// junit is the verdict and each finding as a test case. Errors and warnings are
// failures of their severity, remarks pass. What is waived, and rules that say nothing, are skipped.
func (d *Document) junit() (string, error) {
	if err := d.judgedOnly(JUnit); err != nil {
		return "", err
	}
	suite := junitSuite{Name: oneLine(titled(d.Title, d.Sub))}
	add := func(c junitCase) {
		suite.Tests++
		if c.Failure != nil {
			suite.Failures++
		}
		if c.Skipped != nil {
			suite.Skipped++
		}
		suite.Cases = append(suite.Cases, c)
	}
	if v := d.Verdict; v != nil {
		c := junitCase{Class: "verdict", Name: oneLine(d.Title), Out: table.Clean(v.Text)}
		if v.Mark == "bad" || v.Open {
			c.Failure = &junitFailure{"verdict", oneLine(v.Text), ""}
		}
		add(c)
	}
	for _, f := range worstFirst(d.Findings) {
		c, says := junitFinding(f)
		if f.Severity.Rank() < 2 {
			c.Failure = &junitFailure{string(f.Severity), oneLine(f.Message), says}
		} else {
			c.Out = says
		}
		add(c)
	}
	for _, a := range d.Aside {
		if c, _ := junitFinding(a.Finding); a.Skipped != "" {
			c.Skipped = &junitSkipped{oneLine(a.Skipped)}
			add(c)
		}
	}
	out, err := xml.MarshalIndent(suite, "", "  ")
	return xml.Header + string(out) + "\n", err
}

// junitFinding is a finding as a test case, and all that is said of it.
func junitFinding(f v1alpha1.Finding) (c junitCase, says string) {
	c = junitCase{Class: rule(f), Name: titled(oneLine(f.ID), oneLine(f.Message))}
	if p := f.Place; p != nil {
		c.File, c.Line = oneLine(p.File), max(0, p.Line)
	}
	return c, cleanLines(strings.Join(slices.DeleteFunc([]string{whereFound(f), f.Message, f.Remedy, aboutFinding(f)},
		func(s string) bool { return s == "" }), "\n"))
}

// cleanLines is a text of several lines without control characters.
func cleanLines(s string) string { return joined(strings.Split(s, "\n"), "\n", oneLine) }

// The parts of SARIF 2.1.0 that say what was found, and where.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool    sarifTool     `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		URI     string      `json:"informationUri"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID string `json:"id"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations,omitempty"`
		// Suppressions are who says that the result may stand. SARIF has no word for owner and end: they are properties.
		// Where one result has some, the others say that they have none (SARIF 2.1.0, 3.27.23).
		Suppressions  *[]sarifSuppression `json:"suppressions,omitempty"`
		BaselineState string              `json:"baselineState,omitempty"`
		Properties    map[string]string   `json:"properties,omitempty"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Status        string `json:"status"`
		Justification string `json:"justification"`
	}
	sarifLocation struct {
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		Line   int `json:"startLine"`
		Column int `json:"startColumn,omitempty"`
	}
	sarifLogical struct {
		Name string `json:"fullyQualifiedName"`
	}
)

// sarif is the findings as code scanners take them.
func (d *Document) sarif(by v1alpha1.Build) (string, error) {
	if err := d.judgedOnly(SARIF); err != nil {
		return "", err
	}
	run := sarifRun{Tool: sarifTool{sarifDriver{Name: "Plimsoll", Version: by.Version, URI: "https://plimsoll.dev",
		Rules: []sarifRule{}}},
		Results: []sarifResult{}}
	for _, f := range worstFirst(d.Findings) {
		r := run.result(f)
		if d.Baseline {
			r.BaselineState = "new"
		}
		run.Results = append(run.Results, r)
	}
	for _, a := range d.Aside {
		if a.Waiver == nil && a.Baseline == "" { // a rule that says nothing
			continue
		}
		r := run.result(a.Finding)
		r.BaselineState = a.Baseline
		if w := a.Waiver; w != nil {
			r.Suppressions = &[]sarifSuppression{{"external", "accepted", oneLine(w.Reason)}}
			r.Properties = map[string]string{"owner": oneLine(w.Owner), "until": oneLine(w.Until)}
		}
		run.Results = append(run.Results, r)
	}
	some := func(r sarifResult) bool { return r.Suppressions != nil }
	for i := range run.Results {
		if run.Results[i].Suppressions == nil && slices.ContainsFunc(run.Results, some) {
			run.Results[i].Suppressions = &[]sarifSuppression{}
		}
	}
	return toJSON(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}}, v1alpha1.Build{})
}

// result is a finding, whose rule is listed once.
func (r *sarifRun) result(f v1alpha1.Finding) sarifResult {
	driver := &r.Tool.Driver
	id := rule(f)
	at := slices.Index(driver.Rules, sarifRule{id})
	if at < 0 {
		at = len(driver.Rules)
		driver.Rules = append(driver.Rules, sarifRule{id})
	}
	text := oneLine(f.Message)
	if f.Remedy != "" {
		text += ". Remedy: " + oneLine(f.Remedy)
	}
	out := sarifResult{RuleID: id, RuleIndex: at, Level: sarifLevel(f.Severity), Message: sarifText{text}}
	if l := sarifPlace(f); l.Physical != nil || l.Logical != nil {
		out.Locations = []sarifLocation{l}
	}
	return out
}

func sarifLevel(s v1alpha1.Severity) string {
	if s.Rank() < 2 {
		return string(s)
	}
	return "note"
}

// sarifPlace is where a finding stands: in a file, in an object or a scenario.
func sarifPlace(f v1alpha1.Finding) sarifLocation {
	var out sarifLocation
	name := f.Field
	if p := f.Place; p != nil {
		name = strings.TrimSpace(p.Object + " " + p.Field)
		if p.File != "" {
			out.Physical = &sarifPhysical{Artifact: sarifArtifact{uriOf(p.File)}}
			if p.Line > 0 {
				out.Physical.Region = &sarifRegion{p.Line, max(0, p.Col)}
			}
		}
	}
	if name != "" {
		out.Logical = []sarifLogical{{oneLine(name)}}
	}
	return out
}

// uriOf is a file name as a relative or absolute reference.
func uriOf(file string) string {
	return (&url.URL{Path: strings.ReplaceAll(oneLine(file), `\`, "/")}).String()
}

// csv is the table of a name. It names the tables when there is none of that name.
func (d *Document) csv(name string) (string, error) {
	names, tables := d.Tables()
	g, ok := tables[name]
	switch {
	case len(names) == 0:
		return "", unusable("the answer has no table")
	case name == "":
		return "", unusable("--table is missing (one of %s)", strings.Join(names, ", "))
	case !ok:
		return "", unusable("there is no table %q (one of %s)", oneLine(name), strings.Join(names, ", "))
	}
	var b strings.Builder
	w := csv.NewWriter(&b)
	record := each(g.Columns, func(c Column) string { return oneLine(c.Title) })
	err := w.Write(record)
	for _, row := range g.Rows {
		for i := range record {
			record[i] = ""
			if i < len(row) {
				record[i] = row[i].flat()
			}
		}
		if err == nil {
			err = w.Write(record)
		}
	}
	w.Flush()
	return b.String(), err
}

// flat is a cell as text.
func (c Cell) flat() string {
	if c.Text == "" {
		return oneLine(strings.Join(c.List, "; "))
	}
	return oneLine(c.Text)
}
