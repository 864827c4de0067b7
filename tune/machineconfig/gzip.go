package machineconfig

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
)

// maxUnfolded is the most that the compressed contents of an answer may unfold to,
// in bytes, all of them together; and the most of them that is looked into and told
// of all pools, where one may count several times. The operator itself knows no bound; a MachineConfig has at most
// 1.5 MiB.
const maxUnfolded = 32 << 20

// errUnfolded says that the contents are more than that.
var errUnfolded = fmt.Errorf("the compressed contents of all files, for all pools, unfold to more than %d MiB: "+
	"this one is not looked into", maxUnfolded>>20)

// decoder decodes the contents of files, each once, and keeps them.
type decoder struct {
	kept map[packed]unpacked
	// left is how much may still be unfolded, and give how much of it given out.
	left, give int
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

func newDecoder() *decoder {
	return &decoder{kept: map[packed]unpacked{}, left: maxUnfolded, give: maxUnfolded}
}

// take is the content of a file as a node of the release writes it: nil without a
// source. It is not to be changed, and what was compressed counts each time.
func (d *decoder) take(source, compression *string, unfold bool) ([]byte, error) {
	data, err := d.decode(source, compression, unfold)
	if err != nil || !unfold || value(compression) != "gzip" {
		return data, err
	}
	if len(data) > d.give {
		return nil, errUnfolded
	}
	d.give -= len(data)
	return data, nil
}

// decode is take where the content is only tried.
func (d *decoder) decode(source, compression *string, unfold bool) ([]byte, error) {
	if source == nil {
		return nil, nil
	}
	p := packed{*source, unfold && value(compression) == "gzip"}
	out, ok := d.kept[p]
	if !ok {
		out.data, out.err = DecodeDataURL(p.source)
		if p.gzip && out.err == nil {
			out.data, out.err = d.unfold(out.data)
		}
		d.kept[p] = out
	}
	return out.data, out.err
}

// unfold decompresses as much as may still be.
func (d *decoder) unfold(data []byte) ([]byte, error) {
	zip, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	out, err := io.ReadAll(io.LimitReader(zip, int64(d.left)+1))
	if d.left -= len(out); d.left < 0 {
		d.left = 0
		return nil, errUnfolded
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}
