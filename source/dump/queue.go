package dump

import (
	"regexp"
	"runtime"
)

// job is a file on its way to be read.
type job struct {
	name string
	text []byte
	// pod is the key of the only object of a file of a must-gather, that may have been read as one of a list.
	pod string
	decoded
	done  chan struct{}
	fault any // what reading it panicked with
}

func (j *job) run() {
	defer func() {
		j.fault, j.text = recover(), nil
		close(j.done)
	}()
	j.decoded = decode(j.name, j.text)
}

// podFile is how a must-gather has a pod of a list once more.
var podFile = regexp.MustCompile(`(?:^|/)namespaces/([^/]+)/pods/([^/]+)/([^/]+)\.yaml$`)

// most goroutines that read files: each has one in memory, and as many wait.
const most = 4

// all has several goroutines read files. Their objects are handed on in the order of the files, by one goroutine.
func (r *Reader) all(each func(take func(name string, text []byte))) error {
	n := min(most, max(1, runtime.GOMAXPROCS(0)))
	work, order, ended := make(chan *job, n), make(chan *job, n), make(chan any)
	for range n {
		go func() {
			for j := range work {
				j.run()
			}
		}()
	}
	go func() {
		var fault any
		for j := range order {
			if f := r.collect(j); fault == nil {
				fault = f
			}
		}
		ended <- fault
	}()
	each(func(name string, text []byte) {
		j := &job{name: name, text: text, done: make(chan struct{})}
		if m := podFile.FindStringSubmatch(name); m != nil && m[2] == m[3] {
			j.pod = Object{APIVersion: "v1", Kind: "Pod", Namespace: m[1], Name: m[2]}.key()
		}
		order <- j
		if j.pod == "" {
			work <- j
		}
	})
	close(work)
	close(order)
	if fault := <-ended; fault != nil {
		panic(fault) // where the caller catches it
	}
	r.Passed, r.late = append(r.Passed, r.late...), nil
	return r.err()
}

// collect hands on what a file holds. It returns what reading it panicked with.
func (r *Reader) collect(j *job) (fault any) {
	if j.pod != "" {
		if r.known[j.pod] {
			return nil
		}
		j.run()
	}
	<-j.done
	for _, o := range j.objects {
		r.hand(o)
	}
	r.late = append(r.late, j.passed...)
	return j.fault
}

// resource is how a must-gather has the objects of a kind: in a file of its plural's name, or in a directory of that.
var resource = regexp.MustCompile(`(?:^|/)(?:cluster-scoped-resources|namespaces/[^/]+)/[^/]+/` +
	`([^/.]+)(?:\.[^/.]+|/.+)$`)

// secrets are the files of a must-gather that hold them.
var secrets = regexp.MustCompile(`(?i)(?:^|/)core/secrets(?:/.+|\.ya?ml|\.json)$`)

// Resource is the plural of the kind of which a must-gather has objects in a file, such as events; empty where its path
// does not say that.
func Resource(path string) string {
	m := resource.FindStringSubmatch(path)
	switch {
	case secrets.MatchString(path): // wherever the directory begins
		return "secrets"
	case m == nil:
		return ""
	case podFile.MatchString(path):
		return "pods"
	}
	return m[1]
}
