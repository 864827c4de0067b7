package profile

// reloadRule says after which changes of profile texts the daemon of a node is reloaded.
type reloadRule string

// The changes that reload.
const (
	reloadAny     reloadRule = "any profile's text"
	reloadOwn     reloadRule = "the chosen profile's own text"
	reloadParents reloadRule = "the text of the chosen profile or of one that it includes"
)
