package v1alpha1

// Build is the program that made a document: an artefact can be traced to its source by it.
type Build struct {
	// Version is that of a release, or one that is made of the commit's time and name.
	Version string `json:"version"`
	// Commit is the whole name of the commit; empty where the build doesn't know it.
	Commit string `json:"commit,omitempty"`
}

func (b Build) String() string {
	if b.Commit == "" {
		return b.Version
	}
	return b.Version + ", commit " + b.Commit[:min(len(b.Commit), shortCommit)]
}

// shortCommit is as much of a commit's name as is shown to people.
const shortCommit = 12
