# SPDX-License-Identifier: GPL-2.0-only
#
#   make              build/bprobe, one static binary
#   make demo         install what is missing, build, boot a real kernel, trace it
#   make quick        the quick tests, which need no guest: half a minute
#   make check        every test, on five kernels; check-short: nearly every suite, on one; SUITES="life keep" KERNELS="6.12": a part
#   make check-kernels  a few suites on each minor release that Debian's archive has
#   make check-long   the long forms of the attacks; random ones go on with new cases (SUITES=NAME: one of them)
#   make check-budget   quick, check-short and check: does each take no more CPU seconds than tests/budget.tsv allows?
#   make check-distros  build and test in Debian 12, Debian 13 and sid, made by debootstrap (as root)
#   make check-fleet    metrics in Debian's Prometheus, events through rsyslog into ClickHouse (doc/fleet.md)
#   make check-pictures  files for Perfetto, decoded with Perfetto's own definitions (doc/pictures.md)
#   make check-parsers  bprobe's output read by other projects' programs, the large ones too
#   make bench        what a hit costs, compared with the kernel's tracer, bpftrace and perf (doc/benchmark.md)
#   make cost         instructions to parse and resolve definitions (needs valgrind)
#   make insn-proof   the instruction decoder against objdump and Zydis, all kernels
#   make insn-cost    instructions to decode an instruction (needs valgrind)
#   make ARCH=arm64 objects   compile user/ for another CPU, in $(O)/arm64 (CROSS_COMPILE=aarch64-linux-gnu-); nothing is linked yet
#   make pictures     doc/pictures, from a terminal of tmux whose shell is in a guest
#   make install      DESTDIR= prefix=/usr/local; make uninstall; make deb: a Debian package
#
# O=DIR builds elsewhere, V=1 shows the commands, SAN=address,undefined builds the
# unit tests that way (the default), WERROR=1 makes warnings errors (CI does).

