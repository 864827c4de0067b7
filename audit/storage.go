package audit

// storageTests are about volumes, classes and the registry.
var storageTests = []test{}
