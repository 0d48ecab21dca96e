#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# completion.sh BPROBE BTFDIR - the completions of bash and zsh, and that their options are --help's
#
# What they ask bprobe for is asked of the golden cases' small kernel; kept probes are a list of
# ours, so nothing of this machine is looked at. TAP on standard output.
set -u
real=$(realpath "$1") completion=$(dirname "$(realpath "$1")")/completion btf=$(realpath "$2")
cd "$(dirname "$0")/.." || exit 1
n=0 failed=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

result() { # status, text
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n - $2"
	else
		failed=$((failed + 1))
		echo "not ok $n - $2"
	fi
}

skip() {
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}

# A tracepoint beside the golden cases' functions, and a program.
cp tests/golden/kallsyms.txt "$tmp/kallsyms"
cat >> "$tmp/kallsyms" << 'END'
ffffffff81f00000 T __probestub_job_done
ffffffff81f00010 T __traceiter_job_done
ffffffff81f00020 D __bpf_trace_tp_map_job_done
END
mkdir -p "$tmp/dir/sub"
touch "$tmp/dir/submarine"		# not a program
cc -nostdlib -static -Wl,-Ttext=0x401000,-z,noexecstack,-e,plain -o "$tmp/dir/prog.so" tests/golden/program.S

cat > "$tmp/bprobe" << END
#!/bin/sh
case " \$* " in
*' -l '*)
	case " \$* " in *' --store /other '*) echo 'p:far/away vfs_read # enabled, kept'; exit ;; esac
	cat << 'LIST'
p:kprobes/myprobe do_sys_openat2 dfd=%di:s32 # enabled, kept
r:kprobes/myret do_sys_openat2 arg1=\$retval if arg1 < 0 # disabled, kept
p:boot/open do_sys_open # enabled, kept, --pid=1
p:kprobes/mine vfs_write # enabled, bprobe 4711
LIST
	;;
*' --functions e:'*)
	# The golden cases' kernel has no events.
	echo 'e:sched_switch sched.sched_switch prev_comm=\$prev_comm:string next_pid=\$next_pid:s32  # char prev_comm[16], pid_t next_pid'
	case " \$* " in *\**) echo 'e:sched_wakeup sched.sched_wakeup comm=\$comm:string  # char comm[16]' ;; esac
	;;
*' --functions '*)
	exec "$real" --kallsyms "$tmp/kallsyms" --btf "$btf" "\$@" ;;
*)
	exit 1 ;;
esac
END
chmod +x "$tmp/bprobe"
PATH=$tmp:$PATH

"$real" --help | grep -E '^  (-[A-Za-z], |    )--[a-z]' | sed -E 's/^ *//; s/   *.*//' |
	grep -oE -- '^-[A-Za-z]|--[a-z-]+' | sort > "$tmp/help"

# ---- bash ----

bash -n "$completion/bprobe.bash" 2> "$tmp/err" && . "$completion/bprobe.bash" 2>> "$tmp/err" && [ ! -s "$tmp/err" ] &&
	[ "$(complete -p bprobe)" = "complete -F _bprobe bprobe" ]
result $? "bash loads bprobe.bash"

printf '%s\n' $_bprobe_options | sort | diff "$tmp/help" - > "$tmp/diff"
result $? "the $(wc -l < "$tmp/help") names of options in bprobe.bash are those of --help (< help, > bash)"
sed 's/^/# /' "$tmp/diff"

# Options that take a value are those that complete one, or say that they cannot.
bad=
for option in $("$real" --help | sed -nE 's/^ +(-[a-z], )?(--[a-z-]+) [A-Z].*/\2/p' |
		grep -vE -- '--(remove|enable|disable|format|set-filter|set-trigger|triggers|hist|functions|lines|vars)$'); do
	COMPREPLY=() words=(bprobe) cword=1 cur=
	_bprobe_value "$option" "" "" > /dev/null 2>&1 || bad="$bad $option"
done
[ -z "$bad" ]
result $? "bprobe.bash knows which options take a value${bad:+: not$bad}"

