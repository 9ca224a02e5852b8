//go:build unix

package proc

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	termTime  = 500 * time.Millisecond // from TERM to KILL
	killTime  = 2 * time.Second        // from KILL to giving up, for what may not be signalled
	firstLook = time.Millisecond       // pause before the second scan, doubled up to lastLook
	lastLook  = 20 * time.Millisecond
	settleFor = 50 * time.Millisecond // for a process that has closed its output to exit
)

// process is one row of the process table.
type process struct {
	id
	parent, group, session int
	name                   string
	exiting                bool // on its way out: runs no more code of its own
	changing               bool // within exec: has no environment to look at
	dead                   bool // a zombie
	shared                 bool // may belong to another command
}

// tree has no state on Unix: the kernel's table is asked when needed.
type tree struct{}

func (tree) attach(*os.Process) {}

// isolate gives the command a session of its own: own group, no terminal.
func isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = sysProcAttr()
}

func signalOf(state *os.ProcessState) (int, string) {
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return 0, ""
	}
	return int(status.Signal()), unix.SignalName(status.Signal())
}

// survivors reports whether anything of c but its own process may still be
// there. It is cheap when nothing is.
func (r *Runner) survivors(c *command) bool {
	// From here on no other command leaves an orphan to c; what was left to it
	// before is in the list.
	r.mu.Lock()
	c.leaving = true
	r.mu.Unlock()
	if orphans, ok := orphans(); ok && len(orphans) == 0 {
		return false
	}
	running, settling := r.members(c)
	return len(running) > 0 || settling
}

// settle gives what has closed its output a moment to exit by itself: many
// programs close it some time before they do, and they are not left behind.
func (r *Runner) settle(c *command) {
	timer := time.NewTimer(firstLook)
	defer timer.Stop()
	for began, pause := time.Now(), firstLook; time.Since(began) < settleFor; pause *= 2 {
		<-timer.C
		if !r.survivors(c) {
			return
		}
		timer.Reset(pause)
	}
}

// end ends all of c, its own process too, and returns what else was running.
func (r *Runner) end(c *command) []Survivor {
	termed := false
	ended := endAll(nil, func() ([]process, bool) { return r.members(c) }, func(p process, sig syscall.Signal) {
		// The group is signalled as a whole, so that it cannot outrun us by
		// forking. Its number is ours as long as c has not been waited for.
		if p.group != c.pid {
			signalExactly(p.id, sig)
			return
		}
		if sig == unix.SIGKILL || !termed {
			termed = true
			_ = unix.Kill(-c.pid, sig) // gone already is what we want
		}
	})
	var left []Survivor
	for _, p := range ended {
		if p.pid != c.pid {
			left = append(left, Survivor{PID: p.pid, Name: p.name, Ended: !p.stayed, Shared: p.shared})
		}
	}
	return left
}

// outcome is a process that endAll found.
type outcome struct {
	process
	stayed bool
}

// endAll signals what scan finds, first TERM, then KILL, until scan finds
// nothing or killTime has passed. Each process gets TERM once. Grandchildren
// give no event to wait for, hence the repeated scans.
func endAll(stop <-chan struct{}, scan func() (running []process, settling bool), signal func(process, syscall.Signal)) []outcome {
	var found []outcome
	began := time.Now()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for pause := firstLook; ; pause = min(2*pause, lastLook) {
		running, settling := scan()
		spent := time.Since(began)
		for _, p := range running {
			known := slices.ContainsFunc(found, func(o outcome) bool { return o.id == p.id })
			if !known {
				found = append(found, outcome{process: p})
			}
			switch {
			case spent >= termTime:
				signal(p, unix.SIGKILL)
			case !known:
				signal(p, unix.SIGTERM)
			}
		}
		if len(running) == 0 && !settling {
			return found
		}
		timer.Reset(pause)
		select {
		case <-timer.C:
		case <-stop:
			spent = termTime + killTime
		}
		if spent >= termTime+killTime {
			for i, o := range found {
				found[i].stayed = slices.ContainsFunc(running, func(p process) bool { return p.id == o.id })
			}
			return found
		}
	}
}

