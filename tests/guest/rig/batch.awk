# SPDX-License-Identifier: GPL-2.0-only
#
# batch.awk - divides what a guest of batch.sh prints; -v dir= (of the requests) -v guest= (of this guest) -v sums= ($BATCH_CPU)
#
# Each script's lines go to its driver. $guest/current has the second in which the running script began and how long it may take.
# Each script adds a line to its suite's file in $BATCH_CPU: QEMU's CPU seconds for it, and those for the boot.

function cpu(	line, field)
{
	if (!pid) {
		getline pid < (guest "/pid")
		close(guest "/pid")
	}
	if ((getline line < ("/proc/" pid "/stat")) <= 0)
		return last
	close("/proc/" pid "/stat")
	sub(/.*\) /, "", line)
	split(line, field, " ")
	return last = (field[12] + field[13]) / 100	# utime and stime, in ticks of USER_HZ
}

# Before its driver sees the end: then it reads the sum.
function account(	suite)
{
	now = cpu()
	suite = name
	sub(/\.[^.]*$/, "", suite)
	print now - mark, boot >> (sums "/" suite)
	close(sums "/" suite)
	mark = now
}

function write_to(file, text)
{
	printf "%s", text > file
	close(file)
}

# A script's last line may have no newline; batch.guest puts one before its own.
function flush_held(end)
{
	if (answer && have_held && (!end || held != "")) {
		printf "%s%s", held, (end ? "" : "\n") > answer
		fflush(answer)
	}
	have_held = 0
}

/^@@batch begin / {
	have_held = 0
	name = $3
	if (!mark)
		boot = mark = cpu()
	answer = dir "/" name "/answer"
	printf "" > answer	# its driver sees an end even if it prints nothing
	fflush(answer)
	write_to(guest "/began", name "\n")
	getline limit < (dir "/" name "/seconds")
	close(dir "/" name "/seconds")
	write_to(guest "/current", systime() " " limit "\n")
	next
}

/^@@batch dirty / {
	have_held = 0
	print "batch.sh: the guest cannot be made like new after " substr($0, 15) > "/dev/stderr"
	next
}

/^@@batch end / && $3 == name {
	flush_held(1)
	write_to(guest "/current", "")
	account()
	write_to(dir "/" name "/status", $4 "\n")
	close(answer)
	answer = ""
	next
}

{
	flush_held(0)
	held = $0
	have_held = 1
}
# The guest has died in a script. guest.sh has said why, and ends after its output.
END {
	flush_held(1)
	if (answer) {
		account()
		write_to(dir "/" name "/status", "125\n")
		while ((getline line < (guest "/err")) > 0)
			print line > answer
		close(answer)
	}
}
