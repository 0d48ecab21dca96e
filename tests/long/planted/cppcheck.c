// SPDX-License-Identifier: GPL-2.0-only
/* cppcheck.c - faults that cppcheck must find */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int fourth(void)
{
	int all[3] = { 1, 2, 3 };

	return all[3];			/* finds: arrayIndexOutOfBounds */
}

int length(const char *path)
{
	FILE *f = fopen(path, "re");
	char line[10];

	if (!fgets(line, sizeof(line), f))
		return 0;		/* finds: resourceLeak */
	fclose(f);
	return (int)strlen(line);
}

void show(const char *name, long n)
{
	printf("%s %d\n", name, n);	/* finds: invalidPrintfArgType_sint */
	if (strlen(name) && n / 0)	/* finds: zerodiv */
		puts(name);
}
