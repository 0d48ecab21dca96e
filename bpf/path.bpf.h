/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * path.bpf.h - the text of a path (:path), as /proc/PID/fd shows it to the task that runs.
 *
 * It does what d_path() does (5.10 to 7.3, fs/d_path.c): from the file upwards, through its parents and from each mount to the place where
 * it is mounted, up to the task's root. The text is made from its end to its start in struct bp_path, which is behind the record that is
 * being filled. What changes from step to step lies in that memory, not in registers. So the verifier knows nothing of it, and walks each
 * step once. The rules for loops of compat.bpf.h hold here, too.
 */
#ifndef PATH_BPF_H
#define PATH_BPF_H

enum {
	PATH_STEPS = BP_PATH_PARTS + 16,	/* parts, and mounts that are crossed */
	PATH_END = BP_PATH_TEXT - 1,		/* where the text's NUL is */
	PATH_DIGITS = 20,			/* of a number of 64 bits */
	PATH_CUT = 3,				/* "..." */
};

/* Files without a place in a tree: the numbers of their file systems (include/uapi/linux/magic.h). */
enum {
	PATH_ANON = 0x09041934,
	PATH_NAMESPACE = 0x6e736673,
	PATH_PIDFD = 0x50494446,
	PATH_PIPE = 0x50495045,
	PATH_SOCKET = 0x534f434b,
	PATH_DMABUF = 0x444d4142,
};

/* The word at @at; 0: it cannot be read. */
static __always_inline __u64 path_word(__u64 at)
{
	__u64 word[2];

	words_load((void *)at, word);
	return word[0];
}

/* A rename changes the first half, a mount the second one; while it is going on, its half is odd. */
static __always_inline __u64 path_locks(void)
{
	return (__u32)path_word(PATCH64(BP_PATCH_RENAME_LOCK)) | path_word(PATCH64(BP_PATCH_MOUNT_LOCK)) << 32;
}

static __always_inline bool path_changed(__u64 before)
{
	return before != path_locks() || before & 0x100000001ull;
}

/* ---- the text ---- */

/* Puts the last @bytes of @text in front of the text so far. */
static __always_inline void path_put(struct bp_path *room, __u64 text, __u32 bytes)
{
	__u64 at = READ_SHARED(room->at) - sizeof(text);

	if (at > PATH_END)
		return;
	__builtin_memcpy(room->text + at, &text, sizeof(text));
	WRITE_SHARED(room->at, at + sizeof(text) - bytes);
}

#define PATH_PUT(room, s) do {							\
	__u64 text_ = 0;							\
	__builtin_memcpy((char *)&text_ + sizeof(text_) + 1 - sizeof(s), s, sizeof(s) - 1);	\
	path_put(room, text_, sizeof(s) - 1);					\
} while (0)

enum path_result { PATH_DONE, PATH_NO_ROOM, PATH_FAULT };

/* Puts @len bytes of the kernel's memory in front of the text so far, and @before in front of them. */
static __always_inline enum path_result path_put_bytes(struct bp_path *room, __u64 from, __u64 len, char before)
{
	__u64 at = READ_SHARED(room->at) - len - 1;

	if (len > BP_PATH_NAME)
		return PATH_FAULT;
	if (at > PATH_END)
		return PATH_NO_ROOM;
	room->text[at] = before;
	if (bpf_probe_read_kernel(room->text + at + 1, len, (void *)from))
		return PATH_FAULT;
	WRITE_SHARED(room->at, at);
	return PATH_DONE;
}

/* @dentry's name, with @before in front. */
static __always_inline enum path_result path_put_name(struct bp_path *room, __u64 dentry, char before)
{
	__u64 name[2];

	words_load((void *)dentry + bpf_core_field_offset(struct dentry, d_name), name);
	return path_put_bytes(room, name[1], name[0] >> 32, before);
}

/* The text so far is empty. The number is put in front of a ']'. */
static __always_inline void path_put_number(struct bp_path *room, __u64 number)
{
	__u32 at = PATH_END - 1;

	room->text[at] = ']';
	for (int i = 0; i < PATH_DIGITS; i++) {
		room->text[--at] = '0' + number % 10;
		number /= 10;
		if (!number)
			break;
	}
	WRITE_SHARED(room->at, at);
	WAYS_MEET();
}

/* The text of the kernel's memory at @from, if it can be read. */
static __always_inline void path_put_text(struct bp_path *room, __u64 from)
{
	__u64 len = bpf_probe_read_kernel_str(room->word, sizeof(room->word), (void *)from) - 1;

	if (len < sizeof(room->word) && path_put_bytes(room, (__u64)room->word, len, 0) == PATH_DONE)
		WRITE_SHARED(room->at, READ_SHARED(room->at) + 1);
}

/* The text is complete. */
static __always_inline void path_finish(struct bp_path *room)
{
	room->text[PATH_END] = 0;
	WRITE_SHARED(room->bytes, PATH_END + 1 - READ_SHARED(room->at));
}

/* ---- files without a place in a tree ---- */

