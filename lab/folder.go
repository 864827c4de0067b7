package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"

	"plimsoll.dev/lab/plane"
	"plimsoll.dev/lab/sim"
)

// The files of the folder, which the process stands in.
const (
	configFile      = "lab.json"   // written by "plimsoll lab up"
	nodesFile       = "nodes.json" // likewise: a v1 List of nodes
	lockFile        = "lock"       // held as long as the process runs
	readyFile       = "ready"      // there while the laboratory is ready
	truthFile       = "truth.jsonl"
	registeredFile  = "registered" // there once the nodes have been made
	nodesKubeconfig = "pki/nodes.kubeconfig"
)

// fast is the profile for measuring and testing; faithful has the defaults of Kubernetes.
const (
	fast     = "fast"
	faithful = "faithful"
)

// config is lab.json.
type config struct {
	// Profile is fast or faithful.
	Profile string `json:"profile"`
	// Platform is kubernetes or openshift, whose kinds are served then.
	Platform string `json:"platform"`
	// Machines has the machine API be played.
	Machines  bool          `json:"machines,omitempty"`
	Behaviour sim.Behaviour `json:"behaviour,omitzero"`
}

// ready is the file ready.
type ready struct {
	PID int `json:"pid"`
	// Started is the start of the process in ticks since the machine's boot, with which a pid
	// is told from another one of the same number; empty where the system does not say.
	Started string `json:"started,omitempty"`
	Port    int    `json:"port"`
	// Since is when it was ready, and Seconds how long that took.
	Since   time.Time `json:"since"`
	Seconds float64   `json:"seconds"`
}

// folder is a folder that this process has locked.
type folder struct {
	config config
	nodes  []corev1.Node
	truth  *os.File
	lock   *os.File
}

// enter stands in the folder, alone, and reads what is to be run.
func enter(dir string) (*folder, error) {
	if err := os.Chmod(dir, 0o700); err != nil {
		return nil, err
	}
	if err := os.Chdir(dir); err != nil {
		return nil, err
	}
	f := &folder{}
	var err error
	if f.lock, err = os.OpenFile(lockFile, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return nil, err
	}
	for tries := 0; syscall.Flock(int(f.lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil; tries++ {
		if tries == 20 { // somebody who looks whether it is locked holds it for a moment
			return nil, errors.Join(fmt.Errorf("%s: a laboratory runs in this folder already", dir), f.lock.Close())
		}
		time.Sleep(25 * time.Millisecond)
	}
	if err := f.read(); err != nil {
		f.leave()
		return nil, err
	}
	return f, nil
}

func (f *folder) read() (err error) {
	if err := f.lock.Truncate(0); err != nil {
		return err
	}
	if err := json.NewEncoder(f.lock).Encode(f.process()); err != nil {
		return err
	}
	if err := decode(configFile, &f.config); err != nil {
		return err
	}
	if f.config.Profile != fast && f.config.Profile != faithful {
		return fmt.Errorf("%s: profile %q is not fast or faithful", configFile, f.config.Profile)
	}
	var list corev1.NodeList
	if err := decode(nodesFile, &list); err != nil {
		return err
	}
	f.nodes = list.Items
	f.truth, err = os.OpenFile(truthFile, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	return err
}

// decode reads JSON; a field that it does not know is an error.
func decode(file string, into any) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: goes on after its end", file)
	}
	return nil
}

// process is this process, for whoever wants to stop it.
func (f *folder) process() ready {
	return ready{PID: os.Getpid(), Started: startTicks()}
}

// startTicks is the field starttime of proc(5).
func startTicks() string {
	text, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return ""
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	const behind = 19 // starttime is field 22; two stand before the rest
	if fields := strings.Fields(rest); len(fields) > behind {
		return fields[behind]
	}
	return ""
}

// announce writes the file ready.
func (f *folder) announce(port int, took time.Duration) error {
	r := f.process()
	r.Port, r.Since, r.Seconds = port, time.Now().UTC(), took.Seconds()
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return plane.Replace(readyFile, append(text, '\n'))
}

// registered says that the nodes were made, by this process or an earlier one.
func (f *folder) registered() bool {
	_, err := os.Stat(registeredFile)
	return err == nil
}

func (f *folder) register() error { return plane.Replace(registeredFile, nil) }

// leave gives the folder up.
func (f *folder) leave() {
	_ = os.Remove(readyFile)
	if f.truth != nil {
		_ = f.truth.Close()
	}
	_ = f.lock.Close()
}
