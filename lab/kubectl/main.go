// Command kubectl is Kubernetes' own, of the release of the laboratory, for the walk-throughs that its tests run.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
)

func main() { os.Exit(cli.Run(cmd.NewDefaultKubectlCommand())) }
