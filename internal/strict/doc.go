// Package strict decodes a YAML tree into Go structs by reflection and finds
// every problem at once: unknown and missing fields, wrong types, values outside
// their range or enumeration, unreadable quantities.
//
// It knows the struct tags `json`, `check`, `default`, `fact` and `platform` (documented in
// package v1alpha1), but no document; what relates several fields to each other
// is checked by the reader of the document.
//
//	d := strict.New[v1alpha1.Scenario](checks)
//	problems := d.Decode(tree, &scenario)
//	defaults := d.Defaults(tree, &scenario, rules)
package strict
