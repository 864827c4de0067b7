package machineconfig

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
)

// maxUnfolded is the most that the compressed contents of an answer may unfold to,
// in bytes, all of them together. The operator itself knows no bound; a MachineConfig
// has at most 1.5 MiB.
const maxUnfolded = 16 << 20

// errUnfolded says that the contents are more than that.
var errUnfolded = fmt.Errorf("the compressed contents of all files together unfold to more than %d MiB: from this one on they are not looked into", maxUnfolded>>20)

// decoder decodes the contents of files, each once, and keeps them. It unfolds no more
// than maxUnfolded bytes in all, and nothing any more once that is exceeded.
type decoder struct {
	kept map[packed]unpacked
	left int
}

// packed is content as it is written.
type packed struct {
	source string
	gzip   bool
}

// unpacked is what it comes to.
type unpacked struct {
	data []byte
	err  error
}

func newDecoder() *decoder { return &decoder{kept: map[packed]unpacked{}, left: maxUnfolded} }

// decode is the content of a file as a node of the era writes it: nil without a
// source. It is not to be changed.
func (d *decoder) decode(source, compression *string, unfold bool) ([]byte, error) {
	if source == nil {
		return nil, nil
	}
	return d.read(packed{*source, unfold && value(compression) == "gzip"})
}

func (d *decoder) read(p packed) ([]byte, error) {
	if was, ok := d.kept[p]; ok {
		return was.data, was.err
	}
	var out unpacked
	if p.gzip {
		out.data, out.err = d.unfold(p.source)
	} else {
		out.data, out.err = DecodeDataURL(p.source)
	}
	d.kept[p] = out
	return out.data, out.err
}

// unfold decompresses the content of a data URL.
func (d *decoder) unfold(source string) ([]byte, error) {
	data, err := d.read(packed{source: source})
	switch {
	case err != nil:
		return nil, err
	case d.left < 0:
		return nil, errUnfolded
	}
	zip, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	out, err := io.ReadAll(io.LimitReader(zip, int64(d.left)+1))
	d.left -= len(out)
	switch {
	case d.left < 0:
		return nil, errUnfolded
	case err != nil:
		return nil, err
	}
	return out, nil
}
