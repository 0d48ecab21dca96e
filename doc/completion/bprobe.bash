# SPDX-License-Identifier: GPL-2.0-only
#
# bprobe.bash - completes the words of a bprobe command line
#
# Options and their values, names of kept probes, functions and what belongs behind them
# within a definition's quotes: 'p:open do_sys_op<TAB>, 'p vfs_read co<TAB>, ' ... n=%di:s<TAB>,
# 'p libc.so.6:mal<TAB>, 't sched_<TAB>, 'e sched.sched_<TAB>.
# It needs nothing but bash. tests/completion.sh compares its options with those of --help.

_bprobe_options="
	--filter --trigger --pair -k --kernel-stack -u --user-stack -f --file
	-a --all -d --duration -n --events -q --quiet --wait --buffer --overwrite --snapshot --attach --raw-strings --json --folded
	--lines-in-stacks
	--dialect --style --color --arrays --faithful --enum-names --alias --flags --tgid --time --clock --for
	-o --output --compress --rotate
	--count --histogram --sum --avg --min --max --by --top --interval --reset --hist-memory
	-p --pid --tid --comm --uid --cgroup --pidns --mntns --not --self --rate --once
	--keep --disabled -l --list -r --remove --enable --disable --trace --pipe --clear
	--profile --format --set-filter --set-trigger --triggers --hist
	--tracing-on --tracing-off --renew --store
	--read --functions --lines --vars --translate --explain --doctor --kallsyms --btf --kcore --vmlinux --source
	--no-inline --inline-chain --no-lint
	-v --verbose -h --help -V --version"

_bprobe_types="u8 u16 u32 u64 s8 s16 s32 s64 x8 x16 x32 x64 char string ustring symbol symstr %pd %pD errno enum syscall ip4 ip6 mac be16 be32 sockaddr"

_bprobe_registers="%ax %bx %cx %dx %si %di %bp %sp %r8 %r9 %r10 %r11 %r12 %r13 %r14 %r15 %ip %flags %cs %ss"

