package main

import (
	"fmt"
	"io"
)

// writeTuneds writes Tuned CRs as "tune explain" reads them: each has a profile and
// two items, of which one matches nodes that run pods of an application.
func writeTuneds(w io.Writer, count int) error {
	for i := range count {
		_, err := fmt.Fprintf(w, `---
apiVersion: tuned.openshift.io/v1
kind: Tuned
metadata: {name: app-%[1]d, namespace: openshift-cluster-node-tuning-operator}
spec:
  profile:
  - name: app-%[1]d
    data: |
      [main]
      include=openshift-node
      [sysctl]
      vm.nr_hugepages=%[1]d
  recommend:
  - profile: app-%[1]d
    priority: %[2]d
    match:
    - label: kubernetes.io/hostname
      value: %[4]s
      match:
      - {label: app.kubernetes.io/part-of, value: team-%04[1]d, type: pod}
      - {label: node-role.kubernetes.io/infra}
  - profile: app-%[1]d
    priority: %[3]d
    match: [{label: profile, value: app-%[1]d}]
`, i, 100+2*i, 101+2*i, nodeName(3+i))
		if err != nil {
			return err
		}
	}
	return nil
}
