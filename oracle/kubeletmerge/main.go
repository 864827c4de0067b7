package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"reflect"

	kubelet "k8s.io/kubelet/config/v1beta1"
)

func main() {
	fields := flag.Bool("fields", false, "print the table of fields in place of records")
	base := flag.String("base", "", "file with the kubelet.conf to merge into")
	asYAML := flag.Bool("yaml", false, "write the merged configuration as YAML, as the operator does today")
	seed := flag.Int64("seed", 1, "seed of the random KubeletConfigs")
	n := flag.Int("n", 500, "number of records")
	flag.Parse()
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	if *fields {
		printFields(out, "", reflect.TypeOf(kubelet.KubeletConfiguration{}))
		return
	}
	text, err := os.ReadFile(*base)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	d := drawer{rand.New(rand.NewSource(*seed))}
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for range *n {
		raw, err := json.Marshal(d.config())
		if err != nil {
			panic(err)
		}
		r := record{Config: raw}
		if conf, err := merge(text, raw, *asYAML); err != nil {
			r.Refused = true
		} else {
			r.Conf = string(conf)
		}
		if err := enc.Encode(r); err != nil {
			panic(err)
		}
	}
}

// record is one merge: the KubeletConfig's part and the file that comes out.
type record struct {
	Config  json.RawMessage `json:"config"`
	Conf    string          `json:"conf,omitempty"`
	Refused bool            `json:"refused,omitempty"`
}
