// Command docgen writes the reference in docs/reference: commands from the
// program, fields from the scenario's schema, facts from the catalogue, and the
// rules by which settings are judged. It is run
// by "go generate ./cli".
//
// It writes no guide; people do.
//
//	go run ./tools/docgen -o docs/reference
package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/audit"
	"plimsoll.dev/cli"
	"plimsoll.dev/engine/apply"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/generate"
	"plimsoll.dev/object"
	"plimsoll.dev/schema"
	"plimsoll.dev/sink/manifest"
	"plimsoll.dev/tune/check"
	"plimsoll.dev/tune/pool"
)

func main() { generate.Main(run) }

// run makes the pages of the reference.
func run() (map[string][]byte, error) {
	fields, err := fieldReference("the scenario", "")
	if err != nil {
		return nil, err
	}
	health, err := fieldReference("the health scenario", schema.Health)
	return map[string][]byte{"cli.md": []byte(cli.Reference()), "scenario.md": []byte(fields),
		"healthscenario.md": []byte(health), "facts.md": []byte(factReference()), "rules.md": []byte(ruleReference())}, err
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
	fmt.Fprintf(b, "\n## %s\n\n%s\n\n| field | type | default | meaning |\n|---|---|---|---|\n",
		cmp.Or(path, "Scenario"), f.Description)
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
	fmt.Fprintf(&b, "# Facts\n\nGenerated from `facts/data`: %d figures. "+
		"`plimsoll facts ID` shows one with its footnotes and conditions.\n\n", len(all))
	b.WriteString("| fact | value | title | kind | grade | source |\n|---|---|---|---|---|---|\n")
	for _, f := range all {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", f.ID, cell(f.Printed()), cell(f.Title), f.Kind, f.Grade,
			cell(f.Source.String()))
	}
	return b.String()
}

func cell(s string) string {
	return strings.NewReplacer("|", "\\|", "\n", " ", "<", "&lt;").Replace(s)
}

// ruleReference lists what the lint and apply find, and what differs between releases.
func ruleReference() string {
	var b strings.Builder
	b.WriteString("# Rules of settings\n\nGenerated from the packages below `tune`; " +
		"`plimsoll tune check --list` says the same of the first list.\n")
	rules(&b, "What `plimsoll tune check` finds", check.Catalogue())
	rules(&b, "What `plimsoll tune apply` finds", apply.Rules())
	rules(&b, "What `plimsoll tune rollout` finds", pool.RolloutRules())
	b.WriteString("\n## What `plimsoll audit` finds\n\nBeside the limits of `plan` and the first list. " +
		"What a rule needs is a resource of the cluster.\n\n" +
		"| rule | severity | what is wrong | what it does | needs | source |\n|---|---|---|---|---|---|\n")
	for _, r := range slices.SortedFunc(slices.Values(audit.Rules()),
		func(a, b object.Rule) int { return strings.Compare(a.ID, b.ID) }) {
		row(&b, "`"+r.ID+"`", string(r.Severity), r.Title, r.Effect, strings.Join(r.Needs, ", "), cited(r))
	}
	b.WriteString("\n## What differs between releases\n\nTrue in the releases named, or the values from the releases " +
		"named on. Where two are joined, as in 4.6–4.19, the turn lies between them, and the releases between are " +
		"judged as the later one.\n\n" +
		"| behaviour | what is decided | release | source |\n|---|---|---|---|\n")
	for _, r := range slices.Concat(check.Behaviours(), manifest.Behaviours()) {
		row(&b, "`"+r.ID+"`", r.Title, r.Values(), r.Source.String())
	}
	return b.String()
}

// rules writes a list of rules under a title.
func rules(b *strings.Builder, title string, list []object.Rule) {
	b.WriteString("\n## " + title + "\n\n| rule | severity | what is wrong | source |\n|---|---|---|---|\n")
	for _, r := range list {
		row(b, "`"+r.ID+"`", string(r.Severity), r.Title, cited(r))
	}
}

func cited(r object.Rule) string {
	var sources []string
	for _, s := range r.Sources {
		sources = append(sources, s.String())
	}
	return strings.Join(sources, "; ")
}

// row writes a row of a table.
func row(b *strings.Builder, cells ...string) {
	for i, c := range cells {
		cells[i] = strings.ReplaceAll(strings.ReplaceAll(c, "|", "\\|"), "\n", " ")
	}
	b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}
