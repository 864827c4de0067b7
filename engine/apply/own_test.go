package apply

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	language "plimsoll.dev/tune/tuned"
)

const secret = "x=what stands outside\n"

// outside is a file outside any node.
func outside(t *testing.T) string {
	t.Helper()
	return filepath.Join(sourceOf(t, map[string]string{"secret": secret}), "secret")
}

// TestOwnFilesDontLeadOutOfTheNode: neither profiles nor settings, by any step of
// their paths. Nothing is started.
func TestOwnFilesDontLeadOutOfTheNode(t *testing.T) {
	out := outside(t)
	for name, files := range map[string]map[string]string{
		"etc is a link":                    {"etc": "-> " + filepath.Dir(out)},
		"etc/tuned is a link":              {"etc/tuned": "-> ../proc"},
		"etc/tuned/vars.conf leads to":     {"etc/tuned/vars.conf": "-> " + out},
		"etc/tuned/p/tuned.conf leads to":  {"etc/tuned/p/tuned.conf": "-> ../../../../x"},
		"etc/tuned/p leads to":             {"etc/tuned/p": "-> " + filepath.Dir(out)},
		"etc/sysctl.conf is a link":        {"etc/sysctl.conf": "-> " + out},
		"etc/sysctl.d is a link":           {"etc/sysctl.d": "-> " + filepath.Dir(out)},
		"etc/sysctl.d/a.conf leads to":     {"etc/sysctl.d/a.conf": "-> " + out},
		"run is a link":                    {"run": "-> " + filepath.Dir(out)},
		"run/udev/data/b leads to":         {"run/udev/data/b": "-> " + out},
		"etc is no directory":              {"etc": "a file"},
		"etc/tuned/hard has 2 names (copy": {"etc/tuned/vars.conf": ""},
	} {
		dir := plant(t, files)
		if strings.Contains(name, "2 names") {
			if err := os.Link(filepath.Join(dir, "etc/tuned/vars.conf"), filepath.Join(dir, "etc/tuned/hard")); err != nil {
				t.Fatal(err)
			}
		}
		f := &fake{t: t}
		r, err := Apply(t.Context(), Options{Profile: "p", Root: dir, Runner: f}, nil)
		if err == nil || !strings.Contains(err.Error(), name) || !errors.Is(err, ErrOptions) || r != nil || f.started > 0 {
			t.Errorf("%s: %v", name, err)
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		c := newCollection()
		c.own(root.FS(), dir) // as a reload does, when the links came later
		root.Close()
		for file, data := range c.files {
			if string(data.data) == secret {
				t.Errorf("%s: %s is read", name, file)
			}
		}
	}
}

// TestOwnFilesWithinTheNode are read: links in it, and masks, are fine.
func TestOwnFilesWithinTheNode(t *testing.T) {
	dir := plant(t, map[string]string{"proc/sys/vm/swappiness": "60\n",
		"etc/tuned/own/tuned.conf": "[sysctl]\nvm.swappiness=10\n", "etc/tuned/own/script.sh": "-> ../script.sh",
		"etc/tuned/script.sh": "#!/bin/sh\n", "etc/sysctl.d/masked.conf": "-> /dev/null", "etc/sysctl.conf": "",
		"etc/sysctl.d/99.conf": "-> ../sysctl.conf"})
	n, err := openNode(dir, usual)
	if err != nil {
		t.Fatal(err)
	}
	defer n.close()
	c := newCollection()
	if err := c.own(n.files(), dir); err != nil {
		t.Fatal(err)
	}
	if string(c.files["own/script.sh"].data) != "#!/bin/sh\n" || len(c.files) != 3 {
		t.Errorf("%+v", c.files)
	}
	list, err := NodeProfiles(dir)
	if err != nil || len(list) != 1 || list[0].Path != filepath.Join(dir, "etc/tuned") || len(list[0].Profiles) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	want := language.Profile{Name: "own",
		Source: language.Source{Body: "[sysctl]\nvm.swappiness=10\n", File: filepath.Join(dir, "etc/tuned/own/tuned.conf")}}
	if p := list[0].Profiles[0]; p.Name != want.Name || p.Source.Body != want.Source.Body ||
		p.Source.File != want.Source.File {
		t.Errorf("%+v", p)
	}
}

func TestNodesWithoutOwnProfiles(t *testing.T) {
	if list, err := NodeProfiles(simulated(t)); list != nil || err != nil {
		t.Errorf("%+v, %v", list, err)
	}
	if _, err := NodeProfiles(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a node that isn't there has profiles")
	}
}

// TestFilesWithoutASizeAreBounded: those of /proc say that they are empty.
func TestFilesWithoutASizeAreBounded(t *testing.T) {
	big := fstest.MapFS{"p/tuned.conf": {Data: []byte(strings.Repeat("#", maxFile+1))}}
	if err := newCollection().source(source{big, ".", "x"}); err == nil ||
		!strings.Contains(err.Error(), "x/p/tuned.conf is too much") {
		t.Error(err)
	}
}

// TestWhoseErrorItIs: the caller's are ErrOptions, what could not be done is not.
func TestWhoseErrorItIs(t *testing.T) {
	dir := simulated(t)
	for _, o := range []Options{{Profile: "a/b", Root: dir}, {Profile: "p", Root: t.TempDir()},
		{Profile: "p", Root: dir, Sources: []string{"no/such/directory"}}} {
		if _, err := Apply(t.Context(), o, nil); !errors.Is(err, ErrOptions) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if _, err := once(t, &fake{start: errors.New("TuneD is not installed")}, "vm.swappiness=10\n"); err == nil ||
		errors.Is(err, ErrOptions) {
		t.Error(err)
	}
	held, err := lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if _, err := Apply(t.Context(), Options{Profile: "p", Root: dir}, nil); err == nil || errors.Is(err, ErrOptions) {
		t.Error(err)
	}
}

// TestOnlySettingsOfTheKernelAreTouched, whatever is asked for.
func TestOnlySettingsOfTheKernelAreTouched(t *testing.T) {
	path := outside(t)
	name := path[1:]
	got := snapshot{}
	machine{}.add(got, name)
	if len(got) > 0 {
		t.Errorf("%+v", got)
	}
	err := machine{}.putBack([]string{name}, snapshot{name: {data: "overwritten"}})[name]
	if err == nil || !strings.Contains(err.Error(), "not below /proc/sys or /sys") {
		t.Error(err)
	}
	if text, _ := os.ReadFile(path); string(text) != secret {
		t.Errorf("%q", text)
	}
	for name, want := range map[string]bool{"proc/sys/vm/swappiness": true, "sys/x": true,
		"proc/sys/../../etc/hosts": false, "sys/../etc/hosts": false, "proc/irq/1": false, "dev/watchdog": false,
		"sysx": false} {
		if kernelSetting(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}
