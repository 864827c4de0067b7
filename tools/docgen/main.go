// Command docgen writes the reference in docs/reference: commands from the
// program, fields from the scenario's schema, facts from the catalogue, and the
// rules by which settings are judged. It is run
// by "go generate ./internal/cli".
//
// It writes no guide; people do.
//
//	go run ./tools/docgen -o docs/reference
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"plimsoll.dev/engine/tuned"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/cli"
	"plimsoll.dev/schema"
	"plimsoll.dev/tune/check"
	"plimsoll.dev/tune/era"
	"plimsoll.dev/tune/object"
)

func main() {
	dir := flag.String("o", "docs/reference", "directory to write to")
	flag.Parse()
	if err := run(*dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	fields, err := fieldReference("the scenario", "")
	if err != nil {
		return err
	}
	health, err := fieldReference("the health scenario", schema.Health)
	if err != nil {
		return err
	}
	for name, text := range map[string]string{"cli.md": cli.Reference(), "scenario.md": fields, "healthscenario.md": health, "facts.md": factReference(), "rules.md": ruleReference()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// fieldReference lists every object of a document with its fields.
func fieldReference(of, path string) (string, error) {
	var b strings.Builder
	b.WriteString("# Fields of " + of + "\n\nGenerated from the types; `plimsoll explain FIELD` says the same.\n")
	err := fieldSection(&b, path)
	return b.String(), err
}

func fieldSection(b *strings.Builder, path string) error {
	f, err := schema.Lookup(path)
	if err != nil {
		return err
	}
	if len(f.Fields) == 0 {
		return nil
	}
	title := path
	if title == "" {
		title = "Scenario"
	}
	fmt.Fprintf(b, "\n## %s\n\n%s\n\n| field | type | default | meaning |\n|---|---|---|---|\n", title, f.Description)
	for _, sub := range f.Fields {
		name := sub.Path[strings.LastIndexByte(sub.Path, '.')+1:]
		typ := sub.Type
		if sub.Required {
			typ += ", required"
		}
		def := sub.Default
		if sub.Fact != "" {
			def += " (" + sub.Fact + ")"
		}
		meaning := sub.Description
		if sub.Allowed != "" {
			meaning += " Allowed: " + sub.Allowed + "."
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", name, cell(typ), cell(def), cell(meaning))
	}
	for _, sub := range f.Fields {
		if err := fieldSection(b, sub.Path); err != nil {
			return err
		}
	}
	return nil
}

// factReference lists the catalogue by quantity.
func factReference() string {
	var b strings.Builder
	all := facts.Load().All()
	fmt.Fprintf(&b, "# Facts\n\nGenerated from `facts/data`: %d figures. `plimsoll facts ID` shows one with its footnotes and conditions.\n\n", len(all))
	b.WriteString("| fact | value | title | kind | grade | source |\n|---|---|---|---|---|---|\n")
	for _, f := range all {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", f.ID, cell(f.Printed()), cell(f.Title), f.Kind, f.Grade, cell(f.Source.String()))
	}
	return b.String()
}

func cell(s string) string {
	return strings.NewReplacer("|", "\\|", "\n", " ", "<", "&lt;").Replace(s)
}

// ruleReference lists what the lint and apply find, and what operators do by era.
func ruleReference() string {
	var b strings.Builder
	b.WriteString("# Rules of settings\n\nGenerated from the packages below `tune`; `plimsoll tune check --list` says the same of the first list.\n")
	rules(&b, "What `plimsoll tune check` finds", check.Catalogue())
	rules(&b, "What `plimsoll tune apply` finds", tuned.Rules())
	b.WriteString("\n## What differs by era\n\n| behaviour | what is decided | " + strings.Join(era.Names(), " | ") + " | source |\n|---|---|" +
		strings.Repeat("---|", len(era.Names())) + "---|\n")
	for _, r := range check.Eras() {
		row(&b, append(append([]string{"`" + r.ID + "`", r.Title}, r.At[:]...), r.Source.String())...)
	}
	return b.String()
}

// rules writes a list of rules under a title.
func rules(b *strings.Builder, title string, list []object.Rule) {
	b.WriteString("\n## " + title + "\n\n| rule | severity | what is wrong | source |\n|---|---|---|---|\n")
	for _, r := range list {
		var sources []string
		for _, s := range r.Sources {
			sources = append(sources, s.String())
		}
		row(b, "`"+r.ID+"`", string(r.Severity), r.Title, strings.Join(sources, "; "))
	}
}

// row writes a row of a table.
func row(b *strings.Builder, cells ...string) {
	for i, c := range cells {
		cells[i] = strings.ReplaceAll(strings.ReplaceAll(c, "|", "\\|"), "\n", " ")
	}
	b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}
