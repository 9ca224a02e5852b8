#!/bin/sh
# Denies commands that overwrite a branch on a remote: git push --force, -f, or
# a refspec that begins with +. It is asked only about commands that begin with
# git push, or may (see when in hook.json).
#
# In a payload no blanks stand between a field and its value, and the commands
# that a call would run stand in tool.effects.programs.
grep -Eq '"command":"git push[^"]* (--force[^"]*|-[a-zA-Z]*f[^"]*|\+[^"]*)"'
case $? in
0) printf '%s\n' '{"decision":"deny","reason":"a forced push overwrites the work of others; push without --force, or ask the person to do it"}' ;;
1) ;; # nothing found: continue
*) exit 1 ;; # no grep, no answer: the call is blocked
esac
