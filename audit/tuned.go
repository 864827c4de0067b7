package audit

// tunedTests are about profiles of nodes, and what loads leave behind.
var tunedTests = []test{}
