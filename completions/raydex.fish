# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Raydex authors
#
# Completion of raydex and raydex-bench in fish. Commands and options are those that the programs' help names.

# The command on the line; shell where there is none.
function __raydex_command
    set -l words (commandline -opc)
    if test (count $words) -gt 1; and string match -qr '^[a-z]+$' -- $words[2]
        echo $words[2]
    else
        echo shell
    end
end

function __raydex_options
    $argv --help 2>/dev/null | grep -oE '(^|[[ ,|])--?[a-z][a-z-]*' | sed 's/^[[ ,|]*//' | sort -u
end

function __raydex_commands
    raydex --help 2>/dev/null | sed -n 's/^  \([a-z][a-z]*\)  *\([a-z].*\)/\1\t\2/p'
end

# The methods of a command, as it lists them where it is given none of them.
function __raydex_methods
    set -l given $argv[1]
    test $given = ssb; and set given ssb run --dir .
    raydex $given --method '?' 2>&1 | sed -n 's/.*; there are //p' | tr -d ' ' | tr , '\n'
end

function __raydex_at_start
    test (count (commandline -opc)) -eq 1
end

function __raydex_after
    set -l words (commandline -opc)
    contains -- $words[-1] $argv
end

complete -c raydex -n __raydex_at_start -a '(__raydex_commands)'
complete -c raydex -n '__raydex_after help' -f -a '(__raydex_commands)'
complete -c raydex -n 'string match -q -- "-*" (commandline -ct)' -f -a '(__raydex_options raydex (__raydex_command))'
complete -c raydex -n '__raydex_after --device' -f -a 'auto cpu'
complete -c raydex -n '__raydex_after --method' -f -a '(__raydex_methods (__raydex_command))'
complete -c raydex -n '__raydex_after --encoding' -f -a 'utf8 latin1 windows-1252'

complete -c raydex-bench -n 'string match -q -- "-*" (commandline -ct)' -f -a '(__raydex_options raydex-bench)'
complete -c raydex-bench -n '__raydex_after suite' -f -a 'papers rx cgrx thesis join rtscan rtcudb scale standard'
complete -c raydex-bench -n 'not __raydex_after suite --out --plots --data --published plot verdicts' -f -a 'suite demo plot verdicts list (raydex-bench list 2>/dev/null | sed -n "s/^\([a-z][^ *]*\)  .*/\1/p")'
