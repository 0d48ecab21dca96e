# SPDX-License-Identifier: GPL-2.0-only
#
#   make            build/bprobe, one static binary
#   make demo       install what is missing, build, boot a real kernel, trace it
#   make check      every test; make check-unit: the fast ones only
#
# O=DIR builds elsewhere, V=1 shows the commands, SAN=address,undefined builds the
# unit tests that way (the default), WERROR=1 makes warnings errors (CI does).

O	?= build
CC	?= gcc
CLANG	?= clang
BPFTOOL	?= $(firstword $(wildcard /usr/sbin/bpftool) bpftool)
PKG_CONFIG ?= pkg-config
SAN	?= address,undefined

ifneq ($(shell uname -m),x86_64)
$(error bprobe decodes x86-64 instructions and registers: build it on x86_64, not on $(shell uname -m))
endif

Q	:= $(if $(V),,@)
say	= $(if $(V),,@printf '  %-8s%s\n' '$(1)' '$(2)')

VERSION	:= $(shell git describe --always --dirty 2>/dev/null || echo unknown)
CFLAGS	?= -O2 -g
WARN	:= -Wall -Wextra -Wshadow -Wformat=2 -Wstrict-prototypes -Wmissing-prototypes \
	   -Wdeclaration-after-statement -Wno-missing-field-initializers $(if $(WERROR),-Werror)
CPPFLAGS_ALL := -D_GNU_SOURCE -Iuser -Iinclude -I$(O)
CFLAGS_ALL := -std=gnu11 $(WARN) $(CFLAGS)

SRCS	:= $(sort $(wildcard user/*/*.c))
OBJS	:= $(SRCS:%.c=$(O)/%.o)
SKELS	:= $(patsubst bpf/%.bpf.c,$(O)/%.skel.h,$(wildcard bpf/*.bpf.c))
LIBS	= $(shell $(PKG_CONFIG) --static --libs libbpf libelf zlib 2>/dev/null || echo -lbpf -lelf -lz)
VMLINUX_H ?= vmlinux/vmlinux.h

all: $(O)/bprobe

$(O)/bprobe: $(OBJS)
	$(call say,LINK,$@)
	$(Q)$(CC) -static $(CFLAGS) $(LDFLAGS) -o $@ $(OBJS) $(LIBS)

$(O)/%.o: %.c
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -MMD -MP -c $< -o $@

$(O)/%.bpf.o: bpf/%.bpf.c $(VMLINUX_H)
	$(call say,BPF,$<)
	$(Q)mkdir -p $(@D) && $(CLANG) -g -O2 -Wall -Werror -target bpf -D__TARGET_ARCH_x86 \
		-I$(dir $(VMLINUX_H)) -Iinclude -MMD -MP -c $< -o $@

$(O)/%.skel.h: $(O)/%.bpf.o
	$(call say,SKEL,$@)
	$(Q)$(BPFTOOL) gen skeleton $< name $*_bpf > $@

# One includer per skeleton.
$(O)/user/run/engine.o: $(O)/probe.skel.h

# The version changes with every commit: only its one user is built again.
$(O)/user/cli/version.o: CPPFLAGS_ALL += -DBPROBE_VERSION='"$(VERSION)"'
$(O)/user/cli/version.o: $(O)/version.stamp
$(O)/version.stamp: FORCE
	@mkdir -p $(O); echo '$(VERSION)' | cmp -s - $@ || echo '$(VERSION)' > $@

clean:
	rm -rf $(O)

-include $(OBJS:.o=.d) $(wildcard $(O)/*.bpf.d)

.SECONDARY:
.PHONY: all clean FORCE
.DELETE_ON_ERROR:
