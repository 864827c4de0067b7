// Package uperf reads profiles of uperf as they are published, and says which cells of the network
// matrix they are.
//
// It is no XML parser, for profiles are no XML: attributes stand without quotes, elements are never
// closed, $variables come from the environment. Where uperf itself gives up, at two tags in a line, this
// package reads on. It runs nothing.
//
//	profile, problems := uperf.Read("rr.xml", text, os.LookupEnv)
//	cells, more := profile.Cells()
package uperf
