// Command plimsoll draws the load line for clouds: it plans OpenShift and
// Kubernetes clusters and says which limit breaks first. Under the name
// kubectl-plimsoll the same binary is a plug-in of kubectl and oc.
//
// It does nothing itself; package cli does. A signal ends it at once:
// files are written by rename, so none is left half.
//
//	plimsoll plan examples/ocp-9.4.yaml
package main

import (
	"context"
	"os"

	"plimsoll.dev/cli"
)

func main() {
	cli.Ceiling(os.Stderr, os.Args, os.Getenv, os.Exit)
	os.Exit(cli.Run(context.Background(), cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, os.Args, os.Getenv))
}
