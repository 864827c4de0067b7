package apply

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// fake is a Runner whose TuneD sets the sysctls of the active profile, without
// includes, and takes them back. What it does wrong can be chosen.
type fake struct {
	t *testing.T
	// start is an error instead of a TuneD.
	start error
	// fails is what it logs instead of applying; it goes on running, as TuneD does.
	fails []string
	// refuses is a profile that it does not reload.
	refuses string
	// silent never says that the profile is applied, though it is.
	silent bool
	// forgets are sysctls that it doesn't take back, as paths.
	forgets []string
	// deaf is how many orders to stop it doesn't hear; stubborn hears only the last one.
	deaf     int
	stubborn bool
	// clamps are sysctls that the kernel sets to 7, whatever is written.
	clamps string
	// dies ends it as soon as all is applied.
	dies bool

	mu      sync.Mutex
	s       Start
	log     chan Line
	old     map[string]string
	reloads int
	over    bool
	end     string
	started int
}

func (f *fake) Start(_ context.Context, s Start) (Daemon, error) {
	if f.start != nil {
		return nil, f.start
	}
	f.started++
	f.s, f.log, f.old, f.end = s, make(chan Line, 1000), map[string]string{}, "exit status 0"
	f.say("INFO", "application", "TuneD: 2.20.0, kernel: 4.18.0")
	go f.apply()
	return f, nil
}

func (f *fake) say(level, module, text string) {
	f.log <- Line{Time: "now", Level: level, Module: "tuned.daemon." + module, Text: text}
}

func (f *fake) apply() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, text := range f.fails {
		f.log <- parseLine(text)
	}
	if f.fails != nil || f.over {
		return
	}
	name, err := os.ReadFile(filepath.Join(f.s.Config, "active_profile"))
	if err != nil {
		f.t.Error(err)
	}
	profile := strings.TrimSpace(string(name))
	if profile == f.refuses {
		f.say("ERROR", "daemon", "Failed to reload TuneD: no reason")
		return
	}
	body, err := os.ReadFile(filepath.Join(f.s.Config, profile, "tuned.conf"))
	if err != nil {
		f.say("ERROR", "daemon", fmt.Sprintf("Cannot set initial profile. No tunings will be enabled: "+
			"Requested profile '%s' doesn't exist.", profile))
		return
	}
	for line := range strings.Lines(string(body)) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			f.set(key, value)
		}
	}
	if !f.silent {
		f.say("INFO", "daemon", fmt.Sprintf("static tuning from profile '%s' applied", profile))
	}
	if f.dies {
		f.finish("signal: killed")
	}
}

func (f *fake) set(key, value string) {
	path := filepath.Join(f.s.Node, "proc/sys", strings.ReplaceAll(key, ".", "/"))
	was, err := os.ReadFile(path)
	if err != nil {
		f.say("ERROR", "plugin_sysctl", fmt.Sprintf("sysctl option %s will not be set, failed to read the original value.",
			key))
		return
	}
	if _, again := f.old[path]; !again {
		f.old[path] = strings.TrimSpace(string(was))
	}
	if key == f.clamps {
		value = "7"
	}
	if err := os.WriteFile(path, []byte(value), 0); err != nil {
		f.t.Error(err)
	}
}

func (f *fake) undo() {
	for path, value := range f.old {
		kept := false
		for _, name := range f.forgets {
			kept = kept || strings.HasSuffix(path, name)
		}
		if !kept {
			os.WriteFile(path, []byte(value), 0)
		}
	}
	clear(f.old)
}

func (f *fake) finish(end string) {
	if !f.over {
		f.over, f.end = true, end
		close(f.log)
	}
}

func (f *fake) Log() <-chan Line { return f.log }

func (f *fake) Reload() {
	f.mu.Lock()
	f.reloads++
	f.undo()
	f.mu.Unlock()
	f.apply()
}

func (f *fake) Stop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.deaf--; f.deaf >= 0 || f.stubborn || f.over {
		return
	}
	f.undo()
	f.finish("exit status 0")
}

func (f *fake) Kill() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.finish("signal: killed")
}

func (f *fake) Close() (string, error) { return f.end, nil }

// simulated is a node with two sysctls, as the kernel shows them.
func simulated(t *testing.T) string {
	return plant(t, map[string]string{"proc/sys/vm/swappiness": "60\n", "proc/sys/net/core/somaxconn": "128\n",
		"sys/x": "[a] b\n"})
}

// profiles are a directory of profiles that set sysctls.
func profiles(t *testing.T, sysctls map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, body := range sysctls {
		if err := writeFile(filepath.Join(dir, name, "tuned.conf"), file{[]byte("[sysctl]\n" + body), 0o644}); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
