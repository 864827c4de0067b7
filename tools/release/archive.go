package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"time"
)

// file is one of an archive.
type file struct {
	name    string
	content []byte
	mode    int64
}

// tarred is an archive in which nothing but names, bytes and modes can differ.
func tarred(prefix string, files []file, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		err := w.WriteHeader(&tar.Header{Name: prefix + f.name, Mode: f.mode, Size: int64(len(f.content)), ModTime: at,
			Format: tar.FormatPAX})
		if err == nil {
			_, err = w.Write(f.content)
		}
		if err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

func tarGz(prefix string, files []file, at time.Time) ([]byte, error) {
	text, err := tarred(prefix, files, at)
	if err != nil {
		return nil, err
	}
	return gzipped(text)
}

func gzipped(text []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	_, err = w.Write(text)
	err = errors.Join(err, w.Close())
	return b.Bytes(), err
}

func zipped(prefix string, files []file, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		part, err := w.CreateHeader(&zip.FileHeader{Name: prefix + f.name, Method: zip.Deflate, Modified: at})
		if err == nil {
			_, err = io.Copy(part, bytes.NewReader(f.content))
		}
		if err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}
