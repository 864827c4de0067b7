package main

import (
	"encoding/json"
	"math/rand"
	"reflect"
	"testing"

	successor "dario.cat/mergo"
	"github.com/imdario/mergo"
	kubelet "k8s.io/kubelet/config/v1beta1"
)

// The library that the operator uses today and its successor under another name
// give the same, so that a record stands for both.
func TestSuccessorMergesAlike(t *testing.T) {
	d := drawer{rand.New(rand.NewSource(1))}
	merged := 0
	for range 3000 {
		raw, _ := json.Marshal(d.config())
		part, err := decode(raw)
		if err != nil {
			continue
		}
		base := []byte(
			`{"maxPods":250,"kubeAPIQPS":50,"failSwapOn":true,"clusterDNS":["a"],"systemReserved":{"cpu":"1"},"memorySwap":{"swapBehavior":"NoSwap"}}`)
		one, two := must(decode(base)), must(decode(base))
		if err := mergo.Merge(one, part, mergo.WithOverride); err != nil {
			t.Fatal(err)
		}
		if err := successor.Merge(two, must(decode(raw)), successor.WithOverride); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(one, two) {
			t.Fatalf("%s", raw)
		}
		merged++
	}
	if merged < 1000 {
		t.Errorf("only %d were merged", merged)
	}
}

func must(c *kubelet.KubeletConfiguration, err error) *kubelet.KubeletConfiguration {
	if err != nil {
		panic(err)
	}
	return c
}
