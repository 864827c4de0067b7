package cli

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// tree is every command of ours; cobra's own help and completion are left out.
func tree(t *testing.T) []*cobra.Command {
	t.Helper()
	root := newRoot(&app{Streams: Streams{Out: io.Discard, Err: io.Discard}, env: func(string) string { return "" }},
		"plimsoll")
	commands := append([]*cobra.Command{root}, root.Commands()...)
	if len(commands) < 10 {
		t.Fatalf("only %d commands", len(commands))
	}
	return commands
}

// Every command says what it does and shows how; the reference is made of it.
func TestCommandsAreDescribed(t *testing.T) {
	for _, c := range tree(t) {
		if c.Short == "" || strings.HasSuffix(c.Short, ".") || c.HasParent() && len(c.Short) > 72 {
			t.Errorf("%s: the short text must be one short line without a full stop: %q", c.CommandPath(), c.Short)
		}
		if c.Example == "" {
			t.Errorf("%s: has no example", c.CommandPath())
		}
		for _, line := range strings.Split(c.Example, "\n") {
			if c.Example != "" && !strings.HasPrefix(line, "  ") {
				t.Errorf("%s: the example %q is not indented by two", c.CommandPath(), line)
			}
		}
	}
}

var flagUse = regexp.MustCompile(`^[a-z"-].*[^.\s]$`)

// Every flag says what it is for, in the same style.
func TestFlagsAreDescribed(t *testing.T) {
	n := 0
	for _, c := range tree(t) {
		c.InitDefaultHelpFlag()
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			n++
			if !flagUse.MatchString(f.Usage) {
				t.Errorf("%s --%s: usage %q must begin small and end without a full stop", c.CommandPath(), f.Name, f.Usage)
			}
		})
	}
	if n < 30 {
		t.Errorf("only %d flags", n)
	}
}

// The examples name commands and flags that there are, with as many arguments
// as the commands take.
func TestExamplesParse(t *testing.T) {
	n := 0
	for _, c := range tree(t) {
		for _, line := range strings.Split(c.Example, "\n") {
			words := exampleWords(line)
			if len(words) == 0 || words[0] != "plimsoll" {
				continue // a line of kubectl
			}
			n++
			root := tree(t)[0]
			found, rest, err := root.Find(words[1:])
			if err != nil || found == root {
				t.Errorf("%s: %q: names no command (%v)", c.CommandPath(), line, err)
				continue
			}
			if err := found.ParseFlags(rest); err != nil {
				t.Errorf("%s: %q: %v", c.CommandPath(), line, err)
			} else if err := found.ValidateArgs(found.Flags().Args()); err != nil {
				t.Errorf("%s: %q: %v", c.CommandPath(), line, err)
			}
		}
	}
	if n < 20 {
		t.Errorf("only %d examples", n)
	}
}

// exampleWords are the words of the command of an example: what follows two
// spaces is a remark, what follows ">" is the shell's.
func exampleWords(line string) []string {
	command, _, _ := strings.Cut(strings.TrimSpace(line), "  ")
	command, _, _ = strings.Cut(command, " > ")
	var words []string
	for i, part := range strings.Split(command, `"`) {
		if i%2 == 1 {
			words = append(words, part)
		} else {
			words = append(words, strings.Fields(part)...)
		}
	}
	return words
}

// The errors that cobra and its flags make are all known as bad input.
func TestUsageErrors(t *testing.T) {
	for _, args := range [][]string{
		{"nosuch"}, {"plan", "--nosuch"}, {"plan", "-Z"}, {"plan", "--=x"}, {"plan", "--width", "wide"},
		{"plan", "--force=perhaps"},
		{"plan", "--width"}, {"plan", "-o"}, {"plan", "a", "b"}, {"why", "a"}, {"diff", "a", "b", "c"}, {"validate"},
		{"init", "x"}, {"schema", "x"}, {"version", "x"}, {"explain", "a", "b"}, {"--nosuch"},
	} {
		env := func(string) string { return "" }
		var errs strings.Builder
		s := Streams{In: strings.NewReader(""), Out: io.Discard, Err: &errs}
		if code := Run(t.Context(), s, append([]string{"plimsoll"}, args...), env); code != ExitBadInput {
			t.Errorf("plimsoll %s: exit code %d, want %d: %s", strings.Join(args, " "), code, ExitBadInput, errs.String())
		}
		if !strings.HasPrefix(errs.String(), "plimsoll: ") || strings.Count(errs.String(), "\n") != 1 {
			t.Errorf("plimsoll %s: want one line on standard error, got %q", strings.Join(args, " "), errs.String())
		}
	}
}

// The names that --help and the shell offer are those that are accepted.
func TestOfferedValuesAreAccepted(t *testing.T) {
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(kubeconfig, []byte("contexts: [{name: prod, context: {cluster: prod}}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", kubeconfig)
	for _, c := range tree(t) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			complete, ok := c.GetFlagCompletionFunc(f.Name)
			if !ok {
				return
			}
			values, directive := complete(c, nil, "")
			if len(values) == 0 || directive != cobra.ShellCompDirectiveNoFileComp {
				t.Errorf("%s --%s offers %v with %v", c.CommandPath(), f.Name, values, directive)
			}
			if f.DefValue != "" && !slices.Contains(values, f.DefValue) {
				t.Errorf("%s --%s: the default %q is not among %v", c.CommandPath(), f.Name, f.DefValue, values)
			}
		})
	}
}

// The help of every command fits into 80 columns, but for commands that are shown to
// be pasted.
func TestHelpFitsATerminal(t *testing.T) {
	var visit func(c *cobra.Command)
	n := 0
	visit = func(c *cobra.Command) {
		n++
		for _, line := range strings.Split(c.Long+"\n"+c.UsageString(), "\n") {
			if len(line) > 80 && !strings.Contains(line, c.CommandPath()+" ") {
				t.Errorf("%s: %d columns: %s", c.CommandPath(), len(line), line)
			}
		}
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(tree(t)[0])
	if n < 25 {
		t.Errorf("only %d commands", n)
	}
}
