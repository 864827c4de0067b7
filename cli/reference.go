package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

//go:generate go run ../tools/docgen -o ../docs/reference

// Reference is the manual of all commands and flags as Markdown.
func Reference() string {
	var b strings.Builder
	b.WriteString("# Commands\n\nGenerated from the program; `plimsoll COMMAND --help` says the same.\n\n```\n" +
		exitCodesHelp + "\n```\n")
	reference(&b, reached())
	return b.String()
}

// reached are all commands as a user reaches them.
func reached() *cobra.Command {
	root := newRoot(&app{Streams: Streams{Out: io.Discard, Err: io.Discard}, env: func(string) string { return "" }},
		"plimsoll")
	root.InitDefaultCompletionCmd()
	return root
}

func reference(b *strings.Builder, c *cobra.Command) {
	if c.Hidden || c.Name() == "help" {
		return
	}
	fmt.Fprintf(b, "\n## %s\n\n%s.\n", c.CommandPath(), c.Short)
	if c.Runnable() {
		fmt.Fprintf(b, "\n```\n%s\n```\n", c.UseLine())
	}
	if c.Long != "" && c.Parent() != nil && c.Name() != "completion" && c.Parent().Name() != "completion" {
		fmt.Fprintf(b, "\n%s\n", strings.TrimSpace(strings.ReplaceAll(c.Long, exitCodesHelp, "")))
	}
	if c.Example != "" {
		fmt.Fprintf(b, "\n```\n%s\n```\n", dedent(c.Example))
	}
	flagTable(b, c.NonInheritedFlags())
	for _, sub := range c.Commands() {
		reference(b, sub)
	}
}

// dedent drops the two spaces that cobra's examples begin with.
func dedent(s string) string {
	return strings.TrimPrefix(strings.ReplaceAll(s, "\n  ", "\n"), "  ")
}

func flagTable(b *strings.Builder, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	b.WriteString("\n| flag | meaning | default |\n|---|---|---|\n")
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		name := "`--" + f.Name + "`"
		if f.Shorthand != "" {
			name = "`-" + f.Shorthand + "`, " + name
		}
		def := shownDefault(f)
		if def != "" {
			def = "`" + def + "`"
		}
		fmt.Fprintf(b, "| %s | %s | %s |\n", name, strings.ReplaceAll(f.Usage, "|", "\\|"), def)
	})
}

// shownDefault is a flag's default, where there is something to say of it.
func shownDefault(f *pflag.Flag) string {
	switch f.DefValue {
	case "false", "[]", "0":
		return ""
	}
	return f.DefValue
}
