// A function without a body, as go:linkname leaves it, needs an assembly file in its package.
