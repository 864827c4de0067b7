// Package archtest holds the tests that keep the rules of the house: what a
// package may import, what its doc comment says, how long functions and files
// and lines are, what may not stand in a committed file, and that links lead somewhere.
//
// It has no code outside its tests, and it doesn't judge style that gofmt and
// go vet already decide. Each rule is also run on a small planted violation in
// testdata, so that a rule that can't fail is noticed.
//
//	go test ./internal/archtest                  # all rules
//	go test ./internal/archtest -run Length -v   # the length report
package archtest
