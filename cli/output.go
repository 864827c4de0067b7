package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/term"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/report"
	"plimsoll.dev/sink/replace"
	"plimsoll.dev/source/scenario"
)

// output is the -o flag and where the result goes.
type output struct {
	format string
	file   string
	table  string
	width  int
	part   string
	// again are the words behind the command, or behind "plimsoll tune", that ask for the
	// same; empty where asking again would do something again.
	again string
	verb  string // of the command, where it is not tune
}

func (o *output) flags(c *cobra.Command) {
	c.Flags().StringVarP(&o.format, "output", "o", report.Table, "format: "+strings.Join(report.Formats(), ", "))
	c.Flags().StringVar(&o.file, "output-file", "", "write the result to this file instead of standard output")
	c.Flags().StringVar(&o.table, "table", "", "the table that -o csv writes (a name that is none lists them)")
	c.Flags().StringVar(&o.part, "section", "", "write these sections alone, separated by commas; all writes all of them")
	c.Flags().IntVar(&o.width, "width", 0, "columns of text (default: the terminal's, else 80)")
	mustComplete(c, "output", report.Formats())
	c.PreRun = o.remember
}

// remember keeps the words of the command line that ask for the same in another
// format, or for a figure of it.
func (o *output) remember(c *cobra.Command, args []string) {
	_, given, _ := strings.Cut(c.CommandPath(), "tune ")
	word := func(s string) string {
		if s == "-" { // to be piped in again
			return s
		}
		return words.Quote(s)
	}
	for _, a := range args {
		given += " " + word(a)
	}
	c.Flags().Visit(func(f *pflag.Flag) {
		switch list, isList := f.Value.(pflag.SliceValue); {
		case slices.Contains([]string{"output", "output-file", "section", "table", "width", "color", "quiet",
			"write", "force", "fail-on", "exit-zero"}, f.Name):
		case isList:
			for _, v := range list.GetSlice() {
				given += " --" + f.Name + " " + word(v)
			}
		case f.Name == "param":
			values, _ := c.Flags().GetStringToString(f.Name)
			for _, name := range slices.Sorted(maps.Keys(values)) {
				given += " --" + f.Name + " " + word(name+"="+values[name])
			}
		case f.Value.Type() == "bool" && f.Value.String() == "true":
			given += " --" + f.Name
		case f.Value.Type() == "bool":
			given += " --" + f.Name + "=false"
		default:
			given += " --" + f.Name + " " + word(f.Value.String())
		}
	})
	o.again = strings.TrimSpace(given)
}

// mustComplete offers the values of a flag to the shell.
func mustComplete(c *cobra.Command, flag string, values []string) {
	completeFlag(c, flag, func() []string { return values })
}

// completeFlag offers the values of a flag that are known when the shell asks, with the other flags read.
func completeFlag(c *cobra.Command, flag string, values func() []string) {
	err := c.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return values(), cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic(err) // the flag does not exist: a mistake in this package
	}
}

// options are the report's options for this terminal. Text is laid out for the
// terminal's width, up to a width that is still easy to read.
func (o *output) options(a *app) (report.Options, error) {
	if !slices.Contains(report.Formats(), o.format) {
		return report.Options{},
			badInput(fmt.Errorf("format %q is not one of %s", o.format, strings.Join(report.Formats(), ", ")))
	}
	if o.table != "" && o.format != report.CSV {
		return report.Options{}, badInput(errors.New("--table is for -o csv"))
	}
	if o.part != "" && slices.Contains([]string{report.JSON, report.YAML, report.Name}, o.format) {
		return report.Options{}, badInput(fmt.Errorf("--section is for text and pages, not for -o %s", o.format))
	}
	if o.width < 0 {
		return report.Options{}, badInput(fmt.Errorf("--width %d is negative", o.width))
	}
	mode, err := term.ParseColorMode(a.color)
	if err != nil {
		return report.Options{}, badInput(err)
	}
	const readable = 120
	opt := report.Options{File: o.again, Verb: o.verb, Format: o.format, Table: o.table, Width: o.width,
		Section: o.part, MadeBy: build()}
	if opt.Width == 0 && o.file == "" {
		opt.Width = term.Width(a.Out, a.env)
		if o.format == report.Table {
			opt.Width = min(opt.Width, readable)
		}
	}
	opt.Color = o.file == "" && term.Color(mode, a.Out, a.env)
	return opt, nil
}

// ready says before a long command what its answer could not be written as, or where: specimens have one of
// everything that it may have. Where the answer is none, it is a listing.
func (o *output) ready(a *app, listing bool, specimens ...*v1alpha1.Answer) error {
	opt, err := o.options(a)
	if err != nil {
		return err
	}
	for _, s := range specimens {
		if listing {
			break
		}
		if err = report.WriteAnswer(io.Discard, s, o.format, opt); err == nil {
			break
		}
	}
	if err != nil {
		return badInput(err)
	}
	if o.standard(a) != nil {
		return nil
	}
	return errors.Join(a.refuseInput(o.file), tryFile(o.file))
}

