package loadmodel

import "time"

// Dialect of a configuration. Two programs were called Cluster Loader and read almost the same
// files: the one in Go (origin, that of OCP 5) and the one in Python (svt, for OpenShift 3).
type Dialect string

// The dialects.
const (
	Go     Dialect = "Go"
	Python Dialect = "Python"
)

// File is a configuration of the dialect Go, OCP tables 5.1 to 5.7; one of the dialect Python is
// the Config alone. Fields that the document does not have are those of the programs' sources.
type File struct {
	// Provider is the cloud of end-to-end tests. It changes nothing here.
	Provider string  `json:"provider,omitempty"`
	Config   *Config `json:"ClusterLoader" check:"required"`
}

// Config is a configuration.
type Config struct {
	// Cleanup deletes what the run has made, in the end.
	Cleanup bool `json:"cleanup,omitempty"`
	// Threads is the number of projects that are filled at once.
	Threads int `json:"threads,omitempty" check:"min=1,max=1000"`
	// IfExists at this place was never read by either program.
	IfExists   string      `json:"ifexists,omitempty"`
	Projects   []Project   `json:"projects" check:"required"`
	TuningSets []TuningSet `json:"tuningsets,omitempty"`
	Quotas     []Named     `json:"quotas,omitempty"`
	Sync       *Sync       `json:"sync,omitempty"`
}

// Project is a number of equal projects, on Kubernetes namespaces.
type Project struct {
	// Num projects are made; their names are Basename and an index from 0.
	Num      int    `json:"num" check:"required,min=0,max=1000000"`
	Basename string `json:"basename" check:"required"`
	// IfExists says what happens with a project of the same name: reuse takes it, delete replaces it;
	// otherwise it is an error.
	IfExists string `json:"ifexists,omitempty" check:"enum=reuse|delete|default"`
	// Tuning names a tuning set, Quota a quota.
	Tuning       string            `json:"tuning,omitempty"`
	Quota        string            `json:"quota,omitempty"`
	Labels       map[string]string `json:"labels,omitempty" check:"plain"`
	NodeSelector string            `json:"nodeselector,omitempty"`
	// ConfigMaps and Secrets are paths of files by name.
	ConfigMaps any     `json:"configmaps,omitempty"`
	Secrets    any     `json:"secrets,omitempty"`
	Users      []User  `json:"users,omitempty"`
	Services   []Entry `json:"services,omitempty"`
	RCs        []Entry `json:"rcs,omitempty"`
	Pods       []Entry `json:"pods,omitempty"`
	Templates  []Entry `json:"templates,omitempty"`
}

// Entry is a number of equal pods, templates, services or replication controllers.
type Entry struct {
	// Num of them; of pods in the dialect Python a share of Total in percent.
	Num int `json:"num,omitempty" check:"min=0,max=10000000"`
	// Total stands alone in the first entry of pods (Python).
	Total    int    `json:"total,omitempty" check:"min=0,max=10000000"`
	Basename string `json:"basename,omitempty"`
	// Image of the one container, where no File is given.
	Image string `json:"image,omitempty"`
	// File of the object or template; "default" is built in.
	File string `json:"file,omitempty"`
	// Replicas of a replication controller.
	Replicas *int `json:"replicas,omitempty" check:"min=0,max=1000000"`
	// Parameters are a mapping, or a list of mappings; of templates their parameters, of pods
	// environment variables of the first container.
	Parameters any       `json:"parameters,omitempty"`
	Sync       *Sync     `json:"sync,omitempty"`
	Storage    []Storage `json:"storage,omitempty"`
}

