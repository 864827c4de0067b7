// Command ignition asks Ignition's own parsers what package machineconfig must
// answer: which configurations are valid, what a data URL decodes to, and what
// several configurations are together. Its tests compare on fresh random input,
// and everything that the package makes is parsed with the real parsers.
//
// It is no part of the program: it is a Go module of its own, whose record is
// replayed by the ordinary tests. Nothing is fetched or written to a system.
//
//	go run . -seed 1 -o ../../tune/machineconfig/testdata/oracle/ignition.jsonl.gz
package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
)

// sizes of the record.
const (
	urls    = 4000
	configs = 3000
)

func main() {
	seed := flag.Uint64("seed", 1, "seed of the random input")
	out := flag.String("o", "", "file to write")
	flag.Parse()
	if err := record(*out, *seed); err != nil {
		fmt.Fprintln(os.Stderr, "ignition:", err)
		os.Exit(1)
	}
}

// record writes lines of JSON, compressed.
func record(name string, seed uint64) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	defer file.Close()
	buffer := bufio.NewWriter(file)
	zip, err := gzip.NewWriterLevel(buffer, gzip.BestCompression)
	if err != nil {
		return err
	}
	lines := json.NewEncoder(zip)
	c := chooser(rand.New(rand.NewPCG(seed, 0)).IntN)
	for i := range urls + configs {
		var line any = askURL(randomURL(c))
		if i >= urls {
			line = askConfigs(randomConfigs(c))
		}
		if err := lines.Encode(line); err != nil {
			return err
		}
	}
	if err := zip.Close(); err != nil {
		return err
	}
	if err := buffer.Flush(); err != nil {
		return err
	}
	return file.Close()
}