// standard is the stream that the result goes to, nil where that is a file.
func (o *output) standard(a *app) io.Writer {
	switch o.file {
	case "", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1": // it may be a log that goes on
		return a.Out
	case "/dev/stderr", "/dev/fd/2", "/proc/self/fd/2":
		return a.Err
	}
	return nil
}

// write calls render and sends its output to standard output, or to the file
// all at once. What the answer can't be written as is the user's mistake.
func (o *output) write(a *app, render func(io.Writer) error) error {
	err := o.send(a, render)
	if usage := (*report.UsageError)(nil); errors.As(err, &usage) {
		return badInput(err)
	}
	return err
}

func (o *output) send(a *app, render func(io.Writer) error) error {
	if stream := o.standard(a); stream != nil {
		return render(stream)
	}
	if err := a.refuseInput(o.file); err != nil {
		return err
	}
	var b bytes.Buffer
	if err := render(&b); err != nil {
		return err
	}
	return writeFile(o.file, b.Bytes())
}

// refuseInput refuses to write over a file that was read: one that the command line or the scenario names.
func (a *app) refuseInput(path string) error {
	to, err := os.Stat(path)
	if err != nil || !to.Mode().IsRegular() {
		return nil
	}
	for _, name := range a.named {
		if read, err := os.Stat(name); err == nil && os.SameFile(read, to) {
			return badInput(fmt.Errorf("--output-file %s: is what was read (name another file)", path))
		}
	}
	return nil
}

// namedIn are the words of a command line that may name files to read: all but the one to write.
func namedIn(args []string) []string {
	var out []string
	for i, arg := range args {
		flag, value, _ := strings.Cut(arg, "=")
		if flag == "--output-file" || i > 0 && args[i-1] == "--output-file" {
			continue
		}
		out = append(out, arg, value)
		out = append(out, strings.Split(value, ",")...)
		out = append(out, strings.Split(arg, ",")...)
	}
	return out
}

// namedBy are the files that a scenario names.
func namedBy(doc *scenario.Document) []string {
	s := doc.Scenario
	names := append(slices.Clone(s.Workload.Manifests), s.Workload.Snapshot)
	for _, n := range s.Hardware.NodeTypes {
		names = append(names, n.TopologyFile)
	}
	for i, name := range names {
		if !filepath.IsAbs(name) && name != "" {
			names[i] = filepath.Join(doc.Path("."), name)
		}
	}
	return names
}

// writeFile writes by rename, so that no reader sees half a file. What is no regular
// file (a pipe, a device) is written to and stays what it is; so does a link, to a file
// that isn't there yet as well.
func writeFile(path string, content []byte) error {
	to, special, err := behind(path, mostLinks)
	switch {
	case err != nil:
		return err
	case special:
		return writing(to, writeInto(to, content))
	}
	return writing(to, renameTo(to, content))
}

// tryFile says whether writeFile could write, and leaves all as it is.
func tryFile(path string) error {
	to, special, err := behind(path, mostLinks)
	if err != nil || special {
		return err
	}
	root, err := os.OpenRoot(filepath.Dir(to))
	if err != nil {
		return writing(to, err)
	}
	defer root.Close()
	staged, _, err := replace.Stage(root, filepath.Base(to), nil, replace.Single)
	if err == nil {
		err = root.Remove(staged)
	}
	return writing(to, err)
}

// mostLinks are as many links as Linux follows.
const mostLinks = 40

// behind is the file that a path leads to, and whether it is special: there, and no regular one.
func behind(path string, links int) (to string, special bool, err error) {
	switch info, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		if to, err := os.Readlink(path); err == nil && links > 0 {
			if !filepath.IsAbs(to) {
				to = filepath.Join(filepath.Dir(path), to)
			}
			return behind(to, links-1)
		}
	case err != nil: // such as a link that leads to itself
		return path, false, writing(path, err)
	case info.IsDir():
		return path, false, fmt.Errorf("write %s: is a directory", path)
	case !info.Mode().IsRegular():
		return path, true, nil
	default:
		to, err := filepath.EvalSymlinks(path)
		return cmp.Or(to, path), false, writing(path, err)
	}
	return path, false, nil
}

// renameTo puts a new file in the place of path. Where it may not have the owner of the
// old one, that one is written over: it stays its owner's.
func renameTo(path string, content []byte) (err error) {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	name := filepath.Base(path)
	staged, kept, err := replace.Stage(root, name, content, replace.Single)
	if err != nil {
		return err
	}
	if !kept {
		return errors.Join(root.Remove(staged), writeInto(path, content))
	}
	if err := root.Rename(staged, name); err != nil {
		return errors.Join(err, root.Remove(staged))
	}
	return replace.Sync(root, ".")
}

// writeInto writes to what is there already.
func writeInto(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if info, failed := f.Stat(); failed == nil && info.Mode().IsRegular() {
		err = errors.Join(err, f.Truncate(int64(len(content))), f.Sync())
	}
	return errors.Join(err, f.Close())
}

// writing names the file that was to be written, not the temporary one.
func writing(path string, err error) error {
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &p):
		err = p.Err
	case errors.As(err, &l):
		err = l.Err
	}
	return fmt.Errorf("write %s: %w", path, err)
}
