# SPDX-License-Identifier: GPL-2.0-only
#
#   make install      DESTDIR= prefix=/usr/local, and the directories below
#   make uninstall    the same, the other way round
#   make deb          $(O)/bprobe_VERSION_amd64.deb (packaging/deb.sh)

prefix	?= /usr/local
sbindir	?= $(prefix)/sbin
mandir	?= $(prefix)/share/man
docdir	?= $(prefix)/share/doc/bprobe
bashcompdir ?= $(prefix)/share/bash-completion/completions
zshcompdir ?= $(prefix)/share/zsh/site-functions

# MODE:FILE:WHERE
INSTALLED = 755:$(O)/bprobe:$(sbindir)/bprobe \
	    644:doc/bprobe.8:$(mandir)/man8/bprobe.8 \
	    644:doc/completion/bprobe.bash:$(bashcompdir)/bprobe \
	    644:doc/completion/_bprobe:$(zshcompdir)/_bprobe \
	    644:doc/bprobe-kept.service:$(docdir)/examples/bprobe-kept.service \
	    $(foreach file,README.md CHANGELOG.md LICENSE $(wildcard doc/*.md),644:$(file):$(docdir)/$(notdir $(file)))

install: all
	$(Q)set -e; for each in $(INSTALLED); do \
		mode=$${each%%:*}; file=$${each#*:}; \
		install -D -m $$mode "$${file%%:*}" "$(DESTDIR)$${file#*:}"; \
		$(if $(V),echo "  INSTALL $(DESTDIR)$${file#*:}";) \
	done

uninstall:
	$(Q)set -e; for each in $(INSTALLED); do rm -f "$(DESTDIR)$${each##*:}"; done
	$(Q)rmdir "$(DESTDIR)$(docdir)/examples" "$(DESTDIR)$(docdir)" 2> /dev/null || :

deb: all
	$(call say,DEB,$(O)/bprobe_*.deb)
	$(Q)MAKE='$(MAKE)' O='$(O)' packaging/deb.sh

.PHONY: install uninstall deb
