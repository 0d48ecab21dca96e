# SPDX-License-Identifier: GPL-2.0-only
#
# completion.zsh DIR PROGRAMS - types into an interactive zsh, and looks what Tab makes of it
#
# DIR has _bprobe; PATH has a bprobe; in PROGRAMS is the program prog.so. Prints 'ok TEXT' or 'not ok TEXT' for each.
zmodload zsh/zpty zsh/system || { print "not ok zsh/zpty is not there"; exit 1 }
zpty typed zsh -f -i
collected=

# Reads until $1 is there, ten seconds at most.
wait_for() {
	local part
	local -i i
	for ((i = 0; i < 1000; i++)); do
		while zpty -rt typed part; do collected+=$part; done
		[[ $collected == *$1* ]] && return
		sleep 0.01
	done
	return 1
}

send() { zpty -wn typed "$1"$'\n' }

send "PS1= RPS1= PROMPT_EOL_MARK=; unsetopt zle_bracketed_paste 2> /dev/null; fpath=($1 \$fpath)"
send 'autoload -U compinit; compinit -u -D; setopt no_beep no_always_last_prompt'
send 'show() { local text=$BUFFER; BUFFER=; zle -I; print -r -- "BEG""IN:$text:END" }; zle -N show; bindkey "^T" show; bindkey "^I" complete-word'
send 'print REA""DY'
wait_for READY || { print "not ok an interactive zsh starts"; exit 1 }

completes() {
	collected=
	zpty -wn typed "$2"$'\t\x14'
	wait_for ':END'
	local got=${${collected##*BEGIN:}%:END*}
	if [[ $got == $1 ]]; then
		print -r "ok ${(q+)2} -> $1"
	else
		print -r "not ok ${(q+)2} -> $1, but ${(q+)got}"
	fi
}

completes 'bprobe --duration=' 'bprobe --du'
completes 'bprobe --attach=fentry ' 'bprobe --attach=fe'
completes 'bprobe --attach fentry ' 'bprobe --attach fe'
completes 'bprobe --enable my' 'bprobe --enable m'
completes 'bprobe --enable myprobe ' 'bprobe --enable myp'
completes 'bprobe -r mine ' 'bprobe -r mi'
completes 'bprobe --store /other --trace away ' 'bprobe --store /other --trace aw'
completes "bprobe 'p:a vfs_read" "bprobe 'p:a vfs_r"
completes "bprobe 'p helper:helper_run" "bprobe 'p helper:helper_r"
completes "bprobe 'p:a vfs_read count" "bprobe 'p:a vfs_read co"
completes "bprobe 'p:a vfs_read n=%di:string" "bprobe 'p:a vfs_read n=%di:st"
completes "bprobe 'r:a vfs_read \$retval" "bprobe 'r:a vfs_read \$r"
completes "bprobe 'p $2/prog.so:" "bprobe 'p $2/pr"
completes "bprobe 'p $2/prog.so:plain" "bprobe 'p $2/prog.so:pla"
completes "bprobe 'f vfs_read" "bprobe 'f vfs_r"
completes "bprobe 't job_done" "bprobe 't job_"
completes "bprobe 't:a job_done status" "bprobe 't:a job_done st"
completes "bprobe 'e sched.sched_" "bprobe 'e sche"
completes "bprobe 'e sched.sched_switch" "bprobe 'e sched.sched_s"
completes "bprobe 'e:a sched.sched_switch next_pid=\$next_pid:s32" "bprobe 'e:a sched.sched_switch nex"
completes "bprobe 'e:a sched.sched_switch a=\$prev_comm" "bprobe 'e:a sched.sched_switch a=\$pr"
completes 'bprobe --functions t:job_done ' 'bprobe --functions t:job'
completes 'bprobe --functions e:sched.sched_wakeup ' 'bprobe --functions e:sched.sched_w'
completes "bprobe 'p vfs_read' -- mkfifo " "bprobe 'p vfs_read' -- mkfif"
zpty -d typed
