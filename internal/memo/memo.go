// Package memo keeps what a function has worked out. It forgets nothing, so it is for few keys: kinds, releases.
//
//	fields := memo.Once(read)
//	fields("4.14")
package memo

import "sync"

// Once is a function that works out the value of each key once; several goroutines may call it.
func Once[K comparable, V any](of func(K) V) func(K) V {
	var known sync.Map
	return func(k K) V {
		f, ok := known.Load(k)
		if !ok {
			f, _ = known.LoadOrStore(k, sync.OnceValue(func() V { return of(k) }))
		}
		return f.(func() V)()
	}
}