# Words as the user sees them, into $words, $cword and $cur of the caller: bash splits them at '=' and ':', too.
_bprobe_words() {
	local line=$COMP_LINE word i

	words=() cword=0
	for i in "${!COMP_WORDS[@]}"; do
		word=${COMP_WORDS[i]}
		if [[ $i -eq 0 || $line == [[:blank:]]* ]]; then
			words+=("$word")
		else
			words[${#words[@]}-1]+=$word
		fi
		line=${line#"${line%%[![:blank:]]*}"}
		line=${line#"$word"}
		if [[ $i -eq $COMP_CWORD ]]; then
			cword=$((${#words[@]} - 1))
			break
		fi
	done
	cur=${words[cword]}
}

# Those of the words in $1 that begin with $2, each behind $3. Words have no blanks in them.
_bprobe_offer() {
	local word

	for word in $1; do
		[[ $word != "$2"* ]] || COMPREPLY+=("${3-}$word")
	done
}

_bprobe_files() { # compgen's kind (-f, -d), prefix
	local name

	compopt -o filenames 2> /dev/null
	while IFS= read -r name; do
		COMPREPLY+=("$name")
	done < <(compgen "$1" -- "$2")
}

# EVENT, GRP/EVENT and GRP/ of the probes that are listed; $1: kept ones only, or those of running bprobes, too
_bprobe_names() {
	local i store=()

	for ((i = 1; i < ${#words[@]}; i++)); do
		case ${words[i]} in
		--store=*)	store=(--store "${words[i]#*=}") ;;
		--store)	store=(--store "${words[i+1]-}") ;;
		esac
	done
	"${words[0]}" "${store[@]}" -l 2> /dev/null | awk -v kept="${1-}" '
		kept == "kept" && !/# [^#]*, kept[^#]*$/ { next }
		{ sub(/^[^:]*:/, "", $1); name = $1; sub("/.*", "/", $1); print name; print $1; sub(".*/", "", name); print name }' | sort -u
}

# What --functions lists for $1, without what cannot be probed. Programs are those that the process of -p sees.
_bprobe_list() {
	local i pid=()

	for ((i = 1; i < cword; i++)); do
		case ${words[i]} in
		--pid=*)	pid=(-p "${words[i]#*=}") ;;
		-p|--pid)	pid=(-p "${words[i+1]-}") ;;
		esac
	done
	[[ $1 == *:* && $1 != [te]:* ]] || pid=()
	"${words[0]}" "${pid[@]}" --functions "$1" 2> /dev/null | grep -v '^#'
}

# Programs and libraries that begin with $1, and directories
_bprobe_programs() {
	local name

	compgen -f -- "$1" | while IFS= read -r name; do
		if [[ -d $name ]]; then
			echo "$name/"
		elif [[ -x $name || $name == *.so* ]]; then
			echo "$name:"
		fi
	done
}

# Places of the kind with the letter $1 that begin with $2
_bprobe_places() {
	case $1$2 in
	[pr]*/*:*)	_bprobe_list "$2*" | awk '{ print $2 }' ;;
	[pr]*/*)	_bprobe_programs "$2" ;;
	t*)		_bprobe_list "t:$2*" | awk '{ print $2 }' ;;
	e*.*)		_bprobe_list "e:$2*" | awk '{ print $2 }' ;;
	e*)		_bprobe_list "e:$2*.*" | awk '{ print $2 }' ;;
	*)		_bprobe_list "$2*" | awk '{ print $2 }' ;;
	esac
}

# The arguments that the place $2 of the kind $1 has: parameters, or fields of an event
_bprobe_parameters() {
	local place=$2

	[[ $1 != [te] ]] || place=$1:$2
	_bprobe_list "$place" |
		awk 'NR == 1 { sub("  #.*", ""); for (i = 3; i <= NF; i++) { print $i; if (sub("^[^=]*=[$]", "$", $i) && sub(":.*", "", $i)) print $i } }'
}

# $1: a definition as far as it was typed
_bprobe_definition() {
	local text=$1 head tail function kind=${1:0:1}

	case $text in
	-:*)
		_bprobe_offer "$(_bprobe_names)" "${text#-:}" "-:" ;;
	[prfte]*[[:blank:]]*[[:blank:]]*)
		function=${text#*[[:blank:]]}
		function=${function%%[+%[:blank:]]*}
		tail=${text##*[[:blank:]]}
		head=${text%"$tail"}
		if [[ $tail == *:* ]]; then
			_bprobe_offer "$_bprobe_types" "${tail##*:}" "$head${tail%:*}:"
			return
		fi
		head+=${tail%"${tail##*[=(]}"}
		tail=${tail##*[=(]}
		case $tail in
		%*)	_bprobe_offer "$_bprobe_registers" "$tail" "$head" ;;
		\$*)
			[[ $kind == e ]] || _bprobe_offer '$stack $retval $elapsed $comm $arg*' "$tail" "$head"
			[[ $kind != e ]] || _bprobe_offer "\$comm $(_bprobe_parameters e "$function")" "$tail" "$head" ;;
		*)	_bprobe_offer "$(_bprobe_parameters "$kind" "$function")" "$tail" "$head" ;;
		esac ;;
	[prfte]*[[:blank:]]*)
		tail=${text##*[[:blank:],]}
		[[ -z $tail ]] || _bprobe_offer "$(_bprobe_places "$kind" "$tail")" "$tail" "${text%"$tail"}" ;;
	esac
}

# The values of option $1, of which $2 is typed and $3 stands in front; 1: it takes none
_bprobe_value() {
	local list=${2%"${2##*,}"}

	case $1 in
	--attach)	_bprobe_offer "auto single fentry fmulti multi session kprobe umulti uprobe raw_tp tracepoint" "$2" "${3-}" ;;
	--dialect)	_bprobe_offer "kprobe rfc-v2 v13 function" "$2" "${3-}" ;;
	--arrays)	_bprobe_offer "braces commas" "$2" "${3-}" ;;
	--style)	_bprobe_offer "kprobe 2.6 3.x rfc-v2 v13 function short" "$2" "${3-}" ;;
	--color)	_bprobe_offer "auto always never" "$2" "${3-}" ;;
	--flags)	_bprobe_offer "5 4 none" "$2" "${3-}" ;;
	--time)		_bprobe_offer "us ns" "$2" "${3-}" ;;
	--clock)	_bprobe_offer "mono boot tai" "$2" "${3-}" ;;
	--for)		_bprobe_offer "trace-cmd traceshark catapult perfetto trappy tracecompass perf-tools sleepgraph" "$2" "${3-}" ;;
	--buffer)	_bprobe_offer "256K 1M 4M 16M" "$2" "${3-}" ;;
	--rate)		_bprobe_offer "10/s 100/s 1000/s 10/m 1/ms" "$2" "${3-}" ;;
	-p|--pid)	_bprobe_offer "$(cd /proc && echo [0-9]*)" "${2##*,}" "${3-}$list" ;;
	--tid)		_bprobe_offer "$(cd /proc && echo [0-9]*/task/[0-9]* | sed 's|[0-9]*/task/||g')" "${2##*,}" "${3-}$list" ;;
	--comm)		_bprobe_offer "$(cat /proc/[0-9]*/comm 2> /dev/null | grep -v '[[:blank:],]' | sort -u)" "${2##*,}" "${3-}$list" ;;
	--uid)		_bprobe_offer "$(compgen -u)" "${2##*,}" "${3-}$list" ;;
	--cgroup)	_bprobe_files -d "${2:-/sys/fs/cgroup/}" ;;
	--compress)	_bprobe_offer "zstd zlib" "$2" "${3-}" ;;
	--rotate)	_bprobe_offer "16M 64M 256M 1G" "$2" "${3-}" ;;
	-f|--file|-o|--output|--snapshot|--read|--kallsyms|--kcore|--vmlinux) _bprobe_files -f "$2" ;;
	--btf|--store|--source)	_bprobe_files -d "$2" ;;
	--by)		_bprobe_offer "function caller comm pid cpu" "${2##*,}" "${3-}$list" ;;
	--interval)	_bprobe_offer "1s 500ms 10s 1m" "$2" "${3-}" ;;
	--hist-memory)	_bprobe_offer "8M 64M 256M" "$2" "${3-}" ;;
	--filter|--trigger|--pair|-d|--duration|-n|--events|--histogram|--sum|--avg|--min|--max|--top) ;;
	*)		return 1 ;;
	esac
}

