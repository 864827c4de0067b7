package audit

// etcdTests are about etcd.
var etcdTests = []test{}
