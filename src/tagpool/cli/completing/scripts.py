"""The completion script of each shell.

A script calls ``tagpool`` with the words before the cursor and the shell in ``_TAGPOOL_COMPLETE``. The first line of the answer
says how the shell treats the others (:class:`tagpool.cli.completing.candidates.Mode`), which are values and their descriptions.
"""

from __future__ import annotations

VARIABLE = "_TAGPOOL_COMPLETE"

_BASH = r"""# Completion of tagpool in bash 4 or later.
_tagpool() {
    local lines
    mapfile -t lines < <(_TAGPOOL_COMPLETE=bash "${1/#\~/$HOME}" "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    COMPREPLY=("${lines[@]:1}")
    case ${lines[0]} in
        files) compopt -o default ;;
        paths) compopt -o filenames ;;
    esac
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=,.] ]]; then
        compopt -o nospace
    fi
}
complete -F _tagpool tagpool
"""

_ZSH = r"""#compdef tagpool
# Completion of tagpool in zsh.
_tagpool() {
    local -a lines plain open
    local line value text
    lines=("${(@f)$(_TAGPOOL_COMPLETE=zsh ${(Q)words[1]} "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
    if [[ $lines[1] == files ]]; then
        compset -P '*='
        _files
        return
    fi
    for line in "${(@)lines[2,-1]}"; do
        value=${line%%$'\t'*}
        text=${value//:/\\:}
        [[ $line == *$'\t'* ]] && text+=:${line#*$'\t'}
        if [[ $value == *[=,./] ]]; then
            open+=("$text")
        else
            plain+=("$text")
        fi
    done
    _describe -t values value plain -- open -S ''
}
if [[ $funcstack[1] == _tagpool ]]; then
    _tagpool "$@"
else
    compdef _tagpool tagpool
fi
"""

_FISH = r"""# Completion of tagpool in fish.
function __tagpool_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines (env _TAGPOOL_COMPLETE=fish $words "$current" 2>/dev/null)
    if test "$lines[1]" = files
        set -l prefix (string match --regex -- '^.*=' "$current")
        for path in (__fish_complete_path (string replace --regex -- '^.*=' '' "$current"))
            echo "$prefix$path"
        end
        return
    end
    set -e lines[1]
    for line in $lines
        echo $line
    end
end
complete --command tagpool --no-files --arguments '(__tagpool_complete)'
"""

SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}
