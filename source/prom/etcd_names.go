package prom

// wanted are the metrics that are kept of a file: those that the expressions of [Etcd] are about.
var wanted = map[string]bool{"etcd_disk_wal_fsync_duration_seconds_bucket": true, "etcd_disk_backend_commit_duration_seconds_bucket": true,
	"etcd_server_leader_changes_seen_total": true, "etcd_server_has_leader": true, "etcd_mvcc_db_total_size_in_bytes": true}
