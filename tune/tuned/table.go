package tuned

// table holds options by key, in the order in which the keys came, as Python's
// dictionaries do: a value that is replaced stays in its place, a key that is
// taken out and comes back goes to the end. The zero table is empty.
type table struct {
	list  []Option
	index map[string]int
}

// few is the number of options up to which a table has no index.
const few = 12

func (t *table) find(key string) int {
	if t.index != nil {
		if i, ok := t.index[key]; ok {
			return i
		}
		return -1
	}
	for i := range t.list {
		if t.list[i].Key == key {
			return i
		}
	}
	return -1
}

// get returns the option of a key, or nil.
func (t *table) get(key string) *Option {
	if i := t.find(key); i >= 0 {
		return &t.list[i]
	}
	return nil
}

func (t *table) set(o Option) {
	if i := t.find(o.Key); i >= 0 {
		t.list[i] = o
		return
	}
	if t.index != nil {
		t.index[o.Key] = len(t.list)
	}
	if t.list = append(t.list, o); t.index == nil && len(t.list) > few {
		t.reindex()
	}
}

// drop takes a key out and says whether it was there.
func (t *table) drop(key string) bool {
	i := t.find(key)
	if i < 0 {
		return false
	}
	t.list = append(t.list[:i], t.list[i+1:]...)
	if t.index != nil {
		t.reindex()
	}
	return true
}

func (t *table) reindex() {
	t.index = make(map[string]int, len(t.list))
	for i := range t.list {
		t.index[t.list[i].Key] = i
	}
}

// clone copies the table, so that the copy can change.
func (t *table) clone() table {
	c := table{list: append([]Option(nil), t.list...)}
	if len(c.list) > few {
		c.reindex()
	}
	return c
}