# Values are those that bprobe names when it refuses another; types and registers are accepted.
for option in --attach --dialect --style; do
	want=$("$real" $option nosuch p 2>&1 | sed -n "s/.* wants \(.*\), not 'nosuch'.*/\1/p" | sed 's/,//g; s/ or / /')
	COMPREPLY=() words=(bprobe) cword=1 cur=
	_bprobe_value $option "" ""
	[ -n "$want" ] && [ "${COMPREPLY[*]}" = "$want" ] && grep -qF -- "'$option=[" "$completion/_bprobe" &&
		grep -F -- "'$option=[" "$completion/_bprobe" | grep -qF ":($want)'"
	result $? "$option: $want, in both"
	[ $option != --attach ] || attach=$want
done
for type in $_bprobe_types; do echo "p:a vfs_read v=file:$type"; done | sed 's/($/(4)/' > "$tmp/types"
for register in $_bprobe_registers; do echo "p:a vfs_read v=$register"; done >> "$tmp/types"
"$real" --translate -f "$tmp/types" > "$tmp/said" 2>&1 && [ "$(grep -c ^p: "$tmp/said")" -eq "$(wc -l < "$tmp/types")" ]
result $? "$(wc -l < "$tmp/types") types and registers of bprobe.bash are bprobe's"
grep -v ^p: "$tmp/said" | sed 's/^/# /'