// Storage of pods (Python). Only the type none can be made anywhere.
type Storage struct {
	Num             int      `json:"num,omitempty"`
	Type            string   `json:"type" check:"required,enum=none|ebs|ceph|nfs|gluster"`
	MountDir        string   `json:"mountdir,omitempty"`
	FSType          string   `json:"fstype,omitempty"`
	PVPermissions   string   `json:"pvpermissions,omitempty"`
	PVCPermissions  string   `json:"pvcpermissions,omitempty"`
	EBSVolumeSize   any      `json:"ebsvolumesize,omitempty"`
	EBSVType        string   `json:"ebsvtype,omitempty"`
	EBSRegion       string   `json:"ebsregion,omitempty"`
	EBSTagPrefix    string   `json:"ebstagprefix,omitempty"`
	CephPool        string   `json:"cephpool,omitempty"`
	CephImageSize   any      `json:"cephimagesize,omitempty"`
	CephMonitors    []string `json:"cephmonitors,omitempty"`
	CephSecretName  string   `json:"cephsecretname,omitempty"`
	CephSecret      string   `json:"cephsecret,omitempty"`
	NFSServer       string   `json:"nfsserver,omitempty"`
	NFSPath         string   `json:"nfspath,omitempty"`
	GlusterEndpoint string   `json:"glusterendpoint,omitempty"`
	GlusterPath     string   `json:"glusterpath,omitempty"`
}

// User is a number of users with a role in the project (Python).
type User struct {
	Num          int    `json:"num" check:"required,min=0,max=100000"`
	Role         string `json:"role" check:"required"`
	Basename     string `json:"basename" check:"required"`
	Password     string `json:"password,omitempty"`
	UserPassFile string `json:"userpassfile,omitempty"`
}

// Named is a file by name.
type Named struct {
	Name string `json:"name" check:"required"`
	File string `json:"file" check:"required"`
}

// TuningSet is a pace by name, OCP table 5.4.
type TuningSet struct {
	Name      string `json:"name" check:"required"`
	Pods      Tuning `json:"pods,omitempty"`
	Templates Tuning `json:"templates,omitempty"`
}

// Tuning is the pace of one kind of object, OCP tables 5.5 and 5.6.
type Tuning struct {
	Stepping Stepping `json:"stepping,omitempty"`
	// RateLimit is the name that the document has, Ratelimit the one that its program reads.
	RateLimit *RateLimit `json:"rate_limit,omitempty"`
	Ratelimit *RateLimit `json:"ratelimit,omitempty"`
}

// Stepping makes a break after each step.
type Stepping struct {
	// StepSize objects make a step; 0 makes none.
	StepSize int `json:"stepsize,omitempty" check:"min=0,max=10000000"`
	// Pause after each step; a number alone is seconds.
	Pause Seconds `json:"pause,omitempty"`
	// Timeout of the wait for the pods of a step; a number alone is seconds.
	Timeout Seconds `json:"timeout,omitempty"`
}

// RateLimit makes a break after each object.
type RateLimit struct {
	// Delay between objects; a number alone is milliseconds.
	Delay Milliseconds `json:"delay,omitempty"`
}

// Sync waits for pods when all objects are made, OCP table 5.7.
type Sync struct {
	Server struct {
		Enabled bool `json:"enabled,omitempty"`
		Port    int  `json:"port,omitempty" default:"9090" check:"min=1,max=65535"`
	} `json:"server,omitempty"`
	// Running and Succeeded wait for the pods that Selectors match.
	Running   bool              `json:"running,omitempty"`
	Succeeded bool              `json:"succeeded,omitempty"`
	Selectors map[string]string `json:"selectors,omitempty" check:"plain"`
	// Timeout of the wait; 0 waits for ever.
	Timeout Seconds `json:"timeout,omitempty"`
}

// Rate is the tuning's, under whichever of its names.
func (t Tuning) Rate() RateLimit {
	for _, r := range []*RateLimit{t.RateLimit, t.Ratelimit} {
		if r != nil {
			return *r
		}
	}
	return RateLimit{}
}

// Pace is how the objects of a batch follow each other.
type Pace struct {
	// Step objects are made, then the pods of the step are waited for, for Timeout at most (0: for
	// ever), then comes a Pause. Step 0 makes no steps.
	Step           int
	Pause, Timeout time.Duration
	// Delay between the beginnings of two creations.
	Delay time.Duration
}

func (t Tuning) pace() Pace {
	s := t.Stepping
	return Pace{Step: s.StepSize, Pause: time.Duration(s.Pause), Timeout: time.Duration(s.Timeout),
		Delay: time.Duration(t.Rate().Delay)}
}
