package shellparse

// The tables in this file are data and never change.

// shells by base name.
var shells = map[string]shellKind{
	"bash": {}, "rbash": {}, "ksh": {}, "mksh": {}, "ksh93": {},
	"sh": {posix: true}, "dash": {posix: true}, "ash": {posix: true},
	"zsh": {foreign: true}, "fish": {foreign: true}, "csh": {foreign: true}, "tcsh": {foreign: true},
	"at": {posix: true}, "batch": {posix: true}, // both take shell text from their input
}

// wrappers are the programs that run another program. Options that a row does
// not have make the command uncertain, so a short row is safe.
var wrappers = map[string]wrapper{
	"env": {
		grammar: grammar{short: "i0u:C:S:v", long: "ignore-environment null unset= chdir= split-string= debug " +
			"block-signal=? default-signal=? ignore-signal=? list-signal-handling argv0= help version"},
		assigns: true, chdir: "C chdir", split: "S split-string",
	},
	"sudo": {
		grammar: grammar{short: "AaBbC:D:Eeg:Hh:iKklNnPp:R:r:SsT:t:U:u:Vv", long: "askpass background bell " +
			"close-from= chdir= preserve-env=? edit group= set-home help host= login remove-timestamp " +
			"reset-timestamp list no-update non-interactive preserve-groups prompt= chroot= role= stdin shell " +
			"command-timeout= type= other-user= user= version validate"},
		assigns: true, again: true, chdir: "D chdir", noHome: true, idle: "l list V version v validate", shell: "s shell i login",
	},
	"doas":    {grammar: grammar{short: "C:Lnsu:"}, shell: "s", noHome: true},
	"pkexec":  {grammar: grammar{long: "user= keep-cwd disable-internal-agent version help"}, noHome: true},
	"gosu":    {skip: 1, noHome: true},
	"su-exec": {skip: 1, noHome: true},
	"su": {
		grammar: grammar{short: "c:fg:G:lmpPs:Tw:hV", permute: true, long: "command= fast group= supp-group= login " +
			"preserve-environment pty shell= session-command= whitelist-environment= help version"},
		text: "c command session-command", shell: "*", skip: 1, login: true, noHome: true,
	},
	"runuser": {
		grammar: grammar{short: "u:c:fg:G:lmpPs:Tw:", long: "user= command= group= login shell= preserve-environment"},
		text:    "c command", shell: "*", noHome: true,
	},
	"command": {grammar: grammar{short: "pvV"}, idle: "v V", builtin: true},
	"builtin": {builtin: true},
	"exec":    {grammar: grammar{short: "cla:"}},
	"coproc":  {},
	"nohup":   {},
	"nice":    {grammar: grammar{short: "n:0123456789", long: "adjustment= help version"}},
	"ionice": {
		grammar: grammar{short: "c:n:p:P:u:t", long: "class= classdata= pid= pgid= uid= ignore"},
		idle:    "p pid P pgid u uid",
	},
	"timeout": {
		grammar: grammar{short: "k:s:vfp", long: "kill-after= signal= verbose foreground preserve-status"}, skip: 1,
	},
	"time": {
		grammar: grammar{short: "af:o:pqvV", long: "append format= output= portability quiet verbose"},
		out:     "o output",
	},
	"stdbuf":  {grammar: grammar{short: "i:o:e:", long: "input= output= error="}},
	"setsid":  {grammar: grammar{short: "cfw", long: "ctty fork wait"}},
	"chrt":    {grammar: grammar{short: "abfimorRT:P:D:v", long: "batch fifo idle other rr"}, skip: 1},
	"taskset": {grammar: grammar{short: "acp", long: "all-tasks cpu-list pid"}, skip: 1, idle: "p pid"},
	"setarch": setarch(1),
	"linux32": setarch(0), "linux64": setarch(0), "i386": setarch(0), "x86_64": setarch(0), "uname26": setarch(0),
	"prlimit": {
		grammar: grammar{
			short: "p:o:c::d::e::f::i::l::m::n::q::r::s::t::u::v::x::y::",
			long: "pid= output= noheadings raw verbose core=? data=? nice=? fsize=? sigpending=? memlock=? rss=? nofile=? " +
				"msgqueue=? rtprio=? stack=? cpu=? nproc=? as=? locks=? rttime=?",
		},
		idle: "p pid",
	},
	"setpriv": {
		grammar: grammar{short: "dhV", long: "dump nnp no-new-privs ambient-caps= inh-caps= bounding-set= ruid= euid= " +
			"rgid= egid= reuid= regid= clear-groups keep-groups init-groups groups= list-caps securebits= pdeathsig= " +
			"ptracer= selinux-label= apparmor-profile= landlock-access= landlock-rule= seccomp-filter= reset-env help version"},
		noHome: true, idle: "d dump list-caps",
	},
	"eatmydata":        {},
	"dbus-run-session": {grammar: grammar{long: "config-file= dbus-daemon= help version"}},
	"numactl":          {grammar: grammar{short: "i:N:m:C:l", long: "interleave= cpunodebind= membind= physcpubind= localalloc"}},
	"chroot": {
		grammar: grammar{long: "groups= userspec= skip-chdir"}, skip: 1, shell: "*", place: otherRoot, noHome: true,
	},
	"unshare": {
		grammar: grammar{short: "m::u::i::n::p::U::C::T::frcS:G:R:w:", long: "mount=? uts=? ipc=? net=? pid=? user=? " +
			"cgroup=? time=? fork map-root-user map-current-user mount-proc=? kill-child=? root= wd= setuid= setgid="},
		shell: "*", chdir: "w wd",
	},
	"nsenter": {
		grammar: grammar{short: "at:m::u::i::n::p::C::U::T::r::w::FS:G:e", long: "all target= mount=? uts=? ipc=? " +
			"net=? pid=? cgroup=? user=? time=? root=? wd=? no-fork setuid= setgid="},
		shell: "*", place: otherRoot,
	},
	"flock": {
		grammar: grammar{short: "sexnuw:E:oFc:v", long: "shared exclusive unlock nonblock wait= timeout= close " +
			"command= no-fork conflict-exit-code= verbose"},
		skip: 1, text: "c command",
	},
	"script": {
		grammar: grammar{short: "ac:efE:I:O:B:T:m:o:qt::", permute: true, long: "append command= return flush quiet " +
			"log-in= log-out= log-io= log-timing= logging-format= output-limit= echo= timing=?"},
		text: "c command", shell: "*", skip: 1, log: "typescript", out: "O B T I log-out log-io log-in log-timing",
	},
	"strace": {
		grammar: grammar{short: "a:b:cCdDe:E:fFhiI:kno:O:p:P:qrs:S:tTu:U:vVwxX:yYzZ"}, out: "o",
	},
	"ltrace":    {grammar: grammar{short: "a:A:cCD:e:fF:hiLl:n:o:p:rs:StTu:Vx:"}, out: "o"},
	"gdb":       {grammar: grammar{short: "qnx:", long: "args batch quiet ex= eval-command= command="}},
	"valgrind":  {grammar: grammar{short: "qvd", long: "tool= leak-check= log-file= error-exitcode= suppressions="}},
	"watch":     {grammar: grammar{short: "bcd::eghn:pq:tvwx", long: "beep color differences=? errexit chgexit interval= precise no-title exec"}, joined: true},
	"parallel":  {grammar: grammar{short: "j:kXmqa:n:N:L:I:v0", long: "jobs= keep-order"}, joined: true, unsure: true},
	"busybox":   {grammar: grammar{long: "list list-full install help"}},
	"toybox":    {grammar: grammar{long: "long help version"}},
	"fakeroot":  {grammar: grammar{short: "l:s:i:ub:hv"}},
	"xvfb-run":  {grammar: grammar{short: "ae:f:hn:lp:s:", long: "auto-servernum server-args="}},
	"tini":      {grammar: grammar{short: "sp:vwge:l"}},
	"dumb-init": {grammar: grammar{short: "cr:v"}},
	"unbuffer":  {grammar: grammar{short: "p"}},
	"faketime":  {grammar: grammar{short: "mf:p:"}, skip: 1},
	"catchsegv": {},
	"xargs": {
		grammar: grammar{short: "0a:d:E:e::I:i::L:l::n:P:prs:tx", long: "null arg-file= delimiter= eof=? replace=? " +
			"max-lines=? max-args= max-procs= interactive no-run-if-empty max-chars= verbose exit open-tty " +
			"process-slot-var= show-limits"},
		input: true, marker: "I i replace",
	},
	"ssh": {
		grammar: grammar{short: "46AaCfGgKkMNnqsTtVvXxYyB:b:c:D:E:e:F:I:i:J:L:l:m:O:o:p:Q:R:S:W:w:"},
		skip:    1, again: true, joined: true, shell: "*", place: remote, noHome: true, idle: "N V", hook: "o",
	},
}