# bash WANT WORD...: what the last of the words becomes; the line is split as readline splits it.
bash_completes() {
	local want=$1 got word part
	shift
	COMP_LINE="$*" COMP_WORDS=()
	for word; do
		case $word in
		[\'\"]*|'')
			COMP_WORDS+=("$word") ;;
		*)
			while IFS= read -r part; do COMP_WORDS+=("$part"); done < <(sed -E 's/([=:])/\n\1\n/g' <<< "$word" | sed '/^$/d') ;;
		esac
	done
	COMP_POINT=${#COMP_LINE} COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()
	_bprobe 2> "$tmp/err"
	got=$(printf '%s\n' "${COMPREPLY[@]}" | sort | paste -sd '|')
	[ "$got" = "$want" ] && [ ! -s "$tmp/err" ]
	result $? "bash: ${COMP_LINE@Q} -> $want"
	[ "$got" = "$want" ] || echo "# got: $got"
	sed 's/^/# /' "$tmp/err"
}

bash_completes '--duration' bprobe --du
bash_completes '--pid|--pidns|--pipe' bprobe --pi
bash_completes "$(tr ' ' '\n' <<< "$attach" | sort | paste -sd '|')" bprobe --attach ''
bash_completes 'fentry' bprobe --attach fe
bash_completes 'fentry' bprobe --attach=fe
bash_completes 'function|kprobe|rfc-v2|v13' bprobe --dialect=
bash_completes 'always|auto' bprobe --color=a
bash_completes '2.6' bprobe -q --style 2
bash_completes 'root' bprobe --uid roo
bash_completes 'root,daemon' bprobe --uid=root,daem
bash_completes 'myprobe|myret' bprobe --enable my
bash_completes 'mine|myprobe|myret' bprobe -r m
bash_completes 'boot/|boot/open' bprobe --trace -q boo
bash_completes 'far/|far/away' bprobe --store /other --profile fa
bash_completes 'far/|far/away' bprobe --store=/other --profile fa
bash_completes 'mine|myprobe|myret' bprobe -:m
bash_completes 'vfs_read|vfs_write' bprobe --functions vf
bash_completes 'vfs_read|vfs_write' bprobe --lines vf
bash_completes 'vfs_read|vfs_write' bprobe --vars vf
bash_completes 'p:a vfs_read|p:a vfs_write' bprobe "'p:a vfs"
bash_completes 'r:a kfree,vfs_read|r:a kfree,vfs_read ' bprobe -q "'r:a kfree,vfs_r"
bash_completes 'p helper:helper_run|p helper:helper_run ' bprobe "'p helper:helper_r"
bash_completes 'p:a vfs_read n=%di:s16|p:a vfs_read n=%di:s32|p:a vfs_read n=%di:s64|p:a vfs_read n=%di:s8|p:a vfs_read n=%di:sockaddr|p:a vfs_read n=%di:string|p:a vfs_read n=%di:symbol|p:a vfs_read n=%di:symstr|p:a vfs_read n=%di:syscall' bprobe "'p:a vfs_read n=%di:s"
bash_completes 'p:a vfs_read n=+8(%si|p:a vfs_read n=+8(%si ' bprobe "'p:a vfs_read n=+8(%si"
bash_completes 'r:a vfs_read $retval|r:a vfs_read $retval ' bprobe "'r:a vfs_read \$r"
bash_completes 'p:a vfs_read n=count|p:a vfs_read n=count ' bprobe "'p:a vfs_read n=co"
dir=$tmp/dir
bash_completes "p $dir/prog.so:|p $dir/prog.so: " bprobe "'p $dir/pr"
bash_completes "p $dir/sub/|p $dir/sub/ " bprobe "'p $dir/s"
bash_completes "p:a $dir/prog.so:plain|p:a $dir/prog.so:plain " bprobe "'p:a $dir/prog.so:pl"
bash_completes "p $dir/prog.so:web:done|p $dir/prog.so:web:request" bprobe -p $$ "'p $dir/prog.so:web:"
bash_completes "p $dir/prog.so:web:request arg1=\$arg1|p $dir/prog.so:web:request arg2=\$arg2" bprobe "'p $dir/prog.so:web:request ar"
bash_completes 'f vfs_read|f vfs_write' bprobe "'f vfs_"
bash_completes 'f:a vfs_read%return count|f:a vfs_read%return count ' bprobe "'f:a vfs_read%return co"
bash_completes 't job_done|t job_done ' bprobe "'t job_"
bash_completes 't:a job_done status|t:a job_done status ' bprobe "'t:a job_done st"
bash_completes 'e sched.sched_switch|e sched.sched_wakeup' bprobe "'e sched"
bash_completes 'e sched.sched_switch|e sched.sched_switch ' bprobe "'e sched.sched_s"
bash_completes 'e:a sched.sched_switch next_pid=$next_pid:s32|e:a sched.sched_switch next_pid=$next_pid:s32 ' bprobe "'e:a sched.sched_switch ne"
bash_completes 'e:a sched.sched_switch p=$prev_comm|e:a sched.sched_switch p=$prev_comm ' bprobe "'e:a sched.sched_switch p=\$p"
bash_completes 'job_done' bprobe --functions t:job
bash_completes 't:job_done' bprobe --functions "'t:job"
bash_completes 'sched.sched_wakeup' bprobe --functions e:sched.sched_w
bash_completes "$dir/prog.so:" bprobe --functions "$dir/pro"
bash_completes "plain" bprobe --functions "$dir/prog.so:pl"
bash_completes 'README.md' bprobe -f READ
bash_completes 'README.md' bprobe --report --html READ
bash_completes '--report' bprobe --rep
bash_completes 'README.md' bprobe "'p vfs_read'" -- cat READ
bash_completes 'mkfifo' bprobe "'p vfs_read'" -- mkfif

# ---- zsh ----

grep -oE "^[[:space:]]+['{][^[]*[[]" "$completion/_bprobe" | grep -oE -- '(^|[^a-z-])--?[A-Za-z][a-z-]*' |
	grep -oE -- '-.*' | sort -u | diff "$tmp/help" - > "$tmp/diff"
result $? "the options of _bprobe are those of --help (< help, > zsh)"
sed 's/^/# /' "$tmp/diff"

if command -v zsh > /dev/null; then
	zsh -n "$completion/_bprobe"
	result $? "zsh reads _bprobe"
	zsh -f tests/completion.zsh "$completion" "$tmp/dir" > "$tmp/zsh" 2>&1
	while IFS= read -r line; do
		case $line in
		'ok '*)	result 0 "zsh: ${line#ok }" ;;
		*)	result 1 "zsh: ${line#not ok }" ;;
		esac
	done < "$tmp/zsh"
	[ -s "$tmp/zsh" ] || result 1 "zsh completes"
else
	skip "zsh reads and uses _bprobe" "there is no zsh"
fi
echo "1..$n"
[ "$failed" -eq 0 ]
