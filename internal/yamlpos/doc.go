// Package yamlpos reads YAML and JSON into trees whose every key and value knows
// its line and column, and prints problems with the source line and a caret.
//
// It knows no schema: which keys are right is the business of package strict.
// It refuses what can't be read safely (alias bombs, deep nesting, huge files,
// control characters) and, in the one document of [Parse], the corners of YAML
// that surprise people (tags, directives, complex keys). [Documents] reads what
// kubectl reads.
//
//	tree, problems := yamlpos.Parse("scenario.yaml", text)
//	line, col := tree.At("hardware.nodeTypes[2].memory")
package yamlpos
