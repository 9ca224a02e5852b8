package walk

import (
	"context"
	"sync"
)

// task is a folder to read, or some entries of it to visit.
type task struct {
	dir   *dir
	visit []Entry
}

// queue hands tasks to workers, the newest first, so that few folders are open
// at once.
type queue struct {
	mu    sync.Mutex
	wake  sync.Cond
	tasks []task
	busy  int
}

func newQueue() *queue {
	q := &queue{}
	q.wake.L = &q.mu
	return q
}

func (q *queue) push(tasks ...task) {
	if len(tasks) == 0 {
		return
	}
	q.mu.Lock()
	q.tasks = append(q.tasks, tasks...)
	q.mu.Unlock()
	q.wake.Broadcast()
}

// run has n workers do the tasks and those that these push, and returns when
// none is left. When ctx ends, tasks that were not begun are only released.
func (q *queue) run(ctx context.Context, n int, do func(context.Context, int, task)) {
	var workers sync.WaitGroup
	for worker := range n {
		workers.Go(func() {
			for {
				t, ok := q.next()
				if !ok {
					return
				}
				if ctx.Err() == nil {
					do(ctx, worker, t)
				} else {
					t.dir.release()
				}
				q.done()
			}
		})
	}
	workers.Wait()
}

// next waits for a task. There is none when none is left and nobody works on one
// that could bring more.
func (q *queue) next() (task, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.tasks) == 0 && q.busy > 0 {
		q.wake.Wait()
	}
	n := len(q.tasks) - 1
	if n < 0 {
		return task{}, false
	}
	t := q.tasks[n]
	q.tasks[n] = task{}
	q.tasks = q.tasks[:n]
	q.busy++
	return t, true
}

func (q *queue) done() {
	q.mu.Lock()
	q.busy--
	over := q.busy == 0 && len(q.tasks) == 0
	q.mu.Unlock()
	if over {
		q.wake.Broadcast()
	}
}
