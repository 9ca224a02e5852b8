package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Options says which session a Log writes, and how.
type Options struct {
	// Folder is the state folder, absolute. It is made when missing.
	Folder string
	// Session names the session's folder: 1 to 128 letters, digits, dots, dashes
	// and underscores.
	Session string
	// Mask lists values that must not be recorded. Empty ones are ignored.
	Mask []string
	// Clock is the time of records. Nil means time.Now.
	Clock func() time.Time
	// NoSync leaves out every sync: nothing then survives a power cut. It is for
	// measuring.
	NoSync bool
	// Crash is for tests of binaries built with the tag crashpoints.
	Crash Crash
}

// Log writes one session, as the only process that does. Its methods may be
// called at once; Close comes after them.
type Log struct {
	options Options
	folder  string
	masker  masker
	cut     []Fault

	resolving sync.Mutex // one look at what is uncertain, and the verdict on it

	mu      sync.Mutex
	file    *os.File // nil when closed
	path    string
	size    int64 // of the intact records; what lies behind is torn
	torn    bool  // something may lie behind size
	seq     uint64
	hash    string
	next    *flush          // collects those who wait for the next sync
	running map[uint64]bool // started, not settled; whether idempotent

	disk   sync.Mutex // one sync at a time
	placed bool       // guarded by disk: the names of the files are durable too
}

// Open begins a segment of a session, which may be new or one that an earlier
// process wrote. A torn last record of that process is cut off; Cut tells.
//
// Errors: ErrBusy while another process writes the session; ErrUnsafe for a
// folder that somebody else owns or may write; the system's own for a full or
// read-only disk and for a file system without locks.
func Open(o Options) (*Log, error) {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	l, err := open(o)
	if err != nil {
		return nil, fmt.Errorf("open the ledger of session %s: %w", o.Session, err)
	}
	return l, nil
}

func open(o Options) (*Log, error) {
	if err := checkSession(o.Session); err != nil {
		return nil, err
	}
	m, err := newMasker(o.Mask)
	if err != nil {
		return nil, err
	}
	folder, release, err := enter(o.Folder, o.Session)
	if err != nil {
		return nil, err
	}
	defer release()
	l := &Log{options: o, folder: folder, masker: m, running: map[uint64]bool{}}
	number, err := l.follow()
	if err != nil {
		return nil, err
	}
	if err := l.begin(number); err != nil {
		return nil, err
	}
	return l, nil
}

