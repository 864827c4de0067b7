// Command kubectl is Kubernetes' own, of the release of the laboratory, for the walk-through that its tests type
// (walk_test.go). It adds nothing, and is no part of what is released: people have one of their own.
//
//	go build -C kubectl -o bin/kubectl .
package main

import (
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
)

func main() { os.Exit(cli.Run(cmd.NewDefaultKubectlCommand())) }
