//go:build linux

package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"plimsoll.dev/cli"

	"plimsoll.dev/examples"
)

// trial is a run of the program on a file that nobody means.
type trial struct {
	what string
	file string // its name, below an empty directory
	text func() []byte
	args func(file, dir string) []string
}

// trials takes a number of trials in an order drawn by a seed, each in a process of its
// own, side by side: an exit code of the table and no other, within 20 seconds of CPU and
// 2 GB. PLIMSOLL_TRIALS is how many; a test that runs each time takes a few.
func trials(t *testing.T, list []trial) {
	many := 16
	if asked := os.Getenv("PLIMSOLL_TRIALS"); asked != "" {
		if _, err := fmt.Sscan(asked, &many); err != nil {
			t.Fatal("PLIMSOLL_TRIALS:", err)
		}
	}
	rand.New(rand.NewPCG(12, 2026)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	var wait sync.WaitGroup
	todo, codes := make(chan trial), [4]int{}
	var lock sync.Mutex
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for c := range todo {
				if code := c.run(t); code >= 0 && code < len(codes) {
					lock.Lock()
					codes[code]++
					lock.Unlock()
				}
			}
		})
	}
	for i, c := range list[:min(many, len(list))] {
		if i%1000 == 0 {
			t.Logf("%v: %d of %d", time.Now().Format(time.TimeOnly), i, len(list))
		}
		todo <- c
	}
	close(todo)
	wait.Wait()
	t.Logf("exit codes 0, 1, 2 and 3: %v of %d trials", codes, len(list))
}

func (c trial) run(t *testing.T) int {
	dir := t.TempDir()
	file := filepath.Join(dir, c.file)
	if err := os.WriteFile(file, c.text(), 0o600); err != nil {
		t.Error(err)
		return -1
	}
	ctx, stop := context.WithTimeout(t.Context(), 3*time.Minute)
	defer stop()
	p := exec.CommandContext(ctx, os.Args[0], append(c.args(file, dir), "-q")...)
	p.Args[0] = "plimsoll"
	p.Env = append(os.Environ(), "GOMEMLIMIT=1700MiB")
	var told bytes.Buffer // "tune check" tells of bad files where it tells of all else
	p.Stderr, p.Stdout = &told, &told
	_ = p.Run()
	code, used := p.ProcessState.ExitCode(), p.ProcessState.UserTime()+p.ProcessState.SystemTime()
	room := p.ProcessState.SysUsage().(*syscall.Rusage).Maxrss >> 10
	if code != cli.ExitOK && code != cli.ExitBadInput && code != cli.ExitNegative || code == cli.ExitBadInput &&
		(told.Len() == 0 || strings.Contains(told.String(), "goroutine ")) || used > 20*time.Second || room > 2000 {
		t.Errorf("%s %s: exit code %d, %v, %d MiB, %.300s", strings.Join(p.Args[1:], " "), c.what, code, used, room, &told)
	}
	_ = os.RemoveAll(dir)
	return code
}

// Each number of each example is set to each extreme.
func TestAllExtremes(t *testing.T) {
	var list []trial
	files := examples.Scenarios(examplesDir)
	for _, from := range files {
		tree, places := numbersIn(t, from)
		for _, at := range places {
			for _, value := range extremes {
				for _, command := range []string{"plan", "place", "pack"} {
					list = append(list, trial{fmt.Sprintf("with %s = %s", at, value), filepath.Base(from), func() []byte {
						out, _ := json.Marshal(replaced(tree, "", at, json.RawMessage(value)))
						return out
					}, func(file, _ string) []string { return []string{command, file} }})
				}
			}
		}
	}
	trials(t, list)
}

// Bytes of the examples are changed, and each reader is given them.
func TestMutated(t *testing.T) {
	var texts [][]byte
	var names []string
	_ = fs.WalkDir(os.DirFS(examplesDir), ".", func(path string, d fs.DirEntry, _ error) error {
		if text, err := os.ReadFile(filepath.Join(examplesDir, path)); err == nil && len(text) < 200_000 {
			texts, names = append(texts, text), append(names, filepath.Base(path))
		}
		return nil
	})
	var list []trial
	for seed := range uint64(10_000) {
		r := rand.New(rand.NewPCG(seed, 1))
		k, reader := r.IntN(len(texts)), r.IntN(len(readers("", "")))
		list = append(list, trial{fmt.Sprint("mutated by seed ", seed), names[k],
			func() []byte { return mutated(r, texts[k], texts[r.IntN(len(texts))]) },
			func(file, dir string) []string { return readers(file, dir)[reader] }})
	}
	trials(t, list)
}

// signs are what means something to one reader or another.
var signs = []string{"{{", "- ", ": ", "*a", "&a ", "!!", "\x00", "\xff", "[", "}", "\"", "${", "\n---\n", "\t", ","}

// mutated is a text with some changes, each of a length that is rather short.
func mutated(r *rand.Rand, text, other []byte) []byte {
	text = slices.Clone(text)
	for range 1 + r.IntN(6) {
		from := r.IntN(len(text) + 1)
		to := min(len(text), from+r.IntN(1+r.IntN(40)))
		start := r.IntN(len(other) + 1)
		piece := other[start:min(len(other), start+r.IntN(1+r.IntN(200)))]
		switch r.IntN(6) {
		case 0:
			piece = nil
		case 1:
			piece = []byte{byte(r.IntN(256))}
		case 2:
			piece = []byte(extremes[r.IntN(len(extremes))])
		case 3:
			piece = bytes.Repeat(text[from:to], 1+r.IntN(20))
		case 4:
			piece = []byte(signs[r.IntN(len(signs))])
		}
		text = slices.Replace(text, from, to, piece...)
	}
	return text
}
