package main

import (
	"fmt"
	"io"
)

// largeTypes is the number of pod types of a large scenario.
const largeTypes = 50

// writeLarge writes a scenario of many pods of 50 types on nodes of three kinds,
// which have room for them.
func writeLarge(w io.Writer, name string, pods, nodes int) error {
	fmt.Fprintf(w, `apiVersion: plimsoll.dev/v1alpha1
kind: Scenario
metadata:
  name: %s
  description: Made by benchgen to time the placement of many pods on many nodes.
platform: {type: kubernetes, release: "1.36"}
hardware:
  nodeTypes:
    - {name: small, cpus: 32, memory: 128Gi, systemReserved: {cpu: 500m, memory: 2Gi}}
    - {name: medium, cpus: 64, memory: 256Gi, systemReserved: {cpu: 500m, memory: 2Gi}}
    - {name: large, cpus: 64, memory: 512Gi, systemReserved: {cpu: 500m, memory: 2Gi}}
  options:
    - name: all
      nodes: [{type: small, count: %d}, {type: medium, count: %d}, {type: large, count: %d}]
workload:
  podTypes:
`, name, nodes*2/5, nodes*2/5, nodes-2*(nodes*2/5))
	for i := range largeTypes {
		replicas := pods*(i+1)/largeTypes - pods*i/largeTypes // which add up to all pods
		fmt.Fprintf(w, "    - {name: app-%02d, replicas: %d, cpu: %dm, memory: %dMi}\n", i, replicas, 100+37*(i%29),
			128+97*(i%31))
	}
	_, err := fmt.Fprint(w, "policy: {spareNodes: 0, systemPodsPerNode: 0}\n")
	return err
}
