package manifest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"plimsoll.dev/derive"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/internal/yamlout"
)

// obj is a mapping of a manifest. Its keys are written in alphabetical order.
type obj = map[string]any

// list is a sequence of a manifest.
type list = []any

// header is the comment above a manifest.
type header struct {
	// title says what the file is, as a sentence.
	title string
	// decision are the choices that the file carries out.
	decision []string
	// figures are the ids to ask "plimsoll why" for.
	figures []string
	// apply are commands, to be run in the written directory.
	apply []string
	// notes are what to know before applying the file.
	notes []string
	// answered are rules of "plimsoll tune check" that the notes answer, by the start
	// of the line that they speak of.
	answered map[string]string
	// sources are the documents that the choices follow.
	sources []derive.Source
}

// wrapAt is the width of comments; YAML itself has no limit.
const wrapAt = 100

// document is a manifest with its header.
func (r *renderer) document(h header, body any) []byte {
	var b bytes.Buffer
	comment(&b, "", []string{h.title})
	b.WriteString("#\n")
	comment(&b, "Plan:", []string{r.planLine()})
	comment(&b, "Decision:", h.decision)
	comment(&b, "Why:", r.why(h.figures))
	comment(&b, "Apply:", h.apply)
	comment(&b, "Note:", h.notes)
	cited := make([]string, len(h.sources))
	for i, s := range h.sources {
		cited[i] = s.String()
	}
	if len(cited) > 0 {
		comment(&b, "Source:", []string{strings.Join(cited, ", ")})
	}
	b.Write(h.silence(marshal(body)))
	return b.Bytes()
}

// marshal writes a manifest, whose keys are sorted.
func marshal(body any) []byte {
	text, err := yamlout.Marshal(body)
	if err != nil {
		panic(fmt.Sprintf("manifest: %v", err)) // structs and maps of plain values only
	}
	return text
}

// tree is an object as a mapping, to which fields can be added that its type lacks.
func tree(object any) obj {
	out := obj{}
	raw, err := json.Marshal(object)
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil {
		panic(fmt.Sprintf("manifest: %v", err)) // structs and maps of plain values only
	}
	return out
}

// silence puts the comment that "plimsoll tune check" knows above the lines whose
// findings the notes answer.
func (h header) silence(text []byte) []byte {
	for start, rule := range h.answered {
		line := regexp.MustCompile(`(?m)^( *)(- )?` + regexp.QuoteMeta(start))
		text = line.ReplaceAll(text, []byte("$1# plimsoll:ignore "+rule+"\n$0"))
	}
	return text
}

// planLine names the plan and what it is for.
func (r *renderer) planLine() string {
	return fmt.Sprintf("%s, OpenShift %s on %s", r.Metadata.Name, r.release, r.Platform.Provider)
}

// why are the commands that print how figures were found.
func (r *renderer) why(ids []string) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = "plimsoll why " + cmp.Or(r.Asked, "PLAN") + " " + words.Quote(id)
	}
	return out
}

// comment writes the lines behind a label, wrapped and aligned.
func comment(b *bytes.Buffer, label string, lines []string) {
	for i, line := range lines {
		if i > 0 {
			label = ""
		}
		indent := "# "
		if label != "" || i > 0 || len(lines) > 1 {
			indent = fmt.Sprintf("# %-10s", label)
		}
		for _, part := range wrap(oneLine(line), wrapAt-len(indent)) {
			b.WriteString(strings.TrimRight(indent+part, " ") + "\n")
			indent = "# " + strings.Repeat(" ", len(indent)-2)
		}
	}
}

// oneLine replaces whatever could end a comment line or hide text.
func oneLine(s string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f || c == 0x85 || c == 0x2028 || c == 0x2029 {
			return ' '
		}
		return c
	}, s)
}

// wrap breaks s at blanks into lines of at most width bytes; commands stay whole
// so that they can be copied.
func wrap(s string, width int) []string {
	if isCommand(s) || strings.HasPrefix(s, "plimsoll ") {
		return []string{s}
	}
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// ocp cites sections of OpenShift's scalability guide.
func ocp(sections ...string) []derive.Source {
	out := make([]derive.Source, len(sections))
	for i, s := range sections {
		out[i] = derive.Source{Code: "OCP", Section: s}
	}
	return out
}
