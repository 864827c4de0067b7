// Package workers runs a load from several machines: as an Indexed Job, each pod of which fills its share of the
// namespaces and leaves its result in config maps, which are merged.
//
// It does not measure: each worker is a run of engine/load, which knows nothing of the others. The Job runs in the
// cluster under test or in another one ("home"). All workers begin when the Job says that all are ready. They need few
// rights (Rules), and none to delete anything: what they make carries the label of the run, by which whoever started
// them takes it away.
//
//	result, err := workers.Run(ctx, home, target, task, workers.Options{Image: "registry.example/plimsoll:1"})
package workers