O	?= build
CC	?= gcc
CLANG	?= clang
# Ubuntu's /usr/sbin/bpftool is a script that wants the running kernel's own: take any.
BPFTOOL	?= $(firstword $(wildcard /usr/lib/linux-tools*/bpftool /usr/lib/linux-tools*/*/bpftool /usr/sbin/bpftool) bpftool)
PKG_CONFIG ?= pkg-config
SAN	?= address,undefined

# The CPU that bprobe is built for: a folder of user/arch/.
ARCH	?= x86_64
ifneq ($(shell uname -m),x86_64)
$(error bprobe decodes x86-64 instructions and registers: build it on x86_64, not on $(shell uname -m))
endif
# For another CPU only the objects of user/ are built, in $(O)/$(ARCH), with headers of this machine's libraries. What is built in is what
# this machine's libraries allow, as for its own CPU. The skeletons are this machine's: bpf/ has no other CPU's header yet.
HOST_CC	:= $(CC)
B	:= $(O)
ifneq ($(ARCH),x86_64)
ifneq ($(filter-out objects,$(or $(MAKECMDGOALS),all)),)
$(error ARCH=$(ARCH): only 'make ARCH=$(ARCH) objects' is possible yet)
endif
CROSS_COMPILE ?= $(if $(filter arm64,$(ARCH)),aarch64,$(ARCH))-linux-gnu-
override CC := $(CROSS_COMPILE)gcc
B	:= $(O)/$(ARCH)
FOREIGN	:= -idirafter /usr/include -idirafter /usr/include/$(shell $(HOST_CC) -print-multiarch)
endif

comma	:= ,
Q	:= $(if $(V),,@)
say	= $(if $(V),,@printf '  %-8s%s\n' '$(1)' '$(2)')

# A build may stop because a package is missing: a recipe that fails checks that.
missing	= $(if $(FOREIGN),exit 1,{ CC='$(CC)' CLANG='$(CLANG)' BPFTOOL='$(BPFTOOL)' PKG_CONFIG='$(PKG_CONFIG)' tests/setup.sh missing >&2; exit 1; })
have	= command -v $(firstword $(1)) > /dev/null || $(missing)

# Only lines of the source and C expressions need it. Its archive alone says nothing: it needs those of bzip2 and xz.
DW_LIBS	:= $(shell libs=$$($(PKG_CONFIG) --static --libs libdw 2> /dev/null) && echo 'int main(void) { return 0; }' | \
	$(HOST_CC) -static -include elfutils/libdwfl.h -x c -o /dev/null - $$libs > /dev/null 2>&1 && echo $$libs)

# Only Perfetto's own form (-o FILE.pftrace) needs it: the library, and the program that makes C of pftrace.proto.
PROTOC_C ?= protoc-c
PROTO_LIBS := $(shell command -v $(PROTOC_C) > /dev/null && libs=$$($(PKG_CONFIG) --static --libs libprotobuf-c 2> /dev/null) && \
	echo 'int main(void) { return 0; }' | $(HOST_CC) -static -include protobuf-c/protobuf-c.h -x c -o /dev/null - $$libs > /dev/null 2>&1 && \
	echo $$libs)

# The newest version with a date in CHANGELOG.md, and what was built.
RELEASE	:= 0.1.0
COMMIT	:= $(shell git describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)
CFLAGS	?= -O2 -g
# A static program that is loaded anywhere. STATIC=-static: for libraries that are not position-independent.
STATIC	?= -static-pie
# CET marks our own code only: Debian's libc.a has none.
HARDEN	?= -fstack-protector-strong -fstack-clash-protection -fcf-protection=full -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
HARDEN_LINK ?= -Wl,-z,relro,-z,now,-z,noexecstack,-z,separate-code
# Nothing of where it is built.
MAPPED	:= '-ffile-prefix-map=$(CURDIR)=.' '-ffile-prefix-map=$(O)/=build/'
WARN	:= -Wall -Wextra -Wshadow -Wformat=2 -Wstrict-prototypes -Wmissing-prototypes \
	   -Wdeclaration-after-statement -Wno-missing-field-initializers $(if $(WERROR),-Werror)
CPPFLAGS_ALL := -D_GNU_SOURCE -Iuser -Iinclude -I$(O) $(if $(DW_LIBS),-DHAVE_LIBDW) $(FOREIGN)
CFLAGS_ALL := -std=gnu11 $(WARN) $(CFLAGS) $(if $(FOREIGN),,$(if $(filter -static-pie,$(STATIC)),-fPIE) $(HARDEN)) $(MAPPED)

SRCS	:= $(filter-out user/compat/% $(filter-out user/arch/$(ARCH)/%,$(wildcard user/arch/*/*.c)) $(if $(DW_LIBS),user/elf/dwarf/none.c,$(filter-out %/answer.c %/child.c %/none.c,$(wildcard user/elf/dwarf/*.c))),$(sort $(wildcard user/*/*.c user/*/*/*.c)))
SRCS	:= $(filter-out user/timeline/$(if $(PROTO_LIBS),pftrace_none,pftrace).c,$(SRCS))
OBJS	:= $(SRCS:%.c=$(B)/%.o) $(if $(PROTO_LIBS),$(B)/pftrace.pb-c.o)
SKELS	:= $(patsubst bpf/%.bpf.c,$(O)/%.skel.h,$(wildcard bpf/*.bpf.c))
# Each folder where objects of user/ are built: bprobe's, with sanitizers, for libFuzzer, and to count lines.
BUILDS	:= $(B) $(O)/san $(O)/libfuzzer/obj $(O)/libfuzzer/counted
LIBS	= $(DW_LIBS) $(shell $(PKG_CONFIG) --static --libs libbpf libelf zlib 2>/dev/null || echo -lbpf -lelf -lz) $(ZSTD_LIBS) $(IBERTY_LIBS) $(PROTO_LIBS) $(COMPAT)
# Functions that an archive among these may call without having them. Last of all: the linker takes from here what
# is still missing then, which is nothing where the archive has them.
COMPAT	:= $(O)/compat.a
# Only a compressed trace.dat needs it: Debian's trace-cmd reads no other. Without it --compress knows zlib only.
ZSTD_LIBS := $(shell $(PKG_CONFIG) --static --libs libzstd 2>/dev/null)
CPPFLAGS_ALL += $(if $(ZSTD_LIBS),-DHAVE_ZSTD)
# Without it the names of C++ and Rust functions stay as their files have them. It has no .pc file, and old ones lack Rust: so try.
IBERTY_LIBS := $(shell for header in libiberty/demangle.h demangle.h; do \
	echo 'int main(void) { return cplus_demangle_v3_callback("", 0, 0, 0) + rust_demangle_callback("", 0, 0, 0); }' | \
	$(HOST_CC) -static -include $$header -x c -o /dev/null - -liberty > /dev/null 2>&1 && echo -liberty && break; done)
CPPFLAGS_ALL += $(if $(IBERTY_LIBS),-DHAVE_LIBIBERTY)
VMLINUX_H ?= vmlinux/vmlinux.h

all: $(O)/bprobe $(O)/bprobe.spdx.json $(O)/completion/bprobe.bash $(O)/completion/_bprobe

# They have the words of the program's tables.
$(O)/completion/%: doc/completion/%.in doc/completion/words.sh user/attach/backends.h user/lang/shown.h user/lang/type_words.c
	$(Q)mkdir -p $(@D) && doc/completion/words.sh < $< > $@.new && mv $@.new $@

objects: $(OBJS)

$(COMPAT): $(patsubst %.c,$(O)/%.o,$(wildcard user/compat/*.c))
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(O)/bprobe: $(OBJS) $(COMPAT)
	$(call say,LINK,$@)
	$(Q)$(CC) $(STATIC) $(CFLAGS) $(HARDEN_LINK) -Wl,-Map=$@.map $(LDFLAGS) -o $@ $(OBJS) $(LIBS) || $(missing)

# Objects that were built with other options are built again. Warnings change no object.
BUILT_WITH := $(CC) $(CPPFLAGS_ALL) $(filter-out $(WARN),$(CFLAGS_ALL))
stamp	= @mkdir -p $(@D); echo '$(subst ','\'',$(1))' > $@.new; cmp -s $@.new $@ && rm $@.new || mv $@.new $@
$(B)/flags.stamp: FORCE
	$(call stamp,$(BUILT_WITH))

$(B)/%.o: %.c $(B)/flags.stamp
	$(call say,CC,$<)
	$(Q)$(call have,$(CC))
	$(Q)mkdir -p $(@D) && $(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -MMD -MP -c $< -o $@ || $(missing)

# protoc-c writes it, so warnings about it are of no use.
$(O)/pftrace.pb-c.c $(O)/pftrace.pb-c.h &: user/timeline/pftrace.proto
	$(call say,PROTO,$<)
	$(Q)mkdir -p $(O) && $(PROTOC_C) --c_out=$(O) --proto_path=$(<D) $<

$(B)/pftrace.pb-c.o: $(B)/flags.stamp
$(B)/pftrace.pb-c.o $(O)/san/pftrace.pb-c.o: $(O)/pftrace.pb-c.c
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(CPPFLAGS_ALL) $(if $(findstring /san/,$@),-std=gnu11 $(SAN_FLAGS),$(CFLAGS_ALL)) -w -c $< -o $@

$(BUILDS:%=%/user/timeline/pftrace.o): $(O)/pftrace.pb-c.c

BPF_CFLAGS := -g -O2 -Wall -Werror $(MAPPED) -target bpf -mcpu=v3 -D__TARGET_ARCH_x86 -I$(dir $(VMLINUX_H)) -Iinclude
$(O)/bpf-flags.stamp: FORCE
	$(call stamp,$(CLANG) $(BPF_CFLAGS))

$(O)/%.bpf.o: bpf/%.bpf.c $(VMLINUX_H) $(O)/bpf-flags.stamp
	$(call say,BPF,$<)
	$(Q)$(call have,$(CLANG))
	$(Q)mkdir -p $(@D) && $(CLANG) $(BPF_CFLAGS) -MMD -MP -c $< -o $@ || $(missing)

# libbpf reads the whole object at each start. So it has no debug information (bpftool's linker leaves it out), source lines or labels.
$(O)/slim: bpf/slim.c
	$(call say,CC,$<)
	$(Q)$(call have,$(HOST_CC))
	$(Q)mkdir -p $(@D) && $(HOST_CC) -std=gnu11 $(WARN) -O2 -o $@ $< $(shell $(PKG_CONFIG) --libs libelf 2> /dev/null || echo -lelf) || $(missing)

$(O)/%.skel.o: $(O)/%.bpf.o $(O)/slim
	$(call say,STRIP,$@)
	$(Q)$(call have,$(BPFTOOL))
	$(Q)$(BPFTOOL) gen object $@.new $< && $(O)/slim $@.new && mv $@.new $@ || $(missing)

$(O)/%.skel.h: $(O)/%.skel.o
	$(call say,SKEL,$@)
	$(Q)$(BPFTOOL) gen skeleton $< name $*_bpf > $@ || $(missing)

# One includer per skeleton.
$(BUILDS:%=%/user/run/engine.o): $(O)/probe.skel.h
$(BUILDS:%=%/user/run/cgwatch.o): $(O)/cgroup.skel.h
$(BUILDS:%=%/user/kernel/mem/kmem_bpf.o): $(O)/ktext.skel.h

# The page of --report, which its one includer has in it.
$(O)/report_page.h: $(wildcard user/report/page/*)
	$(call say,PAGE,$@)
	$(Q)mkdir -p $(@D) && user/report/page/embed.sh > $@.new && mv $@.new $@
$(BUILDS:%=%/user/report/page.o): $(O)/report_page.h

# What is linked into it, with the versions: for --version -v, the package and the SPDX document.
$(O)/linked.tsv: Makefile packaging/linked.sh $(wildcard /var/lib/dpkg/status)
	$(Q)mkdir -p $(@D) && CC='$(HOST_CC)' PKG_CONFIG='$(PKG_CONFIG)' packaging/linked.sh $(LIBS) > $@
$(O)/linked.h: $(O)/linked.tsv
	$(Q)awk -F '\t' '{ printf "LINKED(\"%s\", \"%s\", \"%s\", \"%s\", \"%s\", \"%s\")\n", $$1, $$2, $$3, $$4, $$5, $$6 }' $< > $@
$(O)/bprobe.spdx.json: $(O)/linked.tsv $(O)/version.stamp packaging/spdx.sh
	$(Q)packaging/spdx.sh '$(RELEASE)' '$(COMMIT)' $< > $@
$(BUILDS:%=%/user/base/version.o): $(O)/linked.h

# The commit changes often, so only the one file that uses it is built again.
$(BUILDS:%=%/user/base/version.o): CPPFLAGS_ALL += -DBPROBE_RELEASE='"$(RELEASE)"' -DBPROBE_COMMIT='"$(COMMIT)"'
$(BUILDS:%=%/user/base/version.o): $(O)/version.stamp
$(O)/version.stamp: FORCE
	@mkdir -p $(O); echo '$(RELEASE) $(COMMIT)' | cmp -s - $@ || echo '$(RELEASE) $(COMMIT)' > $@

# ---- tests ----

# Packages can be missing before this makefile can build anything, so they come first, in a make of their own.
demo:
	@tests/setup.sh
	$(Q)$(MAKE) --no-print-directory all
	$(Q)tests/guest/suites/demo.sh $(O)/bprobe

pictures:
	@tests/setup.sh
	@tests/setup.sh page
	$(Q)$(MAKE) --no-print-directory all $(O)/tests/floor
	$(Q)O=$(O) tests/pictures.sh $(O)/bprobe
	$(Q)O=$(O) tests/report/picture.sh $(O)/bprobe

# Half an hour, and large downloads: see tests/lines/check.sh.
check-lines:
	@tests/setup.sh
	$(Q)$(MAKE) -j$(shell nproc) --no-print-directory all $(O)/tests/places $(O)/tests/scopes $(O)/tests/wl $(LINE_PROGRAMS)
	$(Q)O=$(O) tests/lines/check.sh

# The levels: what needs no guest; one kernel; everything; a part of it on many kernels.
quick check-short check check-kernels check-long:
	@tests/setup.sh
	@$(if $(filter check-long,$@),tests/setup.sh fuzz && tests/setup.sh analyzers)
	$(Q)$(MAKE) -j$(shell nproc) --no-print-directory all tests
	$(Q)O=$(O) SUITES='$(SUITES)' KERNELS='$(KERNELS)' tests/check.sh $(patsubst check-%,%,$(patsubst check,full,$@))

LEVELS	?= quick short full
check-budget:
	@tests/setup.sh
	$(Q)$(MAKE) -j$(shell nproc) --no-print-directory all tests
	$(Q)for level in $(LEVELS); do O=$(O) BUDGET=check tests/check.sh $$level || exit 1; done

# All pure modules are built once with sanitizers, for all unit tests.
TESTS	:= $(patsubst tests/unit/%.c,$(O)/tests/unit/%,$(wildcard tests/unit/test_*.c))
# The rooms that need a kernel or print; the room of bprobe's own bpf(2) below them.
UPPER	:= $(patsubst %,user/%/%,set stream keep trace cli)
# What reads texts and files there needs none.
READERS	:= $(addprefix user/,keep/kept.c keep/apply_text.c keep/apply_read.c cli/options_read.c stream/dat_part.c trace/recorded.c trace/recorded_symbols.c) \
	$(patsubst %,user/set/%.c,answers definitions given_triggers names option removals synthetics tasks_option text_file)
PURE	:= $(filter-out $(UPPER) user/run/% %/detach_child.c %/version.c,$(SRCS)) $(READERS)
PURE_OBJS := $(PURE:%.c=$(O)/san/%.o) $(if $(PROTO_LIBS),$(O)/san/pftrace.pb-c.o)
SAN_FLAGS := -O1 -g -fno-omit-frame-pointer $(if $(SAN),-fsanitize=$(SAN))
FUZZERS := $(patsubst tests/fuzz/%.c,$(O)/tests/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))
TEST_WARN := $(filter-out -Wmissing-prototypes,$(WARN)) -Wno-unused-function $(if $(findstring clang,$(CC)),,-Wno-format-truncation -Wno-format-overflow)

# What is traced is built by gcc, also where bprobe is not: clang has neither its copies of functions nor its attributes.
GUEST_CC := $(if $(findstring clang,$(CC)),gcc,$(CC))

# The program that lines.sh traces: by two compilers, with DWARF 4 and 5, compressed, and with the debug information in another file.
LINE_PROGRAMS	:= $(addprefix $(O)/tests/lw-,gcc5 gcc4 clang5 clang4 packed stripped split split4 shared)
LW	= $(Q)mkdir -p $(@D) && $(1) -O2 -std=gnu11 $(WARN) -static -Wl,--build-id $(2) -o $@ $<

tests: $(O)/tests/places $(O)/tests/btf/vmlinux $(O)/tests/image/vmlinux $(TESTS) $(FUZZERS) $(O)/tests/wl $(O)/tests/pw $(O)/tests/bw $(O)/tests/ptyplay $(O)/tests/tw $(O)/tests/bpfcount $(O)/tests/ringcheck $(O)/tests/elapsedcheck $(O)/tests/setcaps $(O)/tests/floor $(O)/tests/kmemcheck $(O)/tests/verdict $(O)/tests/hooks $(O)/tests/xrefcheck $(O)/tests/imgrefs $(O)/tests/big $(O)/tests/made $(O)/tests/recording $(O)/tests/frames $(O)/tests/dw $(O)/tests/dwpie $(LINE_PROGRAMS)

$(O)/san/%.o: %.c
	$(call say,CC,$< ($(SAN)))
	$(Q)mkdir -p $(@D) && $(CC) $(CPPFLAGS_ALL) -std=gnu11 $(TEST_WARN) $(SAN_FLAGS) -MMD -MP -c $< -o $@

# bprobe itself with them (tests/long/leaks.sh). Not static: ASan does not allow it.
SAN_OBJS := $(SRCS:%.c=$(O)/san/%.o) $(if $(PROTO_LIBS),$(O)/san/pftrace.pb-c.o)
$(O)/san/bprobe: $(SAN_OBJS) $(COMPAT)
	$(call say,LINK,$@)
	$(Q)$(CC) $(SAN_FLAGS) -o $@ $(SAN_OBJS) $(LIBS)

# A test links what it needs of them. The list is here, so it is made again if this file changes.
$(O)/san.a: $(PURE_OBJS) Makefile
	$(Q)rm -f $@ && $(AR) rcs --thin $@ $(filter %.o,$^)

# Some include a file of user/run/.
$(O)/tests/unit/%: tests/unit/%.c $(wildcard tests/unit/*.h user/run/*.[ch] user/keep/*.[ch]) $(O)/san.a
	$(call say,TEST,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(CPPFLAGS_ALL) -Itests/unit -std=gnu11 $(TEST_WARN) $(SAN_FLAGS) -o $@ \
		$< $(O)/san.a $(LIBS)

FUZZ_HEADERS := $(wildcard tests/fuzz/*.h tests/unit/*.h) tests/roll.h
$(O)/tests/fuzz/%: tests/fuzz/%.c $(FUZZ_HEADERS) $(O)/san.a
	$(call say,TEST,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(CPPFLAGS_ALL) -Itests/fuzz -DSTANDALONE -std=gnu11 $(TEST_WARN) $(SAN_FLAGS) -o $@ \
		$< $(O)/san.a $(LIBS)

# The same targets for libFuzzer (tests/long/fuzz.sh), with every object of theirs built so that what it reaches guides the mutations; and once
# more to count lines (tests/long/coverage.sh). clang's warnings are not asked for here.
LIBFUZZER := $(O)/libfuzzer
LIBFUZZERS := $(patsubst tests/fuzz/%.c,$(LIBFUZZER)/%,$(wildcard tests/fuzz/fuzz_*.c))
LF_CC	= $(CLANG) $(CPPFLAGS_ALL) -Itests/fuzz -std=gnu11 -w -O1 -g -fno-omit-frame-pointer
LF_SAN	:= address,undefined -fno-sanitize-recover=undefined
COUNTED	:= -fprofile-instr-generate -fcoverage-mapping
LF_SRCS	:= $(PURE) $(if $(PROTO_LIBS),pftrace.pb-c.c)

libfuzzer: $(LIBFUZZERS) $(FUZZERS)
covered: $(LIBFUZZERS:$(LIBFUZZER)/%=$(LIBFUZZER)/covered/%)

$(LIBFUZZER)/flags.stamp: FORCE
	$(call stamp,$(LF_CC) $(LF_SAN) $(COUNTED))

$(LIBFUZZER)/obj/%.o: %.c $(LIBFUZZER)/flags.stamp
	$(call say,FUZZ,$<)
	$(Q)mkdir -p $(@D) && $(LF_CC) -fsanitize=fuzzer-no-link,$(LF_SAN) -MMD -MP -c $< -o $@ || $(missing)

$(LIBFUZZER)/counted/%.o: %.c $(LIBFUZZER)/flags.stamp
	$(call say,COUNT,$<)
	$(Q)mkdir -p $(@D) && $(LF_CC) $(COUNTED) -MMD -MP -c $< -o $@ || $(missing)

$(LIBFUZZER)/obj/pftrace.pb-c.o $(LIBFUZZER)/counted/pftrace.pb-c.o: $(O)/pftrace.pb-c.c
	$(Q)mkdir -p $(@D) && $(LF_CC) $(if $(findstring /obj/,$@),-fsanitize=fuzzer-no-link$(comma)$(LF_SAN)) -c $< -o $@

$(LIBFUZZER)/obj.a: $(LF_SRCS:%.c=$(LIBFUZZER)/obj/%.o)
$(LIBFUZZER)/counted.a: $(LF_SRCS:%.c=$(LIBFUZZER)/counted/%.o)
$(LIBFUZZER)/obj.a $(LIBFUZZER)/counted.a: Makefile
	$(Q)rm -f $@ && $(AR) rcs --thin $@ $(filter %.o,$^)

$(LIBFUZZER)/covered/fuzz_%: tests/fuzz/fuzz_%.c $(FUZZ_HEADERS) $(LIBFUZZER)/counted.a $(COMPAT)
	$(call say,COUNT,$@)
	$(Q)mkdir -p $(@D) && $(LF_CC) $(COUNTED) -fsanitize=fuzzer -o $@ $< $(LIBFUZZER)/counted.a $(LIBS)

$(LIBFUZZER)/fuzz_%: tests/fuzz/fuzz_%.c $(FUZZ_HEADERS) $(LIBFUZZER)/obj.a $(COMPAT)
	$(call say,FUZZ,$@)
	$(Q)mkdir -p $(@D) && $(LF_CC) -fsanitize=fuzzer,$(LF_SAN) -o $@ $< $(LIBFUZZER)/obj.a $(LIBS)

$(TESTS) $(FUZZERS) $(addprefix $(O)/tests/,verdict xrefcheck big made recording kmemcheck parsers/hostile): $(COMPAT)

# What the guests run beside bprobe. Those with data at fixed addresses are linked above these: from 5.18 on
# (arch_randomize_brk(), arch/x86/kernel/process.c) the heap begins anywhere in the GiB behind the program.
$(O)/tests/wl $(O)/tests/bw $(O)/tests/dw: guest_ldflags := -Wl,-Ttext-segment=0x40000000
$(O)/tests/wl: tests/guest/tools/workload.c
$(O)/tests/ptyplay: tests/guest/tools/ptyplay.c
$(O)/tests/tw: tests/corpus/tw.c
$(O)/tests/bpfcount: tests/guest/tools/bpfcount.c
$(O)/tests/ringcheck: tests/guest/tools/ringcheck.c
$(O)/tests/elapsedcheck: tests/guest/tools/elapsedcheck.c
$(O)/tests/setcaps: tests/guest/tools/setcaps.c
$(O)/tests/pw: tests/guest/tools/pw.c
$(O)/tests/bw: tests/guest/tools/bw.c
$(O)/tests/pw $(O)/tests/wl $(O)/tests/bw $(O)/tests/ptyplay $(O)/tests/tw $(O)/tests/bpfcount $(O)/tests/ringcheck $(O)/tests/elapsedcheck $(O)/tests/setcaps:
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(GUEST_CC) -O2 -std=gnu11 $(WARN) -static $(guest_ldflags) -o $@ $< -pthread

$(O)/tests/places: tests/lines/places.c $(filter $(O)/user/base/% $(O)/user/cexpr/% $(O)/user/elf/% $(O)/user/arch/%,$(OBJS)) $(COMPAT)
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -static -o $@ $(filter %.c %.o,$^) $(LIBS)

# Of bprobe's code it has nothing: it judges bprobe.
$(O)/tests/scopes: tests/lines/scopes.c
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(CC) -O2 -std=gnu11 $(WARN) -o $@ $< -ldw -lelf

# The program that dynamic.sh traces: at fixed addresses, and as a PIE with a library.
$(O)/tests/dw: tests/guest/tools/dw.c
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(GUEST_CC) -O2 -std=gnu11 $(WARN) -static -no-pie $(guest_ldflags) -o $@ $< -pthread

$(O)/tests/libdw.so: tests/guest/tools/dw.c
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(GUEST_CC) -O2 -std=gnu11 $(WARN) -DDW_LIBRARY -fPIC -shared -o $@ $<

$(O)/tests/dwpie: tests/guest/tools/dw.c $(O)/tests/libdw.so
	$(call say,CC,$@)
	$(Q)$(GUEST_CC) -O2 -std=gnu11 $(WARN) -DDW_DYNAMIC -fPIE -pie -o $@ $< -L$(@D) -l:libdw.so -Wl,-rpath,'$$ORIGIN' -pthread

$(O)/tests/lw-gcc%: tests/guest/tools/lw.c
	$(call say,CC,$@)
	$(call LW,$(GUEST_CC),-gdwarf-$*)

$(O)/tests/lw-clang%: tests/guest/tools/lw.c
	$(call say,CLANG,$@)
	$(call LW,$(CLANG),-gdwarf-$*)

$(O)/tests/lw-packed: tests/guest/tools/lw.c
	$(call say,CC,$@)
	$(call LW,$(GUEST_CC),-g -gz=zlib)

# Most of it is in $@-lw.dwo, beside it.
$(O)/tests/lw-split: tests/guest/tools/lw.c
	$(call say,CC,$@)
	$(call LW,$(GUEST_CC),-gdwarf-5 -gsplit-dwarf)

$(O)/tests/lw-split4: tests/guest/tools/lw.c
	$(call say,CC,$@)
	$(call LW,$(GUEST_CC),-gdwarf-4 -gsplit-dwarf)

# What two programs have in common is in a third file, whose name is relative.
$(O)/tests/lw-shared: $(O)/tests/lw-gcc5
	$(call say,DWZ,$@)
	$(Q)cp $< $@ && cp $< $@.2 && dwz -r -m $@.common $@ $@.2

$(O)/tests/lw-stripped: $(O)/tests/lw-gcc5
	$(call say,STRIP,$@)
	$(Q)objcopy --only-keep-debug $< $@.debug && objcopy --strip-all $< $@

# With a frame in each function (not so with -O1), and at another address each time.
$(O)/tests/frames: tests/guest/tools/frames.c
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(GUEST_CC) -O0 -std=gnu11 $(WARN) -fno-omit-frame-pointer -fPIE -static-pie -o $@ $<

# A guest's other tracer (guest.sh -M).
$(O)/tests/floor: tests/bench/floor.c $(COMPAT)
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(CC) -O2 -std=gnu11 $(WARN) -D_GNU_SOURCE -static -o $@ $< $(LIBS)

# These with the modules that they test.
$(O)/tests/verdict: tests/guest/tools/verdict.c \
		$(filter $(O)/user/base/% $(O)/user/arch/% $(O)/user/kernel/%,$(OBJS))
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -static -o $@ $(filter %.c %.o,$^) $(LIBS)

$(O)/tests/hooks: tests/guest/tools/hooks.c $(filter-out $(UPPER:%=$(O)/%),$(OBJS))
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -static -o $@ $(filter %.c %.o,$^) $(LIBS)

$(O)/tests/xrefcheck: tests/guest/tools/xrefcheck.c \
		$(filter $(O)/user/base/% $(O)/user/arch/% $(O)/user/kernel/%,$(OBJS))
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -static -o $@ $(filter %.c %.o,$^) $(LIBS)

$(O)/tests/big $(O)/tests/made: $(O)/tests/%: tests/dat/%.c tests/unit/tap.h $(filter-out $(O)/user/cli/main.o,$(OBJS))
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(CPPFLAGS_ALL) -Itests/unit $(CFLAGS_ALL) -static -o $@ $(filter %.c %.o,$^) $(LIBS)

$(O)/tests/recording: tests/report/recording.c $(filter-out $(O)/user/cli/main.o,$(OBJS))
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -static -o $@ $(filter %.c %.o,$^) $(LIBS)

$(O)/tests/imgrefs: tests/xref/imgrefs.c
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(CFLAGS_ALL) -o $@ $<

$(O)/tests/kmemcheck: tests/guest/tools/kmemcheck.c tests/unit/tap.h \
		$(filter $(O)/user/base/% $(O)/user/kernel/mem/% $(O)/user/kernel/syms/% $(O)/user/kernel/btf/% $(O)/user/kernel/events/% $(O)/user/arch/% $(O)/user/kernel/release% $(O)/user/kernel/disabled%,$(OBJS))
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(CPPFLAGS_ALL) -Itests/unit $(CFLAGS_ALL) -static -o $@ \
		$(filter %.c %.o,$^) $(LIBS)

$(O)/tests/btf/vmlinux: tests/golden/btf.c
	$(call say,BTF,$@)
	$(Q)$(call have,$(CLANG))
	$(Q)mkdir -p $(@D) && $(CLANG) -g -O2 -target bpf -c $< -o $@

# A small model of a kernel, with its kallsyms, which has no labels from inside a function.
$(O)/tests/image/vmlinux: tests/golden/image.S
	$(call say,IMAGE,$@)
	$(Q)mkdir -p $(@D) && $(GUEST_CC) -nostdlib -static -Wl,-Ttext=0xffffffff81000000,--build-id=none,-e,0 -o $@ $< \
		&& nm -n $@ | grep -vE ' (label_site|key_site|static_site|bug_site|probe_site|optimised_site|page[12]|percpu|records(_end)?)$$' \
		| sed 's/ D boot_fn/ T boot_fn/' > $(@D)/kallsyms

cost: $(O)/bprobe
	$(Q)O=$(O) tests/bench/cost.sh

bench:
	@tests/setup.sh
	$(Q)$(MAKE) --no-print-directory all $(O)/tests/places
	$(Q)O=$(O) tests/bench/bench.sh
	$(Q)O=$(O) tests/bench/lines.sh

bench-check: $(O)/bprobe $(O)/tests/wl
	$(Q)O=$(O) tests/bench/bench.sh --check; status=$$?; O=$(O) tests/bench/verified.sh 5.10 6.1 6.12 && exit $$status

# A test needs Zydis, bprobe does not: tests/insn/proof.sh builds this, and says if it cannot.
INSN_SRCS := $(wildcard tests/insn/*.c user/arch/x86_64/insn*.c)
$(O)/tests/proof: $(INSN_SRCS) $(wildcard tests/insn/*.h user/arch/x86_64/insn*.h)
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(CPPFLAGS_ALL) -Itests/insn $(CFLAGS_ALL) -o $@ $(INSN_SRCS) -lZydis -lZycore

insn-proof:
	$(Q)O=$(O) tests/insn/proof.sh

insn-cost:
	$(Q)tests/bench/decode.sh

# These give bprobe's output to readers of other projects: tests/parsers/parsers.sh builds them, and says if it cannot.
$(O)/tests/parsers/formats: tests/parsers/formats.c
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(CFLAGS_ALL) -o $@ $< $(shell $(PKG_CONFIG) --cflags --libs libtraceevent)

$(O)/tests/parsers/hostile: tests/parsers/hostile.c $(filter-out $(UPPER:%=$(O)/%) $(O)/user/run/% $(O)/user/registry/%,$(OBJS))
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -o $@ $(filter %.c %.o,$^) $(LIBS)

check-fleet:
	@tests/setup.sh fleet
	$(Q)$(MAKE) --no-print-directory all $(O)/tests/wl $(O)/tests/floor
	$(Q)tests/guest/rig/kernels.sh fetch 6.12 && tests/guest/rig/userland.sh fetch
	$(Q)O=$(O) tests/fleet/prometheus.sh
	$(Q)O=$(O) tests/fleet/events.sh
	$(Q)O=$(O) tests/fleet/scale.sh

check-pictures:
	@tests/setup.sh pictures
	$(Q)$(MAKE) --no-print-directory all $(O)/tests/unit/test_timeline $(O)/tests/wl
	$(Q)O=$(O) tests/timeline/check.sh

# In a browser; needs its package, and no guest. The pictures stay in $(O)/page.
check-page:
	@tests/setup.sh page
	$(Q)$(MAKE) --no-print-directory all $(O)/tests/recording
	$(Q)python3 tests/report/page.py $(O)/bprobe $(O)/tests/recording $(O)/page

check-parsers:
	@tests/setup.sh parsers
	$(Q)$(MAKE) --no-print-directory all tests
	$(Q)O=$(O) tests/parsers/parsers.sh all

check-distros:
	$(Q)tests/distros.sh

# ---- the rest ----

include packaging/install.mk

clean:
	rm -rf $(O)

-include $(OBJS:.o=.d) $(SAN_OBJS:.o=.d) $(patsubst %.c,$(LIBFUZZER)/obj/%.d,$(PURE)) $(patsubst %.c,$(LIBFUZZER)/counted/%.d,$(PURE)) $(wildcard $(O)/user/compat/*.d) $(wildcard $(O)/*.bpf.d)

.SECONDARY:
.PHONY: libfuzzer covered all objects clean demo pictures quick check check-short check-kernels check-long check-budget check-lines check-fleet check-page check-parsers check-pictures check-distros tests bench bench-check cost insn-proof insn-cost FORCE
.DELETE_ON_ERROR:
