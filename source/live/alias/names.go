package alias

import (
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"net/netip"
	"regexp"
	"strings"

	"plimsoll.dev/loadmodel"
)

// Names are pseudonyms by one key: who doesn't have it can't try which name a pseudonym stands for.
type Names struct {
	key   []byte
	nodes map[string]bool // that were named so far
}

// New begins with a key, which makes the pseudonyms.
func New(key []byte) *Names { return &Names{key, map[string]bool{}} }

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

// number is one at the end of a name, which tells the pods of a set, or the runs of a job. One more before it may be a
// part of an address.
var number = regexp.MustCompile(`^(.+)(-\d+)$`)

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

// Name is the pseudonym of a name that stands in no object of a cluster.
func (n *Names) Name(text string) string { return n.name(text) }

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

// address is an address of the private network 10.0.0.0/8 that stands for another one; a node's own and that for all
// of them, which every node has, stay.
func (n *Names) address(text string) string {
	if ip, err := netip.ParseAddr(text); err == nil && (ip.IsLoopback() || ip.IsUnspecified()) {
		return text
	}
	h := hmac.New(sha256.New, n.key)
	h.Write([]byte(text))
	b := h.Sum(nil)
	return fmt.Sprintf("10.%d.%d.%d", b[0], b[1], b[2])
}

// plain are values of labels that name nothing.
var plain = regexp.MustCompile(`^(|true|false|yes|no|enabled|disabled|\d+)$`)

// hashes are labels of a controller's making, by which its pods are told apart. That of a StatefulSet's revision is
// none of them: it begins with the name.
var hashes = map[string]bool{"pod-template-hash": true, "rollouts-pod-template-hash": true,
	"pod-template-generation": true}

// platform are labels that Kubernetes and OpenShift give nodes and pods; named are those of them whose value is a name
// or a UID all the same. Projects beside Kubernetes, which have k8s.io, name queues, clusters and sets with theirs.
var (
	platform = regexp.MustCompile(`^([^/]*\.)?(kubernetes|openshift)\.io/`)
	named    = regexp.MustCompile(`^(app\.kubernetes\.io/|(machine|hive|hypershift)\.openshift\.io/|.*(name|uid)$)`)
)

// label is the value of a label, or of a taint, with this key.
func (n *Names) label(key, value string) string {
	switch {
	case key == "kubernetes.io/metadata.name":
		return n.namespace(value)
	case plain.MatchString(value), hashes[key], platform.MatchString(key) && !named.MatchString(key):
		return value
	}
	return n.name(value)
}
