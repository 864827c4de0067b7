package main

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"time"
)

// printFields prints the fields of a struct and of those within it, in their
// order: path, type, and whether the field is left out when it is empty.
func printFields(w io.Writer, prefix string, t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || f.PkgPath != "" && !f.Anonymous {
			continue
		}
		if name == "" && f.Anonymous {
			printFields(w, prefix, f.Type)
			continue
		}
		empty := "keep"
		if strings.Contains(options, "omitempty") {
			empty = "omit"
		}
		kind, inner := describe(f.Type)
		fmt.Fprintf(w, "%s%s\t%s\t%s\n", prefix, name, kind, empty)
		if inner != nil {
			printFields(w, prefix+name+".", inner)
		}
	}
}

// describe names a type, and returns the struct in it, if there is one.
func describe(t reflect.Type) (name string, inner reflect.Type) {
	switch special(t) {
	case "":
	default:
		return special(t), nil
	}
	switch t.Kind() {
	case reflect.Ptr:
		name, inner = describe(t.Elem())
		return "*" + name, inner
	case reflect.Slice:
		name, inner = describe(t.Elem())
		return "[]" + name, inner
	case reflect.Map:
		name, inner = describe(t.Elem())
		return "map." + name, inner
	case reflect.Struct:
		return "struct", t
	}
	return t.Kind().String(), nil
}

// special names the types that read and write themselves.
func special(t reflect.Type) string {
	switch t.String() {
	case "v1.Duration":
		return "duration"
	case "v1.Time":
		return "time"
	case "resource.Quantity", "resource.QuantityValue":
		return "quantity"
	case "v1.TimeOrMetaDuration", "api.TimeOrMetaDuration":
		return "timeOrDuration"
	}
	if t == reflect.TypeOf(time.Duration(0)) {
		return "nanoseconds"
	}
	return ""
}