// signalExactly signals a process unless its pid has passed to another one. On
// Linux os.FindProcess pins the process by a pidfd, which makes the check safe.
func signalExactly(p id, sig syscall.Signal) {
	handle, err := os.FindProcess(p.pid)
	if err != nil {
		return
	}
	defer handle.Release()
	if started, err := startOf(p.pid); err == nil && started == p.started {
		_ = handle.Signal(sig) // not permitted shows in the next scan
	}
}

// members returns what is running of c, its own process included; settling
// means that nothing more than waiting is needed for some of it. It also
// collects dead orphans.
func (r *Runner) members(c *command) (running []process, settling bool) {
	table := newTable()
	r.mu.Lock()
	defer r.mu.Unlock()
	c.leaving = true
	of, settling := r.attribute(table, c)
	for i, p := range table.all {
		if of[i] != c || p.dead {
			continue
		}
		if p.exiting {
			settling = true
			continue
		}
		p.shared = r.disputed[p.id]
		running = append(running, p)
	}
	return running, settling
}

// attribute tells for each process of the table whose it is. What nobody else
// can claim goes to c, which is leaving. settling means that something has to be
// looked at again. r.mu is held.
func (r *Runner) attribute(t table, c *command) (of []*command, settling bool) {
	maps.DeleteFunc(r.disputed, func(key id, _ bool) bool {
		i, ok := t.index[key.pid]
		return !ok || t.all[i].id != key
	})
	of = make([]*command, len(t.all))
	sessions := map[int]*command{}
	claim := func(root int, by *command) {
		t.walk(root, func(i int) {
			of[i] = by
			sessions[t.all[i].session] = by
		})
	}
	marks := map[mark]*command{}
	for cmd := range r.running {
		marks[cmd.mark] = cmd
		sessions[cmd.pid] = cmd
		if i, ok := t.index[cmd.pid]; ok {
			claim(i, cmd)
		}
	}
	// The table is older than the list of orphans. One that it lacks was born
	// meanwhile, by a parent that the table may show as dead.
	roots, complete := t.roots(r)
	settling = !complete
	var unknown []int
	for _, i := range roots {
		if of[i] != nil {
			continue
		}
		if r.collect(t.all[i]) {
			continue
		}
		m, marked, sure := markOf(t.all[i])
		switch by := marks[m]; {
		case by != nil:
			claim(i, by)
		case !sure:
			settling = true
		case marked && m.owner == r.owner && m.runner != r.nonce:
			// Another Runner of this process looks after it.
		default:
			unknown = append(unknown, i)
		}
	}
	for _, i := range unknown {
		p := t.all[i]
		if by := sessions[p.session]; by != nil {
			claim(i, by)
			continue
		}
		if !adopts || p.started < r.host.opened {
			continue // may be anybody's
		}
		if r.claimed(p, c) {
			r.disputed[p.id] = true
			continue
		}
		claim(i, c)
	}
	return of, settling
}

// claimed reports whether another command that goes on was running already when
// p was born.
func (r *Runner) claimed(p process, c *command) bool {
	for other := range r.running {
		if other != c && !other.leaving && other.born <= p.started {
			return true
		}
	}
	return false
}

// EndMarkedOrphans ends what commands of dead servers left running: each
// process with the mark of a server that is no more, and what it started. It is
// meant for the start of a server and touches nothing of living ones. It stops
// early when ctx ends.
func EndMarkedOrphans(ctx context.Context) []Survivor {
	space := pidSpace()
	scan := func() (running []process, settling bool) {
		t := newTable()
		spared := t.ancestry(os.Getpid())
		taken := map[int]bool{}
		for i, p := range t.all {
			if p.dead || spared[p.pid] {
				continue
			}
			m, ok, _ := markOf(p)
			if !ok || m.owner.space != space || t.alive(m.owner) {
				continue
			}
			t.walk(i, func(i int) { taken[i] = true })
		}
		for i := range taken {
			switch p := t.all[i]; {
			case p.dead || spared[p.pid]:
			case p.exiting:
				settling = true
			default:
				running = append(running, p)
			}
		}
		return running, settling
	}
	var left []Survivor
	for _, o := range endAll(ctx.Done(), scan, func(p process, sig syscall.Signal) { signalExactly(p.id, sig) }) {
		left = append(left, Survivor{PID: o.pid, Name: o.name, Ended: !o.stayed})
	}
	return left
}
