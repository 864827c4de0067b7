package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"plimsoll.dev/api/v1alpha1"
)

// Manual is a page of man for each command, by its file's name: what the help says, as
// roff. The date is that of the commit.
func Manual(by v1alpha1.Build, date string) map[string][]byte {
	pages := map[string][]byte{}
	var add func(c *cobra.Command)
	add = func(c *cobra.Command) {
		if c.Hidden || c.Name() == "help" {
			return
		}
		pages[pageName(c)+".1"] = manualPage(c, by, date)
		for _, sub := range c.Commands() {
			add(sub)
		}
	}
	add(reached())
	return pages
}

// pageName is how man knows a command: "plimsoll-tune-apply".
func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

func manualPage(c *cobra.Command, by v1alpha1.Build, date string) []byte {
	var b strings.Builder
	name := pageName(c)
	fmt.Fprintf(&b, ".TH %s 1 %s %s\n.SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.B %s\n", roffWord(strings.ToUpper(name)),
		roffWord(date), roffWord("Plimsoll "+by.Version), roff(name), roff(c.Short), roff(c.UseLine()))
	if c.Long != "" {
		b.WriteString(".SH DESCRIPTION\n" + roffText(c.Long))
	}
	manualFlags(&b, "OPTIONS", c.NonInheritedFlags())
	manualFlags(&b, "OPTIONS OF ALL COMMANDS", c.InheritedFlags())
	if c.Example != "" {
		b.WriteString(".SH EXAMPLES\n.nf\n" + roff(dedent(c.Example)) + "\n.fi\n")
	}
	var see []string
	if c.HasParent() {
		see = append(see, pageName(c.Parent()))
	}
	for _, sub := range c.Commands() {
		if !sub.Hidden && sub.Name() != "help" {
			see = append(see, pageName(sub))
		}
	}
	for i, page := range see {
		see[i] = ".BR " + roff(page) + " (1)"
	}
	return []byte(b.String() + ".SH SEE ALSO\n" + strings.Join(see, ",\n") + "\n")
}

func manualFlags(b *strings.Builder, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	b.WriteString(".SH " + title + "\n")
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		if def := shownDefault(f); def != "" {
			usage += " (default " + def + ")"
		}
		fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(strings.TrimSpace(name+" "+value)), roff(usage))
	})
}

// roffText is a text of paragraphs. One with indented lines stays as it is laid out.
func roffText(s string) string {
	var b strings.Builder
	for i, p := range strings.Split(strings.TrimSpace(s), "\n\n") {
		if i > 0 {
			b.WriteString(".PP\n")
		}
		if strings.Contains(p, "\n  ") {
			p = ".nf\n" + roff(p) + "\n.fi"
		} else {
			p = roff(p)
		}
		b.WriteString(p + "\n")
	}
	return b.String()
}

// roff is a text in which roff sees no request.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}

// roffWord is one argument of a request.
func roffWord(s string) string { return `"` + strings.ReplaceAll(roff(s), `"`, `\(dq`) + `"` }
