package audit

// monitoringTests are about the cluster's monitoring.
var monitoringTests = []test{}
