// Command plimsoll draws the load line for clouds: it plans OpenShift and
// Kubernetes clusters and says which limit breaks first. Under the name
// kubectl-plimsoll the same binary is a plug-in of kubectl and oc.
//
// It does nothing itself; package internal/cli does.
//
//	plimsoll plan examples/ocp-9.4.yaml
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"plimsoll.dev/internal/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(cli.Run(ctx, cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, os.Args, os.Getenv))
}
