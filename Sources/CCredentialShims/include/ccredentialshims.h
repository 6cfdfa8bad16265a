// System calls and constants that the Swift Glibc module does not show. Every function that can fail
// returns -1 and leaves the reason in errno, as the call that it stands for does.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// Memory that must not leave the process.

// 1 while this process is the one that first asked, 0 in a child made by fork without exec.
int ccs_same_process(void);
// A region of `length` bytes (whole pages) between two guard pages, left out of core dumps; NULL on failure.
void *ccs_guarded_map(size_t length);
void ccs_guarded_unmap(void *address, size_t length);
// 1 when so many bytes could be mapped now.
int ccs_has_memory(size_t length);
int ccs_lock_memory(void *address, size_t length);
void ccs_wipe(void *address, size_t length);
// A number for the calling thread, counted up from 0.
unsigned ccs_thread_number(void);
// Constant time for equal lengths: 0 when the bytes are the same.
int ccs_compare(const void *a, const void *b, size_t length);
size_t ccs_page_size(void);
// Fills with kernel randomness; -1 with errno when the kernel refuses.
int ccs_random(void *address, size_t length);

// Looking through bytes, which the scan of a log does by the megabyte.

// The index of the first byte that is not zero, or `length`.
int64_t ccs_first_nonzero(const void *bytes, size_t length);
// The index of the last byte that is not zero, or -1.
int64_t ccs_last_nonzero(const void *bytes, size_t length);
// 1 when a whole 16-byte block, counted from the start, is zero.
int ccs_has_zero_block(const void *bytes, size_t length);

// Files.

typedef struct {
    uint64_t device;
    uint64_t inode;
    uint64_t size;
    uint32_t mode;   // type and permission bits
    uint32_t owner;
    uint32_t links;
} ccs_status;

// `statx` without time fields: asking for times makes the next durable write slower on new kernels.
int ccs_status_of(int descriptor, ccs_status *out);
int ccs_status_at(const char *path, int follow, ccs_status *out);
int ccs_open(const char *path, int flags, mode_t mode);
int ccs_open_nofollow_flags(void);
// A file without a name in the directory; it is gone when it is closed, unless `ccs_link` named it.
int ccs_open_unnamed(const char *directory);
// Names such a file: EEXIST where something stands at the path.
int ccs_link(int descriptor, const char *path);
// Renames only where nothing stands at the target: EEXIST otherwise.
int ccs_rename_exclusive(const char *from, const char *to);
// Writes all bytes at the offset. A file-size limit answers EFBIG instead of ending the process by SIGXFSZ.
int ccs_pwrite_all(int descriptor, const void *bytes, size_t length, int64_t offset);
int64_t ccs_pread(int descriptor, void *bytes, size_t length, int64_t offset);
// The first page of a file as every process that writes to it has it now, or NULL; zeros for ever once somebody cut the
// file. For that the process gets a handler of SIGBUS, which leaves what it does not know to the one before it.
const void *ccs_map_page(int descriptor);
void ccs_unmap_page(const void *page);
uint64_t ccs_load_word(const void *page);
int64_t ccs_seek_data(int descriptor, int64_t offset);
// The magic number of the file system that holds the descriptor, or -1.
int64_t ccs_file_system_kind(int descriptor);
// A one-byte write lock owned by the open file description. EAGAIN or EACCES when another holds it.
int ccs_lock_byte(int descriptor, int64_t offset);
int ccs_unlock_byte(int descriptor, int64_t offset);

// Descriptors that a forked child must not keep, because a shared description would keep its lock alive.
void ccs_close_in_child(int descriptor);
void ccs_close(int descriptor);

// The kernel's keyrings. A keyring is named by its special number; a key by its description, among those of type "user".

// Reads a key into the bytes: its length, which may be larger than theirs. ENOKEY where the kernel knows of none.
int64_t ccs_keyring_read(int32_t keyring, const char *description, void *bytes, size_t length);
// Adds a key for this user where there is none of that description: EEXIST otherwise.
int ccs_keyring_add(int32_t keyring, const char *description, const void *bytes, size_t length);
// Takes a key out of the keyring.
int ccs_keyring_remove(int32_t keyring, const char *description);

// Process.

// The words of the command line, as the C library got them: no /proc is needed.
int ccs_argument_count(void);
const char *ccs_argument(int index);

// Milliseconds of the coarse monotonic clock.
int64_t ccs_coarse_milliseconds(void);
// Leaves this process out of core dumps and away from other users' debuggers.
int ccs_deny_dumps(void);
// 1 where this process writes no core dump.
int ccs_dumps_denied(void);
// Puts something that cannot be read or written in the place of descriptors 0, 1 and 2 where they are closed.
int ccs_fill_standard_descriptors(void);
// Turns SIGPIPE and SIGXFSZ into errors, and the report of a crash off. For programs, not for libraries.
void ccs_quiet_signals(void);
// The number of bytes that this process may lock, INT64_MAX where there is no limit.
int64_t ccs_locked_memory_limit(void);
// Reads one line from the terminal without echo. Echo is restored on return and on any ending signal.
// Returns the number of bytes, -1 with errno; EINTR when a signal asked to stop, its number in `signal_number`;
// ENODATA when the terminal was at its end before the line was.
int64_t ccs_read_hidden_line(int descriptor, void *bytes, size_t length, int *signal_number);

// A terminal that one program of questions has in its hands: keys come one by one, and whatever ends the process gives
// the terminal back as it was. One at a time in a process.

// Remembers the terminal's modes, and watches signals. `leave` is what is written to give the screen back. `wake` gets a
// byte when a signal asks to look at the terminal again.
int ccs_terminal_take(int input, int output, int wake, const char *leave);
// Changes the modes, and may drop what was typed before. Also after a stop, when a shell may have changed them. With
// `takes_screen`, `leave` is written when the terminal is given back. ECANCELED while a signal is giving it back.
int ccs_terminal_enter(int drop_input, int takes_screen);
// Writes to the terminal. ECANCELED while a signal gives it back, and after that until it is entered again.
int64_t ccs_terminal_write(const void *bytes, size_t length);
// Says that an answer of the terminal may be under way.
void ccs_terminal_answer_expected(int expected);
// Puts the modes back; the screen is the caller's. Drops what was not read where an answer is expected.
void ccs_terminal_leave(void);
// Ends the watch. `ccs_terminal_leave` comes before.
void ccs_terminal_release(void);
// 0 where this process runs behind another one on its controlling terminal.
int ccs_terminal_is_foreground(int descriptor);
// Columns, rows, and the pixels of both; zeros where the terminal does not say.
void ccs_terminal_size(int descriptor, uint16_t out[4]);
// The same terminal by a description of its own that never blocks, or -1.
int ccs_terminal_reopen(int descriptor);
// A pipe without blocking that is closed at exec.
int ccs_wake_pipe(int ends[2]);
// Writes as `write` does, without SIGPIPE.
int64_t ccs_write_quietly(int descriptor, const void *bytes, size_t length);
// What the C library holds back for standard output.
void ccs_flush_standard_output(void);
// Sends a signal to the calling thread's process as a key of the terminal would.
int ccs_signal_self(int number);

#ifdef __cplusplus
}
#endif
