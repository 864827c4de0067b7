package audit

// machineTests are about machines, machine sets and health checks.
var machineTests = []test{}
