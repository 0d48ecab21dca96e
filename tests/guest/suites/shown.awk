# SPDX-License-Identifier: GPL-2.0-only
#
# shown.awk - finds the commands that a page shows, for shown.sh
#
#   awk -v dir=DIR -v page=NAME -f shown.awk FILE        (Markdown, or with -v man=1 the manual)
#
# A command is a line in an indented block (in the manual: a literal display) that begins with "# " for root or "$ " for
# any user. It goes on in the next line where it ends with a backslash or with "|". Lines below it, up to the next
# command, are what it prints. Two blanks and a "#" begin a remark; a `make TARGET` in it is a command, too.
# In the README a command can also stand in the text, between backquotes, if it begins with bprobe or make; in the
# manual it can be the right cell of a table, if it begins with bprobe.
#
# Each becomes a directory DIR/NNN with the files command, prompt, where, and shown if something is shown below it.
# A line of a block that looks like a command but has no prompt is printed.

function name() { return sprintf("%s/%03d", dir, count) }

function begin(prompt, text) {
	++count
	system("mkdir -p " name())
	print prompt > (name() "/prompt")
	print page ":" FNR > (name() "/where")
	close(name() "/prompt")
	close(name() "/where")
	command = text
	shown = ""
}

function finish() {
	if (command == "")
		return
	sub(/ +$/, "", command)
	print command > (name() "/command")
	close(name() "/command")
	sub(/\n+$/, "", shown)
	if (shown != "") {
		print shown > (name() "/shown")
		close(name() "/shown")
	}
	command = ""
}

# Targets that a remark names.
function remark(text) {
	while (match(text, /make [a-z][a-z-]*/)) {
		begin("$", substr(text, RSTART, RLENGTH))
		finish()
		text = substr(text, RSTART + RLENGTH)
	}
}

function block_line(line,	rest) {
	if (line ~ /^[#$] [^ ]/) {
		finish()
		rest = ""
		if (match(line, /  +# /)) {
			rest = substr(line, RSTART + RLENGTH)
			line = substr(line, 1, RSTART - 1)
		}
		begin(substr(line, 1, 1), substr(line, 3))
		goes_on = line ~ /(\\|\|) *$/
		if (rest != "") {
			finish()
			remark(rest)
		}
	} else if (goes_on) {
		sub(/^ +/, "", line)
		goes_on = line ~ /(\\|\|) *$/
		sub(/\\ *$/, "", command)
		command = command " " line
	} else if (line ~ /^(bprobe|make|sudo|git|apt|trace-cmd|jq|cat) /) {
		print page ":" FNR ": " line
	} else if (command != "") {
		shown = shown line "\n"
	}
}

# The roff escapes that displays have.
function plain(line) {
	gsub(/\\\(aq/, "'", line)
	gsub(/\\\(ti/, "~", line)
	gsub(/\\\(dq/, "\"", line)
	gsub(/\\-/, "-", line)
	gsub(/\\&/, "", line)
	gsub(/\\e/, "\\", line)
	gsub(/^\.\.\.$/, "…", line)
	gsub(/ \.\.\. /, " … ", line)
	return line
}

BEGIN { count = first + 0 }

man && /^\.Bd -literal/ { inside = 1; next }
man && /^\.Ed/ { finish(); inside = 0; next }
man && /^\.It .* Ta bprobe / { begin("#", plain(substr($0, index($0, " Ta ") + 4))); finish(); next }
man { if (inside) block_line(plain($0)); next }

/^    / { block_line(substr($0, 5)); next }
/^$/ { if (command != "") shown = shown "\n"; next }
{
	finish()
	goes_on = 0
}
spans {
	line = $0
	while (match(line, /`(bprobe|make) [^`]*`/)) {
		begin("#", substr(line, RSTART + 1, RLENGTH - 2))
		finish()
		line = substr(line, RSTART + RLENGTH)
	}
}
END {
	finish()
	print count > (dir "/count")
}
