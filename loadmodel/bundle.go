package loadmodel

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
)

// Bundle is a configuration with all that reading it looked at, so that it reads the same elsewhere.
type Bundle struct {
	Name string `json:"name"`
	Text []byte `json:"text"`
	// Files that were asked for, whether they were there or not.
	Files []BundledFile `json:"files,omitempty"`
	// Env are the variables that were asked for and set.
	Env map[string]string `json:"env,omitempty"`
	// Seed of what templates generate.
	Seed uint64 `json:"seed"`
}

// BundledFile is a file by the directory and the name under which it was asked for.
type BundledFile struct {
	Root string `json:"root"`
	Name string `json:"name"`
	Text []byte `json:"text,omitempty"`
	// Missing says that it was not there, or could not be read.
	Missing bool `json:"missing,omitempty"`
}

// Recording is open, which keeps what it reads in the bundle.
func (b *Bundle) Recording(open func(root, name string) ([]byte, error)) func(root, name string) ([]byte, error) {
	return func(root, name string) ([]byte, error) {
		text, err := open(root, name)
		b.Files = append(b.Files, BundledFile{root, name, text, err != nil})
		return text, err
	}
}

// RecordingEnv is env, which keeps what is set in the bundle.
func (b *Bundle) RecordingEnv(env func(name string) (string, bool)) func(name string) (string, bool) {
	return func(name string) (string, bool) {
		value, set := env(name)
		if set {
			if b.Env == nil {
				b.Env = map[string]string{}
			}
			b.Env[name] = value
		}
		return value, set
	}
}

// Open is a file of the bundle; what it does not have does not exist. An absolute path may be below another root
// elsewhere, where the working directory is another.
func (b *Bundle) Open(root, name string) ([]byte, error) {
	for _, f := range b.Files {
		if path.Join(f.Root, f.Name) == path.Join(root, name) && !f.Missing {
			return f.Text, nil
		}
	}
	return nil, fs.ErrNotExist
}

// Digest tells a configuration, or a file that it names, from others.
type Digest struct {
	Name string `json:"name"`
	// SHA256 of its text, in hexadecimal digits.
	SHA256 string   `json:"sha256"`
	Files  []Digest `json:"files,omitempty"`
}

// Digest of the configuration and of the files that were read for it.
func (b *Bundle) Digest() Digest {
	out := Digest{Name: b.Name, SHA256: fmt.Sprintf("%x", sha256.Sum256(b.Text))}
	for _, f := range b.Files {
		if !f.Missing {
			out.Files = append(out.Files, Digest{Name: f.Name, SHA256: fmt.Sprintf("%x", sha256.Sum256(f.Text))})
		}
	}
	return out
}

// Options read the bundle as the configuration was read.
func (b *Bundle) Options() Options {
	return Options{Seed: b.Seed, Env: func(name string) (string, bool) { v, set := b.Env[name]; return v, set }}
}

// maxUnpacked is more than a bundle that was packed here may take.
const maxUnpacked = 64 << 20

// Pack writes anything as compressed JSON.
func Pack(v any) ([]byte, error) {
	var out bytes.Buffer
	packed := gzip.NewWriter(&out)
	if err := json.NewEncoder(packed).Encode(v); err != nil {
		return nil, err
	}
	err := packed.Close()
	return out.Bytes(), err
}

// errLarge says that something unpacked is too large.
var errLarge = fmt.Errorf("it has more than %d MiB", maxUnpacked>>20)

// Unpack reads what Pack has written, of at most 64 MiB.
func Unpack(text []byte, v any) error {
	packed, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return err
	}
	plain, err := io.ReadAll(io.LimitReader(packed, maxUnpacked+1))
	switch {
	case err != nil:
		return err
	case len(plain) > maxUnpacked:
		return errLarge
	}
	return errors.Join(json.Unmarshal(plain, v), packed.Close())
}

// Shard is the share of one of n workers, the i-th from 0: every n-th namespace.
func (w *Work) Shard(i, n int) *Work {
	out := *w
	out.Namespaces = nil
	for ; i < len(w.Namespaces); i += n {
		out.Namespaces = append(out.Namespaces, w.Namespaces[i])
	}
	return &out
}