# Before '--' of the command line: 1 if COMMAND is being typed.
_bprobe_is_ours() {
	local i

	for ((i = 1; i < cword; i++)); do
		[[ ${words[i]} != -- ]] || return 1
	done
}

# What names belong to: the verb that was typed
_bprobe_verb() {
	local i

	for ((i = cword - 1; i > 0; i--)); do
		case ${words[i]} in
		-r|--remove|--enable|--disable|--trace|--pipe|--clear|--profile|--format|--set-filter|--set-trigger|--triggers|--hist|--renew|--functions|--lines|--vars|--read)
			echo "${words[i]}"
			return ;;
		esac
	done
}

_bprobe_word() {
	local word=${cur#[\'\"]}

	case $cur in
	--*=*)
		_bprobe_value "${cur%%=*}" "${cur#*=}" "${cur%%=*}="
		return ;;
	-:*)
		_bprobe_definition "$cur"
		return ;;
	-*)
		_bprobe_offer "$_bprobe_options" "$cur"
		return ;;
	esac
	_bprobe_value "${words[cword-1]}" "$cur" && return
	case $(_bprobe_verb) in
	--lines|--vars)	_bprobe_offer "$(_bprobe_places p "$word")" "$word" ;;
	--functions)
		case $word in
		[te]:*)	_bprobe_offer "$(_bprobe_places "${word%%:*}" "${word#*:}")" "${word#*:}" "${word%%:*}:" ;;
		?*)	_bprobe_offer "$(_bprobe_places p "$word")" "$word" ;;
		esac ;;
	--read)		_bprobe_files -f "$cur" ;;
	-r|--remove)	_bprobe_offer "$(_bprobe_names)" "$word" ;;
	--*)		_bprobe_offer "$(_bprobe_names kept)" "$word" ;;
	*)
		if [[ -z $cur ]]; then
			_bprobe_offer "$_bprobe_options" ""
		else
			_bprobe_definition "$word"
		fi ;;
	esac
}

_bprobe() {
	local words cword cur i typed breaks=${COMP_WORDBREAKS//[^=:]/}

	COMPREPLY=()
	_bprobe_words
	if ! _bprobe_is_ours; then
		if [[ ${words[cword-1]} == -- && $cur != */* ]]; then
			mapfile -t COMPREPLY < <(compgen -c -- "$cur" | sort -u)
		else
			_bprobe_files -f "$cur"
		fi
		return
	fi
	_bprobe_word
	# bash replaces no more than what stands behind its last break, unless there is a quote.
	if [[ $cur != [\'\"]* && -n $breaks ]]; then
		typed=${cur%"${cur##*["$breaks"]}"}
		for i in "${!COMPREPLY[@]}"; do
			COMPREPLY[i]=${COMPREPLY[i]#"$typed"}
		done
	fi
	# bash would close the quote behind the only word there is; of two it takes what they share.
	if [[ $cur == [\'\"][prfte]*[[:blank:]]* && ${#COMPREPLY[@]} -eq 1 ]]; then
		COMPREPLY+=("${COMPREPLY[0]} ")
	fi
	# More is to come behind these.
	case ${COMPREPLY[0]-} in
	*/|*=|*:)	compopt -o nospace 2> /dev/null ;;
	esac
}

complete -F _bprobe bprobe
