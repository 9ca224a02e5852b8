package hook

import (
	"fmt"
	"time"
)

// Outcome is what became of asking or telling a hook. The zero Outcome is a
// failure: nothing passes a gate that was not let through.
type Outcome int

// The outcomes of one hook.
const (
	Failed Outcome = iota
	Denied
	Continued
)

func (o Outcome) String() string { return [...]string{"error", "denied", "continued"}[o] }

// Cause is why a hook failed.
type Cause string

// The closed list of causes.
const (
	Aborted            Cause = "aborted"             // the call was cancelled, or the server ends
	Timeout            Cause = "timeout"             // ran longer than timeout_ms
	Signal             Cause = "signal"              // a signal ended it
	ExitCode           Cause = "exit_code"           // another code than 0 and, on a gate, 2
	TooMuchOutput      Cause = "output_too_large"    // more than MaxOutput
	InvalidOutput      Cause = "invalid_output"      // neither nothing nor one decision
	MissingScript      Cause = "missing_script"      // no such file in the folder
	MissingProgram     Cause = "missing_program"     // not on the PATH of commands
	MissingInterpreter Cause = "missing_interpreter" // of the script's first line
	NotExecutable      Cause = "not_executable"
	NoFormat           Cause = "no_format" // neither a program nor a script with a first line
	LinkOut            Cause = "link_out"  // the script is a link that leaves the folder
	NoFolder           Cause = "no_folder" // the session's folder is not there
	NotStarted         Cause = "not_started"
	Unprepared         Cause = "no_effects" // it looks at effects and there are none
)

// MaxOutput bounds what a hook may print, stdout and stderr together, in bytes.
const MaxOutput = 1 << 20

// Verdict is what one hook's run means, and that of a gate as a whole.
type Verdict struct {
	Outcome Outcome
	Hook    string // empty when no hook stopped the gate

	// Reason says to the model why the hook denied, Message says something to
	// the person; both may be empty.
	Reason, Message string
	// Bare says that the hook denied by exit code 2 without a decision.
	Bare bool

	// Cause and What say why the hook failed. What follows the hook's name in
	// a sentence and has nothing in it that the hook printed.
	Cause Cause
	What  string
}

// Receipt is the record of one hook that was selected.
type Receipt struct {
	Verdict
	Event    Name
	Tool     string // identity; empty for events that are no tool's
	Code     int    // exit code, as of proc.Exit; zero also when it did not run
	Duration time.Duration
}

// Ending is how the process of a hook ended.
type Ending struct {
	NotRun   Cause // why there was no process; empty when there was one
	Aborted  bool
	TimedOut bool
	Flooded  bool // more than MaxOutput was printed
	Signal   string
	Code     int
	Stdout   []byte // whole unless Flooded
}

// Judge says what an ending means for an event. Only exit code 0 with no output
// or with a decision, and on a gate exit code 2, are answers.
func (m *Manifest) Judge(event Name, e Ending) Verdict {
	v := Verdict{Hook: m.Name}
	switch {
	case e.NotRun != "":
		v.Cause = e.NotRun
	case e.Flooded:
		v.Cause = TooMuchOutput
	case e.TimedOut:
		v.Cause = Timeout
	case e.Aborted:
		v.Cause = Aborted
	case e.Signal != "":
		v.Cause = Signal
	case e.Code == 2 && event.Gate():
		v.Outcome, v.Bare = Denied, true
		// What it prints cannot weaken the denial, only give a reason for it.
		if a, err := parseAnswer(e.Stdout); err == nil && a.deny {
			v.Reason, v.Message, v.Bare = a.reason, a.message, false
		}
		return v
	case e.Code != 0:
		v.Cause = ExitCode
	default:
		return m.answered(event, e.Stdout, v)
	}
	v.What = m.what(v.Cause, e)
	return v
}

// answered judges what a hook printed that ended well.
func (m *Manifest) answered(event Name, stdout []byte, v Verdict) Verdict {
	if len(stdout) == 0 {
		v.Outcome = Continued
		return v
	}
	a, err := parseAnswer(stdout)
	switch {
	case err != nil:
		v.Cause, v.What = InvalidOutput, m.what(InvalidOutput, Ending{})+": "+err.Error()
	case a.deny && !event.Gate():
		v.Cause, v.What = InvalidOutput, fmt.Sprintf("%s: it denied %s, which is only told", m.what(InvalidOutput, Ending{}), event)
	case a.deny:
		v.Outcome, v.Reason, v.Message = Denied, a.reason, a.message
	default:
		v.Outcome, v.Reason, v.Message = Continued, a.reason, a.message
	}
	return v
}

// Fail is the verdict on a hook that was not run.
func (m *Manifest) Fail(c Cause) Verdict {
	return Verdict{Hook: m.Name, Cause: c, What: m.what(c, Ending{})}
}

func (m *Manifest) what(c Cause, e Ending) string {
	switch c {
	case Aborted:
		return "was cancelled before it answered"
	case Timeout:
		return fmt.Sprintf("gave no answer within %s (timeout_ms)", m.Timeout)
	case Signal:
		return "was ended by " + e.Signal
	case ExitCode:
		switch e.Code {
		case 126, 127: // what env and shells say
			return fmt.Sprintf("ended with exit code %d, as when a program that it needs is missing or not executable", e.Code)
		}
		return fmt.Sprintf("ended with exit code %d, which is no answer", e.Code)
	case TooMuchOutput:
		return fmt.Sprintf("printed more than %d bytes", MaxOutput)
	case InvalidOutput:
		return "gave no valid answer"
	case MissingScript:
		return fmt.Sprintf("could not be started: its script %s is missing", m.Command)
	case MissingProgram:
		return fmt.Sprintf("could not be started: its program %s is not on the PATH of commands", m.Command)
	case MissingInterpreter:
		return fmt.Sprintf("could not be started: the interpreter that the first line of %s names is missing", m.Command)
	case NotExecutable:
		return fmt.Sprintf("could not be started: %s or its interpreter is not executable", m.Command)
	case NoFormat:
		return fmt.Sprintf("could not be started: %s is no program and has no first line that names an interpreter", m.Command)
	case LinkOut:
		return fmt.Sprintf("was not started: %s leads out of the folder of the hook", m.Command)
	case NoFolder:
		return "could not be started: the folder of the session is not there"
	case Unprepared:
		return "looks at the effects of a call, and this call has none that were prepared"
	default:
		return "could not be started"
	}
}
