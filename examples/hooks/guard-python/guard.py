#!/usr/bin/env python3
"""Keeps files with secrets from being touched: .env, *.pem, private ssh keys.

It is asked about calls that name such a file, also by a link, and about
commands with such a name in them (see when in hook.json). A payload has paths
as they were spelled, so links are followed here too.
"""

import json
import os
import re
import sys

SECRET = re.compile(r"(\.env(\..*)?|.*\.pem|id_(rsa|dsa|ecdsa|ed25519))")
HARMLESS = re.compile(r".*\.(example|sample)")


def secret(path):
    """The secret file that a path leads to, or None."""
    for spelling in (path, os.path.realpath(path)):
        name = os.path.basename(spelling)
        if SECRET.fullmatch(name) and not HARMLESS.fullmatch(name):
            return spelling
    return None


def touched(effects):
    """What a call names: files, and every word of its commands."""
    for file in effects.get("files", []):
        yield file["path"]
    for program in effects.get("programs", []):
        yield from re.split(r"[\s=:'\"]+", program["command"])


def main():
    event = json.load(sys.stdin)
    for path in touched(event["tool"]["effects"]):
        if found := secret(path):
            reason = f"{found[-300:]} holds secrets; no tool call touches it"
            json.dump({"decision": "deny", "reason": reason}, sys.stdout)
            return


main()
