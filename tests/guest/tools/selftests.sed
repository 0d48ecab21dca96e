# SPDX-License-Identifier: GPL-2.0-only
#
# selftests.sed - rewrites a test of the kernel for ftrace so that it uses bprobe (GNU sed -E)
#
# A write to a file of tracefs becomes `| put w @FILE` or `| put a @FILE`, for > and >>. Any other word that is such a file becomes
# `$(fresh FILE)`: the name of a file that was written just now from what bprobe prints. put and fresh are selftests.put and
# selftests.fresh. Nothing else of a test changes.
/^[[:space:]]*#/b
# What is to be refused goes to selftests.refuse, with the name of the file.
/ftrace_errlog_check/b
s%>>[ \t]*("\$filter"|\$ENABLEFILE|\$TRIGGER[12]|\$trigger|(kprobe|uprobe|dynamic|synthetic)_events|error_log|trace|tracing_on|current_tracer|set_ftrace_filter|events/[^] ;|&)`]+)([] \t;|\&)`]|$)%| put a @\1\3%g
s%>[ \t]*("\$filter"|\$ENABLEFILE|\$TRIGGER[12]|\$trigger|(kprobe|uprobe|dynamic|synthetic)_events|error_log|trace|tracing_on|current_tracer|set_ftrace_filter|events/[^] ;|&)`]+)([] \t;|\&)`]|$)%| put w @\1\3%g
:again
s%(^|[ \t`(])((kprobe|uprobe|dynamic|synthetic)_events|trace|tracing_on|\$trigger|kprobe_profile|uprobe_profile|enabled_functions|events/[^] ;|&)`]+)([] \t;|\&)`]|$)%\1$(fresh @\2)\4%
t again
# So that the loop above sees each word once, a word that was done has an @.
s%fresh @%fresh %g
