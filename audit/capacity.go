package audit

// capacityTests are about room, and what is asked of it.
var capacityTests = []test{}
