# SPDX-License-Identifier: GPL-2.0-only
#
#   make install      DESTDIR= prefix=/usr/local, and the directories below; STRIP= keeps the symbols
#   make uninstall    the same, the other way round
#   make deb          $(O)/bprobe_VERSION_amd64.deb (packaging/deb.sh)

prefix	?= /usr/local
bindir	?= $(prefix)/bin
mandir	?= $(prefix)/share/man
docdir	?= $(prefix)/share/doc/bprobe
bashcompdir ?= $(prefix)/share/bash-completion/completions
zshcompdir ?= $(prefix)/share/zsh/site-functions

# STRIP= leaves the symbols in. The sections are those that dh_strip takes out.
STRIP	?= strip
STRIP_FLAGS ?= --strip-unneeded --remove-section=.comment --remove-section=.note

# MODE:FILE:WHERE
INSTALLED = 755:$(O)/bprobe:$(bindir)/bprobe \
	    644:doc/bprobe.1:$(mandir)/man1/bprobe.1 \
	    644:$(O)/completion/bprobe.bash:$(bashcompdir)/bprobe \
	    644:$(O)/completion/_bprobe:$(zshcompdir)/_bprobe \
	    644:$(O)/bprobe.spdx.json:$(docdir)/bprobe.spdx.json \
	    644:doc/bprobe-kept.service:$(docdir)/examples/bprobe-kept.service \
	    644:doc/bprobe-metrics.service:$(docdir)/examples/bprobe-metrics.service \
	    644:doc/bprobe-metrics.timer:$(docdir)/examples/bprobe-metrics.timer \
	    644:doc/bprobe-modules.rules:$(docdir)/examples/bprobe-modules.rules \
	    $(foreach file,README.md CHANGELOG.md LICENSE $(wildcard doc/*.md),644:$(file):$(docdir)/$(notdir $(file)))

# Where bprobe was installed before it came into bin. sbin may be a link to bin, so these go before anything is installed.
sbindir	?= $(prefix)/sbin
FORMER	= $(sbindir)/bprobe $(mandir)/man8/bprobe.8

install: all
	$(Q)set -e; for former in $(FORMER); do rm -f "$(DESTDIR)$$former"; done
	$(Q)set -e; for each in $(INSTALLED); do \
		mode=$${each%%:*}; file=$${each#*:}; \
		install -D -m $$mode "$${file%%:*}" "$(DESTDIR)$${file#*:}"; \
		$(if $(V),echo "  INSTALL $(DESTDIR)$${file#*:}";) \
	done
	$(if $(STRIP),$(Q)$(STRIP) $(STRIP_FLAGS) "$(DESTDIR)$(bindir)/bprobe")

uninstall:
	$(Q)set -e; for each in $(INSTALLED) $(FORMER); do rm -f "$(DESTDIR)$${each##*:}"; done
	$(Q)rmdir "$(DESTDIR)$(docdir)/examples" "$(DESTDIR)$(docdir)" 2> /dev/null || :

deb: all
	$(call say,DEB,$(O)/bprobe_*.deb)
	$(Q)MAKE='$(MAKE)' O='$(O)' packaging/deb.sh

.PHONY: install uninstall deb
