package machineconfig

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
)

// maxContent is the most that the content of a file may unfold to, in bytes. The
// operator itself knows no bound; a MachineConfig has at most 1.5 MiB.
const maxContent = 16 << 20

// gunzip decompresses content of at most maxContent bytes.
func gunzip(data []byte) ([]byte, error) {
	zip, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	out, err := io.ReadAll(io.LimitReader(zip, maxContent+1))
	switch {
	case err != nil:
		return nil, err
	case len(out) > maxContent:
		return nil, fmt.Errorf("it unfolds to more than %d MiB", maxContent>>20)
	}
	return out, nil
}

// decode is the content of a file as a node of the era writes it: nil without a
// source.
func decode(source, compression *string, unfold bool) ([]byte, error) {
	if source == nil {
		return nil, nil
	}
	data, err := DecodeDataURL(*source)
	if err != nil || !unfold || value(compression) != "gzip" {
		return data, err
	}
	return gunzip(data)
}
