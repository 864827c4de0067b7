package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll.dev/facts"
	"plimsoll.dev/limit"
	"plimsoll.dev/report"
	"plimsoll.dev/schema"
)

// factsCommand holds the flags of "facts".
type factsCommand struct {
	*app
	out                                    output
	platform, release, kind, grade, source string
}

func newFacts(a *app) *cobra.Command {
	f := &factsCommand{app: a}
	c := &cobra.Command{
		Use:   "facts [ID | WORD...]",
		Short: "List, filter and show the figures that plans are made from",
		Long: `Facts shows the catalogue: every maximum, table and default that a document or a
vendor states, with unit, source, kind and grade of trust.

An ID shows one fact whole, with its footnotes, the conditions it holds under
and the figures that contradict it. WORDs list the facts that contain them
all, in their id or title.

Kinds: hard (can't be passed), supported, tested, recommended, measured,
assumed.
Grades: stated (in so many words), arithmetic (it follows), second-source
(told by another source than the vendor's document), doubtful (contradicted).`,
		Example: `  plimsoll facts                            everything
  plimsoll facts max nodes                  facts about maximum nodes
  plimsoll facts ocp.max.nodes/4.4          one fact, and what contradicts it
  plimsoll facts --release 4.4 --kind tested
  plimsoll facts --source "OCP 11.1" -o json`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var ids []string
			for _, fact := range facts.Load().All() {
				ids = append(ids, fact.ID+"\t"+fact.Title)
			}
			return ids, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error { return f.run(args) },
	}
	f.out.flags(c)
	c.Flags().StringVar(&f.platform, "platform", "", "only facts of this platform: openshift, kubernetes, helion, any")
	c.Flags().StringVar(&f.release, "release", "", "only facts of this release, such as 4.4")
	c.Flags().StringVar(&f.kind, "kind", "", "only facts of this kind")
	c.Flags().StringVar(&f.grade, "grade", "", "only facts of this grade")
	c.Flags().StringVar(&f.source, "source", "", "only facts from this source, such as OCP or \"OCP 9.2\"")
	mustComplete(c, "platform", []string{"openshift", "kubernetes", "helion", "any"})
	mustComplete(c, "kind", texts(limit.Kinds()))
	mustComplete(c, "grade", texts(facts.Grades()))
	return c
}

func texts[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = string(v)
	}
	return out
}

func (f *factsCommand) run(args []string) error {
	opt, err := f.out.options(f.app)
	if err != nil {
		return err
	}
	if f.kind != "" && !slices.Contains(texts(limit.Kinds()), f.kind) {
		return badInput(fmt.Errorf("--kind %q is not one of %s", f.kind, strings.Join(texts(limit.Kinds()), ", ")))
	}
	if f.grade != "" && !slices.Contains(texts(facts.Grades()), f.grade) {
		return badInput(fmt.Errorf("--grade %q is not one of %s", f.grade, strings.Join(texts(facts.Grades()), ", ")))
	}
	c := facts.Load()
	if len(args) == 1 {
		if fact, ok := c.Get(args[0]); ok {
			return f.out.write(f.app, func(w io.Writer) error { return report.Fact(w, c, fact, f.out.format, opt) })
		}
	}
	list := f.filter(c.All(), args)
	if len(list) == 0 {
		return badInput(unknownFact(c, args))
	}
	return f.out.write(f.app, func(w io.Writer) error { return report.Facts(w, list, f.out.format, opt) })
}

// unknownFact names the nearest id where one was asked for.
func unknownFact(c *facts.Catalogue, args []string) error {
	if len(args) == 1 {
		var ids []string
		for _, f := range c.All() {
			ids = append(ids, f.ID)
		}
		if near := schema.Nearest(args[0], ids); near != "" {
			return fmt.Errorf("no fact matches %q (did you mean %s?)", args[0], near)
		}
	}
	return errors.New("no fact matches (\"plimsoll facts\" lists them all)")
}

// filter keeps the facts that match every flag and contain every word.
func (f *factsCommand) filter(list []facts.Fact, words []string) []facts.Fact {
	return slices.DeleteFunc(slices.Clone(list), func(fact facts.Fact) bool {
		source := fact.Source.String()
		if f.platform != "" && fact.Platform != f.platform || f.release != "" && fact.Dim("release") != f.release ||
			f.kind != "" && string(fact.Kind) != f.kind || f.grade != "" && string(fact.Grade) != f.grade ||
			f.source != "" && source != f.source && fact.Source.Code != f.source {
			return true
		}
		text := strings.ToLower(fact.ID + " " + fact.Title)
		return slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, strings.ToLower(w)) })
	})
}
