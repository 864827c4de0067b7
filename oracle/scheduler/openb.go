package scheduler

import (
	"compress/gzip"
	"os"
	"path/filepath"

	"plimsoll.dev/place/scheduler/schedulertest"
)

// openbSessions are the OpenB trace with whole GPUs and with shares, and with all
// nodes scored.
func openbSessions(dir string) ([]schedulertest.Session, error) {
	variants := []struct {
		name       string
		count      schedulertest.GPU
		percentage int
	}{
		{"openb, whole GPUs", schedulertest.WholeGPUs, 0},
		{"openb, whole GPUs, all nodes scored", schedulertest.WholeGPUs, 100},
		{"openb, shares of GPUs", schedulertest.GPUShares, 0},
	}
	var out []schedulertest.Session
	for _, v := range variants {
		s, err := openb(dir, v.count)
		if err != nil {
			return nil, err
		}
		s.Name, s.Profile.PercentageOfNodesToScore = v.name, v.percentage
		out = append(out, s)
	}
	return out, nil
}

func openb(dir string, count schedulertest.GPU) (schedulertest.Session, error) {
	nodes, err := unpacked(filepath.Join(dir, "openb_node_list_all_node.csv.gz"))
	if err != nil {
		return schedulertest.Session{}, err
	}
	defer nodes.Close()
	pods, err := unpacked(filepath.Join(dir, "openb_pod_list_default.csv.gz"))
	if err != nil {
		return schedulertest.Session{}, err
	}
	defer pods.Close()
	return schedulertest.OpenB(nodes, pods, count)
}

// packed is an open file that is read unpacked.
type packed struct {
	*gzip.Reader
	file *os.File
}

func (p packed) Close() error { return p.file.Close() }

func unpacked(path string) (packed, error) {
	file, err := os.Open(path)
	if err != nil {
		return packed{}, err
	}
	z, err := gzip.NewReader(file)
	if err != nil {
		file.Close()
		return packed{}, err
	}
	return packed{z, file}, nil
}