/* The name of a namespace's kind, in front of the text so far. */
static __attribute__((noinline)) int path_put_namespace(struct bp_path *room, __u64 inode)
{
	__u64 ns = path_word(inode + bpf_core_field_offset(struct inode, i_private));
	__u64 ops = path_word(ns + bpf_core_field_offset(struct ns_common, ops));

	path_put_text(room, path_word(ops + bpf_core_field_offset(struct proc_ns_operations, name)));
	return 0;
}

static __attribute__((noinline)) int path_put_buffer(struct bp_path *room, __u64 dentry)
{
	__u64 buffer = path_word(dentry + bpf_core_field_offset(struct dentry, d_fsdata));

	if (bpf_core_field_exists(struct dma_buf, name))
		path_put_text(room, path_word(buffer + bpf_core_field_offset(struct dma_buf, name)));
	PATH_PUT(room, ":");
	path_put_name(room, dentry, '/');
	return 0;
}

/* What the file system with the number @magic calls its @dentry. */
static __attribute__((noinline)) int path_of_kind(struct bp_path *room, __u64 dentry, __u64 magic)
{
	__u64 inode = path_word(dentry + bpf_core_field_offset(struct dentry, d_inode));
	__u64 number = path_word(inode + bpf_core_field_offset(struct inode, i_ino));

	switch (magic) {
	case PATH_PIPE:
		path_put_number(room, number);
		PATH_PUT(room, "pipe:[");
		break;
	case PATH_SOCKET:
		path_put_number(room, number);
		PATH_PUT(room, "socket:[");
		break;
	case PATH_NAMESPACE:
		path_put_number(room, number);
		PATH_PUT(room, ":[");
		path_put_namespace(room, inode);
		break;
	case PATH_DMABUF:
		path_put_buffer(room, dentry);
		break;
	case PATH_PIDFD:
		PATH_PUT(room, ":[pidfd]");
		PATH_PUT(room, "on_inode");
		PATH_PUT(room, "an");
		break;
	case PATH_ANON:
		path_put_name(room, dentry, ':');
		PATH_PUT(room, "on_inode");
		PATH_PUT(room, "an");
		break;
	default:			/* simple_dname(): a file of memory that no directory has */
		PATH_PUT(room, "deleted)");
		PATH_PUT(room, " (");
		path_put_name(room, dentry, '/');
		break;
	}
	WAYS_MEET();
	return 0;
}

/* ---- files in a tree ---- */

static __attribute__((noinline)) int path_load_mount(struct bp_path *room, __u64 mount)
{
	__u64 parent = path_word(mount + bpf_core_field_offset(struct mount, mnt_parent));

	WRITE_SHARED(room->mount, mount);
	WRITE_SHARED(room->mnt_root, path_word(mount + bpf_core_field_offset(struct mount, mnt.mnt_root)));
	WRITE_SHARED(room->mnt_mountpoint, path_word(mount + bpf_core_field_offset(struct mount, mnt_mountpoint)));
	WRITE_SHARED(room->mnt_parent, parent);
	return 0;
}

/* The text so far may be the last that leaves room for "...". There is no jump, so there is only one way to the next step. */
static __always_inline void path_note_fit(struct bp_path *room)
{
	__u64 at = READ_SHARED(room->at), fits = READ_SHARED(room->fits), late = (__s64)(at - PATH_CUT) >> 63;

	barrier_var(late);
	WRITE_SHARED(room->fits, (fits & late) | (at & ~late));
}

/* There are more parts than the text has room for. */
static __always_inline void path_cut(struct bp_path *room)
{
	__u64 at = READ_SHARED(room->fits) - PATH_CUT;

	if (at > PATH_END)
		return;
	barrier_var(at);		/* the compiler must not use what it was computed from: about that the verifier knows nothing */
	room->text[at] = room->text[at + 1] = room->text[at + 2] = '.';
	WRITE_SHARED(room->at, at);
	path_finish(room);
}

/* Nothing is in front of the text: the file is the task's root, the root of all, or not below the root of its mount. */
static __always_inline void path_end(struct bp_path *room)
{
	__u64 at = READ_SHARED(room->at) - 1;

	if (at + 1 == READ_SHARED(room->start) && at < PATH_END) {
		room->text[at] = '/';
		WRITE_SHARED(room->at, at);
	}
	path_finish(room);
}

/* 0: the same. There is no jump: the verifier walks each way from each jump to the next place where it finds a state again. */
static __always_inline __u64 path_differ(__u64 a, __u64 b, __u64 c, __u64 d)
{
	__u64 differ = (a ^ b) | (c ^ d);

	barrier_var(differ);
	return differ;
}

