//go:build unix

package proc

// table is the process table with its tree.
type table struct {
	all      []process
	index    map[int]int   // pid to place in all
	children map[int][]int // pid to places in all
}

func newTable() table {
	t := table{all: processes(), index: map[int]int{}, children: map[int][]int{}}
	for i, p := range t.all {
		t.index[p.pid] = i
		t.children[p.parent] = append(t.children[p.parent], i)
	}
	return t
}

// walk visits a process and all below it. The table is no snapshot, so a reused
// pid could close a circle: each is visited once.
func (t table) walk(root int, visit func(int)) {
	seen := map[int]bool{root: true}
	for queue := []int{root}; len(queue) > 0; queue = queue[1:] {
		visit(queue[0])
		for _, child := range t.children[t.all[queue[0]].pid] {
			if !seen[child] {
				seen[child] = true
				queue = append(queue, child)
			}
		}
	}
}

// ancestry returns pid and all above it.
func (t table) ancestry(pid int) map[int]bool {
	pids := map[int]bool{}
	for i, ok := t.index[pid]; ok && !pids[t.all[i].pid]; i, ok = t.index[t.all[i].parent] {
		pids[t.all[i].pid] = true
	}
	return pids
}

// alive reports whether the server that set a mark is running.
func (t table) alive(o owner) bool {
	i, ok := t.index[o.pid]
	return ok && t.all[i].started == o.started && !t.all[i].dead
}
