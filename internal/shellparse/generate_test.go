//go:build unix

package shellparse

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// A generator makes random commands out of programs p0 to p9.
type generator struct{ *rand.Rand }

func (g generator) pick(s ...string) string { return s[g.IntN(len(s))] }

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// name is a program's name in one of the spellings of the shell.
func (g generator) name() string {
	n := byte('0' + g.IntN(10))
	switch g.IntN(12) {
	case 0:
		return fmt.Sprintf(`\p%c`, n)
	case 1:
		return fmt.Sprintf(`"p%c"`, n)
	case 2:
		return fmt.Sprintf(`p'%c'`, n)
	case 3:
		return fmt.Sprintf(`$'\x70%c'`, n)
	case 4:
		return fmt.Sprintf(`p""%c`, n)
	case 5:
		return fmt.Sprintf(`"$(echo p%c)"`, n)
	case 6:
		return fmt.Sprintf(`{p%c,arg}`, n)
	case 7:
		return fmt.Sprintf(`${unset:-p%c}`, n)
	default:
		return fmt.Sprintf(`p%c`, n)
	}
}

// words is a simple command of plain words, as a wrapper takes it.
func (g generator) words(depth int) string {
	if depth <= 0 || g.IntN(3) == 0 {
		return g.name() + g.pick("", " arg", ` "two words"`, ` -f`, ` $((1+1))`, ` a.*`, ` "$unset"`)
	}
	inner := g.words(depth - 1)
	switch g.IntN(26) {
	case 0:
		return "env " + inner
	case 1:
		return "env -u X A=b " + inner
	case 2:
		return "nohup " + inner
	case 3:
		return g.pick("nice -n 5 ", "nice -5 ", "nice ") + inner
	case 4:
		return g.pick("timeout 5 ", "timeout -k 1 5 ", "timeout --signal=KILL 5s ") + inner
	case 5:
		return g.pick("stdbuf -oL ", "stdbuf --output L -e 0 ") + inner
	case 6:
		return "setsid -w " + inner
	case 7:
		return g.pick("sudo ", "sudo -n -u me ", "sudo -E -- ", "sudo A=b ") + inner
	case 8:
		return g.pick("doas ", "doas -u me ") + inner
	case 9:
		return "chroot root " + inner
	case 10:
		return g.pick("ionice -c 2 -n 7 ", "ionice -c2 ") + inner
	case 11:
		return g.pick("command ", "command -- ", "command -p ") + inner
	case 12:
		return "exec " + inner
	case 13:
		return "busybox " + inner
	case 14:
		return "echo a | xargs " + g.pick("", "-n 1 ", "-r ", "-I{} ") + inner
	case 15:
		return "find a.txt -exec " + inner + ` \;`
	case 16:
		return fmt.Sprintf("flock lock%d ", g.IntN(1e6)) + inner
	case 17:
		return g.pick("sh -c ", "bash -c ", "bash -xc ", "bash -o pipefail -ec ", "dash -ec ") + quote(g.command(depth-1))
	case 18:
		return "ssh -p 22 host " + quote(g.command(depth-1))
	case 19:
		return "su - me -c " + quote(g.command(depth-1))
	case 20:
		return "bash " + g.pick("", "-s ", "/dev/stdin ") + "<<< " + quote(g.command(depth-1))
	case 21:
		return fmt.Sprintf("flock lock%d -c ", g.IntN(1e6)) + quote(g.command(depth-1))
	case 22:
		return "env -S " + quote("A=b p1 "+g.pick("x", "y"))
	case 23:
		return "sh -c " + quote(`"$@"`) + " _ " + inner
	case 24:
		return "watch -n 1 " + quote(g.command(depth-1))
	default:
		return "find a.txt -exec sh -c " + quote(g.command(depth-1)) + ` _ {} +`
	}
}

// command is any command.
func (g generator) command(depth int) string {
	if depth <= 0 {
		return g.words(0)
	}
	a := g.command(depth - 1)
	switch g.IntN(40) {
	case 0:
		return "(" + a + ")"
	case 1:
		return "{ " + a + "\n}"
	case 2:
		return a + "\n" + g.command(depth-1)
	case 3:
		return "true && { " + a + "\n}"
	case 4:
		return "false || { " + a + "\n}"
	case 5:
		return "{ " + a + "\n} | cat"
	case 6:
		return "if true; then " + a + "\nfi"
	case 7:
		return "if false; then :; elif { " + a + "\n}; then :; else " + g.command(depth-1) + "\nfi"
	case 8:
		return "while { " + a + "\n}; do break; done"
	case 9:
		return "for i in 1; do " + a + "\ndone"
	case 10:
		return "case x in x) " + a + "\n;; esac"
	case 11:
		return "f() { " + a + "\n}; f"
	case 12:
		return "x=$(" + a + "\n)"
	case 13:
		return `echo "$(` + a + "\n)\""
	case 14:
		return "cat <(" + a + "\n)"
	case 15:
		return "true > >(" + a + "\n)"
	case 16:
		return "echo $(( 1 + 0$(" + a + "\n) ))"
	case 17:
		return "a=([1]=$(" + a + "\n) x)"
	case 18:
		return "[[ -n $(" + a + "\n) ]]"
	case 19:
		return "echo ${unset:-$(" + a + "\n)}"
	case 20:
		return "cat <<E\n$(" + a + "\n)\nE\n"
	case 21:
		return "coproc { " + a + "\n}; wait"
	case 22:
		return "! { " + a + "\n}"
	case 23:
		return "time { " + a + "\n}"
	case 24:
		return "{ " + a + "\n} & wait"
	case 25:
		return "eval " + quote(a)
	case 26:
		return "trap " + quote(a) + " EXIT"
	case 27:
		return "export v=$(" + a + "\n)"
	case 28:
		return "echo a > \"out/$(" + a + "\n)x\" 2> /dev/null"
	case 29:
		return "select i in a; do " + a + "\nbreak; done <<< 1"
	case 30:
		return "function g { " + a + "\n}; g"
	case 31:
		return "for ((i = 0$(" + a + "\n); i < 1; i++)); do :; done"
	default:
		return g.words(depth)
	}
}

func TestProgramsOfGenerated(t *testing.T) {
	g := generator{rand.New(rand.NewPCG(61, 59))}
	bin := stubs(t, []string{"p0 p1 p2 p3 p4 p5 p6 p7 p8 p9"})
	hidden := 0
	const n = 300
	for range n {
		command := g.command(1 + g.IntN(4))
		if e := Parse(command, Options{}); len(e.Unknown) > 0 && e.Unknown[0] == unknownName {
			hidden++
		}
		t.Run("", func(t *testing.T) {
			t.Parallel()
			if checkPrograms(t, bin, command) == 0 {
				t.Logf("nothing ran: bash -c %q", command)
			}
		})
	}
	if hidden > n*3/5 {
		t.Errorf("%d of %d generated commands hide programs, want at most %d", hidden, n, n*3/5)
	}
}