/* From @dentry upwards: to the root of its file system if there is no mount, else to the task's root. */
static __attribute__((noinline)) int path_walk(struct bp_path *room, __u64 dentry)
{
	enum path_result result = PATH_NO_ROOM;

	for (__u64 i = 0; i < PATH_STEPS; i++) {
		__u64 parent;

		if (!path_differ(dentry, READ_SHARED(room->root_dentry), READ_SHARED(room->mount), READ_SHARED(room->root_mount))) {
			result = PATH_DONE;
			break;
		}
		/*
		 * As assembly, so that the jump is to the rare way: the verifier walks the other one first. When it comes to this one, it
		 * has seen the next step.
		 */
		asm goto("if %0 == %1 goto %l[crosses]" : : "r"(dentry), "r"(READ_SHARED(room->mnt_root)) : : crosses);
		parent = path_word(dentry + bpf_core_field_offset(struct dentry, d_parent));
		if (parent == dentry) {
			if (READ_SHARED(room->mount))
				WRITE_SHARED(room->at, READ_SHARED(room->start));
			result = dentry ? PATH_DONE : PATH_FAULT;
			break;
		}
		WRITE_SHARED(room->left, READ_SHARED(room->left) - 1);
		if (!READ_SHARED(room->left))
			break;
		result = path_put_name(room, dentry, '/');
		if (result != PATH_DONE)
			break;
		result = PATH_NO_ROOM;
		path_note_fit(room);
		dentry = parent;
		continue;
crosses:
		if (!dentry) {		/* nothing could be read */
			result = PATH_FAULT;
			break;
		}
		dentry = READ_SHARED(room->mnt_mountpoint);
		if (READ_SHARED(room->mnt_parent) == READ_SHARED(room->mount)) {
			result = PATH_DONE;
			break;
		}
		path_load_mount(room, READ_SHARED(room->mnt_parent));
	}
	WAYS_MEET();		/* those out of each step */
	if (result == PATH_DONE)
		path_end(room);
	else if (result == PATH_NO_ROOM)
		path_cut(room);
	return 0;
}

/* ---- all ---- */

static __always_inline void path_find_root(struct bp_path *room)
{
	__u64 fs = path_word(bpf_get_current_task() + bpf_core_field_offset(struct task_struct, fs));
	__u64 mnt = path_word(fs + bpf_core_field_offset(struct fs_struct, root.mnt));

	WRITE_SHARED(room->root_dentry, path_word(fs + bpf_core_field_offset(struct fs_struct, root.dentry)));
	WRITE_SHARED(room->root_mount, mnt - bpf_core_field_offset(struct mount, mnt));
}

/* What is behind the text, or all of it: 1. */
static __attribute__((noinline)) int path_begin(struct bp_path *room, __u64 dentry)
{
	__u64 parent = path_word(dentry + bpf_core_field_offset(struct dentry, d_parent)), ops, dname, sb;
	const __u32 pprev = bpf_core_field_offset(struct dentry, d_hash.pprev);
	bool is_root = parent == dentry;

	ops = path_word(dentry + bpf_core_field_offset(struct dentry, d_op));
	dname = ops ? path_word(ops + bpf_core_field_offset(struct dentry_operations, d_dname)) : 0;
	if (dname && !(is_root && dentry == READ_SHARED(room->mnt_root))) {
		sb = path_word(dentry + bpf_core_field_offset(struct dentry, d_sb));
		path_of_kind(room, dentry, path_word(sb + bpf_core_field_offset(struct super_block, s_magic)));
		path_finish(room);
		return 1;
	}
	if (!is_root && !path_word(dentry + pprev)) {
		PATH_PUT(room, "deleted)");
		PATH_PUT(room, " (");
	}
	WRITE_SHARED(room->start, READ_SHARED(room->at));
	return 0;
}

/*
 * Makes the text of the struct path at @from, or of the struct dentry at @from, in @room. It is a function that programs of definitions
 * contain (user/gen/model.c); it is never a program by itself. If something was renamed or mounted meanwhile, @room says so.
 */
MODEL
int bp_path(__u64 from, struct bp_path *room, __u64 is_dentry)
{
	__u64 dentry, mount = 0, locks = path_locks();

	WRITE_SHARED(room->bytes, 0);
	WRITE_SHARED(room->at, PATH_END);
	WRITE_SHARED(room->start, PATH_END);
	WRITE_SHARED(room->fits, PATH_END);
	WRITE_SHARED(room->left, BP_PATH_PARTS + 1);
	WRITE_SHARED(room->mount, 0);
	WRITE_SHARED(room->mnt_root, 0);
	WRITE_SHARED(room->root_dentry, 0);
	WRITE_SHARED(room->root_mount, 0);
	if (is_dentry) {
		WRITE_SHARED(room->dentry, from);
		dentry = READ_SHARED(room->dentry);
	} else {
		dentry = path_word(from + bpf_core_field_offset(struct path, dentry));
		mount = path_word(from + bpf_core_field_offset(struct path, mnt)) - bpf_core_field_offset(struct mount, mnt);
		path_find_root(room);
		path_load_mount(room, mount);
	}
	if (is_dentry || !path_begin(room, dentry))
		path_walk(room, dentry);
	if (READ_SHARED(room->bytes) && path_changed(locks))
		WRITE_SHARED(room->bytes, READ_SHARED(room->bytes) | BP_PATH_CHANGED);
	return 0;
}

#endif
