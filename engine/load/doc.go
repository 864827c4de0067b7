// Package load creates what a loadmodel.Work says on a real API server, at its pace, measures how
// long each thing takes, and takes away what it has made.
//
// It decides nothing about what is created; that is loadmodel's, and how times are judged is bench's.
//
//	result, err := load.Run(ctx, client, work, load.Options{RunID: "a1"})
package load