// enter makes the session's folder and locks it. Again and again, when somebody
// prunes the folder between the two; that there is an end to it only keeps a
// broken file system from holding us.
func enter(state, session string) (folder string, release func(), err error) {
	for range 1000 {
		if folder, err = makeFolders(state, session); err == nil {
			release, err = lockSession(folder)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return folder, release, err
}

// lockSession keeps others from making or removing segments of a session. A
// writer holds it only while it opens. It wraps fs.ErrNotExist when the folder
// is gone.
func lockSession(folder string) (release func(), err error) {
	path := filepath.Join(folder, openingLock)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lock(f); err != nil {
		f.Close()
		return nil, fmt.Errorf("%w; the file system may have no locks: set ledger.folder to one that has", err)
	}
	// While we waited, the holder may have removed the folder and all in it.
	now, err := os.Stat(path)
	mine, e := f.Stat()
	if err == nil && e == nil && !os.SameFile(now, mine) {
		err = fs.ErrNotExist
	}
	if err = errors.Join(err, e); err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}

// follow takes up sequence and chain where the segment before ends, and returns
// the number of the new one.
func (l *Log) follow() (uint64, error) {
	numbers, err := segmentsIn(l.folder)
	if err != nil || len(numbers) == 0 {
		return 1, err
	}
	last := numbers[len(numbers)-1]
	for i := len(numbers) - 1; i >= 0; i-- {
		path := filepath.Join(l.folder, segmentName(numbers[i]))
		scan := scanner{session: l.options.Session, path: path}
		for _, fault := range scan.all {
			if fault != nil && fault.Kind == Unreadable {
				return 0, fmt.Errorf("continue after %w", fault)
			}
		}
		if scan.live {
			return 0, fmt.Errorf("%s is locked by its writer, process %d: %w", path, scan.header.Process, ErrBusy)
		}
		if scan.torn != nil && i == len(numbers)-1 {
			if err := cutTail(path, scan.end); err != nil {
				return 0, fmt.Errorf("cut off the torn end of %s: %w", path, err)
			}
			l.cut = append(l.cut, *scan.torn)
		}
		// Never an id twice: what was lost at the end had its own.
		l.seq = max(l.seq, scan.seq)
		if l.hash = scan.hash; l.hash != "" {
			break
		}
	}
	return last + 1, nil
}

// cutTail drops what lies behind the intact records of a dead process's
// segment, under its lock.
func cutTail(path string, size int64) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := lock(f); err != nil {
		return err
	}
	if err := f.Truncate(size); err != nil {
		return err
	}
	return f.Sync()
}

// begin makes the segment and writes its first line.
func (l *Log) begin(number uint64) error {
	l.path = filepath.Join(l.folder, segmentName(number))
	f, err := os.OpenFile(l.path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	l.file = f
	header := Segment{Format: Format, Session: l.options.Session, Process: os.Getpid(), Previous: l.hash}
	err = lock(f)
	if err == nil {
		// Its seq is that of the record before it, so that the first call of a
		// session is ex-1.
		l.hash = ""
		err = l.first(header)
	}
	for _, c := range l.cut {
		if err == nil {
			err = l.Note(Note{Text: "cut off: " + c.Error()})
		}
	}
	if err != nil {
		f.Close()
		os.Remove(l.path)
	}
	return err
}

func (l *Log) first(s Segment) error {
	data, err := encodeData(s)
	if err != nil {
		return err
	}
	_, _, err = l.write(&Record{Kind: KindSegment, Data: data}, false)
	return err
}

// Session is the id of the session that the log writes.
func (l *Log) Session() string { return l.options.Session }

// Cut tells what Open cut off the segment before.
func (l *Log) Cut() []Fault { return l.cut }

// Started records a call before its handler runs and gives its execution id. It
// is durable on return unless the tool is idempotent. After an error nothing may
// run.
func (l *Log) Started(s Start) (execution string, err error) {
	r := &Record{Kind: KindStarted}
	err = l.append(r, s, !s.Idempotent)
	if err != nil {
		if r.Seq != 0 {
			// It was written, and only the sync of it did not succeed. Without
			// this it would look uncertain; if this is lost too, it does.
			_ = l.Note(void{Note{Execution: ExecutionID(r.Seq), Text: err.Error()}})
		}
		return "", fmt.Errorf("record the start: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running[r.Seq] = s.Idempotent
	return ExecutionID(r.Seq), nil
}

// void takes back a start.
type void struct{ Note }

func (void) kind() Kind { return KindVoided }

// Settled records the outcome of an execution that this log started. It is
// durable on return unless the tool is idempotent. After an error it may be tried
// again; an execution that is never settled is uncertain once the process ends.
func (l *Log) Settled(execution string, receipt Receipt) error {
	seq, ok := executionSeq(execution)
	l.mu.Lock()
	idempotent, running := l.running[seq]
	l.mu.Unlock()
	if !ok || !running {
		return fmt.Errorf("record the outcome: %q is not running in session %s: %w", execution, l.options.Session, ErrUnknown)
	}
	r := &Record{Kind: KindSucceeded, Execution: ExecutionID(seq)}
	if receipt.Failed {
		r.Kind = KindFailed
	}
	err := l.append(r, receipt, !idempotent)
	if r.Seq != 0 {
		l.mu.Lock()
		delete(l.running, seq)
		l.mu.Unlock()
	}
	if err != nil {
		return fmt.Errorf("record the outcome of %s: %w", execution, err)
	}
	return nil
}

// Note records an event. It survives the end of the process; it survives a power
// cut once a later start or receipt was recorded. Only what becomes of questions
// is durable on return: a person saw them.
func (l *Log) Note(e Event) error {
	r := &Record{Kind: e.kind()}
	if ex := e.execution(); ex != "" {
		seq, ok := executionSeq(ex)
		if !ok {
			return fmt.Errorf("record a %s event: %q is not the id of an execution", e.kind(), ex)
		}
		r.Execution = ExecutionID(seq)
	}
	if err := l.append(r, e, r.Kind == KindInteraction); err != nil {
		return fmt.Errorf("record a %s event: %w", e.kind(), err)
	}
	return nil
}

// Resolve records a person's verdict on an uncertain execution of an earlier
// process of this session, durable on return. It wraps ErrUnknown when the
// execution is not uncertain.
func (l *Log) Resolve(execution string, v Verdict) error {
	if v != Rerun && v != Abandoned {
		return fmt.Errorf("resolve %s: verdict %q, want %s or %s", execution, v, Rerun, Abandoned)
	}
	l.resolving.Lock()
	defer l.resolving.Unlock()
	uncertain, err := Store{Folder: l.options.Folder}.Uncertain(l.options.Session)
	if err != nil {
		return fmt.Errorf("resolve %s: %w", execution, err)
	}
	for _, e := range uncertain {
		if e.ID == execution {
			return l.append(&Record{Kind: KindResolved, Execution: execution}, Resolution{v}, true)
		}
	}
	return fmt.Errorf("resolve %s: it is not among the %d uncertain executions of session %s: %w", execution, len(uncertain), l.options.Session, ErrUnknown)
}

// Close ends the segment. Executions that were not settled are uncertain from
// now on.
func (l *Log) Close() error {
	l.disk.Lock()
	defer l.disk.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	var err error
	if !l.options.NoSync {
		err = l.file.Sync()
	}
	err = errors.Join(err, l.file.Close())
	l.file = nil
	return err
}
