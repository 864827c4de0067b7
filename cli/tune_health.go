package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"plimsoll.dev/tune/health"
	"plimsoll.dev/unit"
)

func newTuneHealth(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:     "health",
		Short:   "Play what MachineHealthChecks do",
		Long:    "Health answers what MachineHealthChecks do when nodes fail.",
		Example: `  plimsoll tune health simulate examples/tune/health/ten-of-25.yaml`,
	}
	c.AddCommand(newHealthSimulate(a))
	return c
}

func newHealthSimulate(a *app) *cobra.Command {
	x := &tuning{app: a}
	c := &cobra.Command{
		Use:   "simulate FILE",
		Short: "Play a scenario: what is remediated, when, and why not",
		Long: `Simulate plays a scenario of failing nodes on a virtual clock, as the machine
health check controller, the machine controller and the machine sets would act:
what is remediated, when, and why other machines are not. What the scenario
expects is compared; an expectation that does not hold gives exit code 3.

A scenario is a YAML file:
  apiVersion: plimsoll.dev/v1alpha1
  kind: HealthScenario
  checks:
  - {file: mhc.yaml}
  machines:
  - {names: "worker-[1-25]", role: worker, set: us-east-1a}
  events:
  - {at: 10m, machines: "worker-[1-10]", do: powerOff}
  until: 1h
  expect:
  - {machines: "worker-[1-10]", event: MachineDeleted, at: 15m41s}
All fields: plimsoll explain HealthScenario, and docs/guide-health.md.

` + exitCodesHelp,
		Example: `  plimsoll tune health simulate examples/tune/health/ten-of-25.yaml
  plimsoll tune health simulate scenario.yaml --release 4.4 -o html`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return x.simulate(args[0], c.Flags().Changed("release")) },
	}
	x.flags(c)
	c.Flags().Lookup("release").DefValue = "the first that the scenario names, else current"
	return c
}

// maxScript is more than any scenario is long.
const maxScript = 1 << 20

func (t *tuning) simulate(path string, asked bool) error {
	r, err := t.readRelease()
	if err != nil {
		return err
	}
	text, name, err := t.slurp(path, maxScript)
	if err != nil {
		return badInput(err)
	}
	script, bad := health.Read(name, text, beside(path))
	if len(bad) > 0 {
		bad.TakeExcerpts(text, 1, 1)
		return t.tell(bad)
	}
	if len(script.Releases) > 0 && !asked {
		r = script.Releases[0]
	}
	return t.answer(script.Answer(r), nil)
}

// slurp reads a file, or standard input, that is not longer than most, and the
// name for messages.
func (t *tuning) slurp(path string, most int64) (text []byte, name string, err error) {
	f, name, err := t.open(path)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	text, err = readAtMost(f, name, most)
	return text, name, err
}

// readAtMost reads a text that is not longer than most.
func readAtMost(in io.Reader, name string, most int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(in, most+1))
	if err == nil && int64(len(text)) > most {
		return nil, fmt.Errorf("%s: is longer than %s", name, unit.FormatBytes(unit.Bytes(most)))
	}
	return text, err
}

// beside opens files in the directory of another one, and nothing outside of it.
func beside(path string) func(name string) ([]byte, error) {
	return func(name string) ([]byte, error) { return readBelow(filepath.Dir(path), name, maxScript) }
}

// readBelow reads a regular file below a directory, and nothing outside of it, that is not longer than most.
func readBelow(dir, name string, most int64) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	name = filepath.FromSlash(name)
	info, err := root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", name)
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAtMost(f, name, most)
}
