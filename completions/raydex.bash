# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Raydex authors
# shellcheck shell=bash
#
# Completion of raydex and raydex-bench in bash. Commands and options are those that the programs' help names.

# The options in a help text: words that begin with - after a blank, a comma or a bracket.
_raydex_options() {
  "$@" --help 2>/dev/null | grep -oE '(^|[[ ,|])--?[a-z][a-z-]*' | sed 's/^[[ ,|]*//' | sort -u
}

_raydex_commands() {
  "$1" --help 2>/dev/null | sed -n 's/^  \([a-z][a-z]*\)  *[a-z].*/\1/p'
}

_raydex_reply() {
  local IFS=$'\n'
  # shellcheck disable=SC2207 # a word a line
  COMPREPLY=($(compgen -W "$1" -- "$2"))
}

# The methods of a command, as it lists them where it is given none of them.
_raydex_methods() {
  case $2 in
    ssb) "$1" ssb run --dir . --method '?' ;;
    *) "$1" "$2" --method '?' ;;
  esac 2>&1 | sed -n 's/.*; there are //p' | tr -d ' ' | tr , '\n'
}

_raydex_files() {
  compopt -o filenames 2>/dev/null
  local IFS=$'\n'
  # shellcheck disable=SC2207 # a file a line
  COMPREPLY=($(compgen -f -- "$1"))
}

_raydex() {
  local program=$1 word=$2 before=$3 command=
  case ${COMP_WORDS[1]:-} in
    -* | */* | *.*) ;;
    *) [ "$COMP_CWORD" -gt 1 ] && command=${COMP_WORDS[1]} ;;
  esac
  case $before in
    --device)
      _raydex_reply "$(printf '%s\n' auto cpu; "$program" devices --csv 2>/dev/null | sed -n 's/^\([0-9][0-9]*\),.*/\1/p')" "$word"
      return ;;
    --method)
      _raydex_reply "$(_raydex_methods "$program" "$command")" "$word"
      return ;;
    --encoding)
      _raydex_reply "$(printf '%s\n' utf8 latin1 windows-1252)" "$word"
      return ;;
  esac
  if [ "$COMP_CWORD" = 2 ] && [ "$command" = help ]; then
    _raydex_reply "$(_raydex_commands "$program")" "$word"
  elif [ "${word:0:1}" = - ]; then
    # shellcheck disable=SC2086 # a command or none
    _raydex_reply "$(_raydex_options "$program" ${command:-shell}; [ -n "$command" ] || echo --version)" "$word"
  else
    _raydex_files "$word"
    [ "$COMP_CWORD" -gt 1 ] && return
    local files=("${COMPREPLY[@]}")
    _raydex_reply "$(_raydex_commands "$program"; echo help)" "$word"
    COMPREPLY+=("${files[@]}")
  fi
}

_raydex_bench() {
  local program=$1 word=$2
  case $3 in
    suite)
      _raydex_reply "$(printf '%s\n' papers rx cgrx thesis join rtscan rtcudb scale standard)" "$word"
      return ;;
    --out | --plots | --data | --published | plot | verdicts)
      _raydex_files "$word"
      return ;;
  esac
  if [ "${word:0:1}" = - ]; then
    _raydex_reply "$(_raydex_options "$program")" "$word"
  else
    _raydex_reply "$(printf '%s\n' suite demo plot verdicts list; "$program" list 2>/dev/null | sed -n 's/^\([a-z][^ *]*\)  .*/\1/p')" "$word"
  fi
}

complete -F _raydex raydex
complete -F _raydex_bench raydex-bench
