package files

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	slashpath "path"
	"strings"

	"plimsoll.dev/unit"
)

// maxRest is how much of an archive may be what is skipped over: headers, and files of other kinds, such
// as logs. It is as many times the bound of what is read, and some.
const maxRest, some = 8, unit.MiB

// IsArchive says whether a text that begins so, with 512 bytes or all that there are, is a tar, or was
// packed by gzip.
func IsArchive(start []byte) bool { return isGzip(start) || IsTar(start) }

// IsTar says whether a text that begins so is a tar.
func IsTar(start []byte) bool {
	const magic, at = "ustar", 257
	return len(start) >= at+len(magic) && string(start[at:at+len(magic)]) == magic
}

func isGzip(start []byte) bool { return bytes.HasPrefix(start, []byte{0x1f, 0x8b}) }

// Unpacked is what gzip has packed, or else the text itself.
func Unpacked(in io.Reader) (io.Reader, error) {
	start := make([]byte, 2)
	n, err := io.ReadFull(in, start)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	whole := io.MultiReader(bytes.NewReader(start[:n]), in)
	if isGzip(start) {
		return gzip.NewReader(whole)
	}
	return whole, nil
}

// Archive is Each for the files in a tar, or in one that gzip has packed, in the order in which they stand
// there. One file is held at a time. Names are never paths on this machine: what leads out of the archive,
// and links, lead nowhere.
func Archive(in io.Reader, opt Options, sink Sink, take func(name string, text []byte)) {
	plain, err := Unpacked(in)
	if err != nil {
		sink.Bad(opt.Dir, "it can't be unpacked: "+err.Error(), "write it again")
		return
	}
	limited := &io.LimitedReader{R: plain, N: int64(opt.MaxTotal*maxRest + some)}
	entries := tar.NewReader(limited)
	total, count := unit.Bytes(0), 0
	for {
		h, err := entries.Next()
		switch {
		case errors.Is(err, io.EOF):
			return
		case limited.N <= 0:
			sink.Bad(opt.Dir, "it is longer than "+unit.FormatBytes(opt.MaxTotal*maxRest+some), "pack less into it")
			return
		case err != nil:
			sink.Bad(opt.Dir, "it can't be read: "+err.Error(), "write it again")
			return
		}
		name := slashpath.Clean("/" + h.Name)[1:]
		if h.Typeflag != tar.TypeReg || hidden(name) || !opt.takes(name) {
			continue
		}
		if count++; count > opt.MaxFiles {
			sink.Bad(opt.Shown(name), tooManyFiles(opt.MaxFiles), "unpack it, and name directories in it")
			return
		}
		if unit.Bytes(h.Size) > opt.MaxFile {
			sink.Bad(opt.Shown(name), "it is longer than "+unit.FormatBytes(opt.MaxFile), opt.Large)
			continue
		}
		text, err := io.ReadAll(io.LimitReader(entries, int64(opt.MaxFile)))
		if err != nil {
			sink.Bad(opt.Shown(name), "it can't be read: "+err.Error(), "write the archive again")
			return
		}
		if total += unit.Bytes(len(text)); total > opt.MaxTotal {
			sink.Bad(opt.Shown(name), tooLong(opt.MaxTotal), "unpack it, and name directories in it")
			return
		}
		take(opt.Shown(name), text)
	}
}

// hidden says whether a name in the path begins with a dot, which Each leaves out, too.
func hidden(path string) bool {
	return strings.HasPrefix(path, ".") || strings.Contains(path, "/.")
}
