// Package fake is an API server for tests, with the objects of a snapshot: it answers discovery, lists in pages, as a
// whole or as metadata, and its own count of objects.
//
// It keeps no promises of a real one beyond that: nothing can be changed or watched in it, and a version is a number.
//
//	s, err := fake.New(strings.NewReader(text))
//	server := httptest.NewServer(s)
package fake