// setarch is the row of setarch and of its names for one architecture.
func setarch(skip int) wrapper {
	return wrapper{
		grammar: grammar{short: "vRFZLXBTIS3", long: "verbose addr-no-randomize fdpic-funcptrs mmap-page-zero " +
			"addr-compat-layout read-implies-exec 32bit short-inode whole-seconds sticky-timeouts 3gb 4gb uname-2.6"},
		skip: skip, again: true, shell: "*",
	}
}

// interpreters by base name without a version.
var interpreters = map[string]interpreter{
	"python":  {grammar: grammar{short: "bBc:dEhiIm:OPqRsSuvVW:xX:?"}, code: "c m V"},
	"pypy":    {grammar: grammar{short: "bBc:dEhiIm:OPqRsSuvVW:xX:?"}, code: "c m V"},
	"node":    {grammar: nodeOptions, code: "e p c eval print v"},
	"nodejs":  {grammar: nodeOptions, code: "e p c eval print v"},
	"tsx":     {},
	"ts-node": {},
	"ruby":    {grammar: grammar{short: "acC:de:E:F::hI:i::KlnpQr:sSTU0vVwW::xX:"}, code: "e v", edits: "i"},
	"perl":    {grammar: grammar{short: "0::acC::dDe:E:fF:hi::I:l::m:M:nprsStTuUvVwWxX"}, code: "e E v V", edits: "i"},
	"php":     {grammar: grammar{short: "aB:c:d:E:e:f:F:hHilmnqr:R:sS:t:vwz:"}, code: "r B R v i m", script: "f"},
	"lua":     {grammar: grammar{short: "e:il:vEW"}, code: "e v"},
	"Rscript": {grammar: grammar{short: "e:", long: "vanilla no-save slave verbose default-packages="}, code: "e"},
	"tclsh":   {},
	"awk":     {grammar: awkOptions, script: "f file", only: true},
	"gawk":    {grammar: awkOptions, script: "f file", only: true},
	"mawk":    {grammar: awkOptions, script: "f file", only: true},
}

var awkOptions = grammar{short: "F:v:f:", long: "field-separator= assign= file="}

var nodeOptions = grammar{short: "ce:p:r:ihvC:", long: "check eval= print= require= import= loader= " +
	"experimental-strip-types experimental-vm-modules enable-source-maps inspect=? inspect-brk=? " +
	"max-old-space-size=? no-warnings test watch"}

var gitOptions = grammar{short: "C:c:pPvh", long: "git-dir= work-tree= namespace= exec-path=? config-env= " +
	"no-pager paginate bare no-replace-objects literal-pathspecs glob-pathspecs icase-pathspecs " +
	"no-optional-locks version help html-path super-prefix= attr-source="}
