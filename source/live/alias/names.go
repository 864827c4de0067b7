package alias

import (
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"regexp"
	"strings"

	"plimsoll.dev/loadmodel"
)

// Names are pseudonyms by one key: who doesn't have it can't try which name a pseudonym stands for.
type Names struct{ key []byte }

// New begins with a key, which makes the pseudonyms.
func New(key []byte) *Names { return &Names{key} }

// digest of a name: letters alone, so that nothing takes a part of it for a number. Of 150,000 names two have the same
// one with a chance of 1 in 25,000.
func (n *Names) digest(text string) string {
	const letters, length = "bcdfghjklmnpqrst", 12
	h := hmac.New(sha256.New, n.key)
	h.Write([]byte(text))
	out := make([]byte, 0, length)
	for _, b := range h.Sum(nil)[:length/2] {
		out = append(out, letters[b>>4], letters[b&15])
	}
	return string(out)
}

// number is one at the end of a name, which tells the pods of a set, or the runs of a job.
var number = regexp.MustCompile(`^(.+?)((?:-\d+)+)$`)

// name is the pseudonym of a name of whatever kind.
func (n *Names) name(text string) string {
	if text == "" {
		return ""
	}
	if m := number.FindStringSubmatch(text); m != nil {
		return n.digest(m[1]) + m[2]
	}
	return n.digest(text)
}

// namespace is a pseudonym, but of a namespace of the platform.
func (n *Names) namespace(text string) string {
	if loadmodel.IsSystem(text) {
		return text
	}
	return n.name(text)
}

// image is the pseudonym of an image, by all of its name as container runtimes complete it.
func (n *Names) image(text string) string {
	if text == "" {
		return ""
	}
	if strings.LastIndexByte(text, ':') <= strings.LastIndexByte(text, '/') {
		text += ":latest"
	}
	return "image.example/" + n.digest(text) + ":1"
}

// address is an address of the private network 10.0.0.0/8 that stands for another one.
func (n *Names) address(text string) string {
	h := hmac.New(sha256.New, n.key)
	h.Write([]byte(text))
	b := h.Sum(nil)
	return fmt.Sprintf("10.%d.%d.%d", b[0], b[1], b[2])
}

// plain are values of labels that name nothing.
var plain = regexp.MustCompile(`^(|true|false|yes|no|enabled|disabled|\d+)$`)

// hashes are labels of a controller's making, by which its pods are told apart.
var hashes = map[string]bool{"pod-template-hash": true, "rollouts-pod-template-hash": true,
	"pod-template-generation": true, "controller-revision-hash": true}

// named are labels of the platform whose value is a name all the same.
var named = regexp.MustCompile(`^(kubernetes\.io/hostname|app\.kubernetes\.io/.*|machine\.openshift\.io/.*|` +
	`statefulset\.kubernetes\.io/pod-name|batch\.kubernetes\.io/job-name)$`)

// label is the value of a label, or of a taint, with this key.
func (n *Names) label(key, value string) string {
	domain, _, _ := strings.Cut(key, "/")
	platform := strings.HasSuffix(domain, "kubernetes.io") || strings.HasSuffix(domain, "k8s.io") ||
		strings.HasSuffix(domain, "openshift.io")
	switch {
	case key == "kubernetes.io/metadata.name":
		return n.namespace(value)
	case plain.MatchString(value), hashes[key], platform && !named.MatchString(key):
		return value
	}
	return n.name(value)
}
