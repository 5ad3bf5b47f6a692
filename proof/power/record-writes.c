/*
 * Record writes: a library that is loaded before all others (LD_PRELOAD) and writes down what a program changes below one
 * folder, system call by system call, so that the disk can be put together later as a loss of power would have left it.
 *
 *   POWER_FOLDER   the folder, as an absolute path
 *   POWER_TRACE    the file that is written: records in the layout of `struct record`, each followed by its data
 *
 * Always true: the records lie in the order in which the calls took place (one lock around each call and its record); only
 * calls that succeeded are in it, with the bytes that were really written; memory that is mapped is not seen, which is why
 * SQLite's index of its log (-shm) must never be relied upon.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { OPENED = 1, CREATED, WRITTEN, CUT, SYNCED, RENAMED, REMOVED, FOLDER_MADE, FOLDER_REMOVED };

/* 24 bytes, little-endian: `place` is an offset, or a length for CUT; `length` counts the bytes of data that follow. */
struct record {
  uint32_t kind;
  int32_t descriptor;
  uint64_t place;
  uint32_t length;
  uint32_t unused;
};

enum { DESCRIPTORS_MAX = 4096 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* The file that was opened under each descriptor; 0 if it is none of ours. */
static ino64_t files[DESCRIPTORS_MAX];
static const char *folder;
static size_t folder_length;
static int trace = -1;

#define REAL(name) ((typeof(&name))dlsym(RTLD_NEXT, #name))

/* A recorder that cannot write is worth nothing: the program must not go on as if it were recorded. */
static void give_up(const char *what) {
  perror(what);
  abort();
}

__attribute__((constructor)) static void begin(void) {
  folder = getenv("POWER_FOLDER");
  const char *file = getenv("POWER_TRACE");
  if (!folder || !file) return;
  folder_length = strlen(folder);
  trace = REAL(open64)(file, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
  if (trace < 0) give_up("the trace");
}

static int is_below(const char *path) {
  return trace >= 0 && path && !strncmp(path, folder, folder_length) &&
         (path[folder_length] == '/' || path[folder_length] == 0);
}

/* Not every close is seen (libuv asks the kernel itself): a descriptor may mean another file by now. */
static int is_watched(int descriptor) {
  struct stat64 now;
  return descriptor >= 0 && descriptor < DESCRIPTORS_MAX && files[descriptor] && fstat64(descriptor, &now) == 0 &&
         now.st_ino == files[descriptor];
}

static void put(const void *bytes, size_t length) {
  for (size_t done = 0; done < length;) {
    ssize_t count = REAL(write)(trace, (const char *)bytes + done, length - done);
    if (count < 0 && errno != EINTR) give_up("the trace");
    if (count > 0) done += count;
  }
}

static void note(enum kind kind, int descriptor, uint64_t place, const void *data, size_t length) {
  int error = errno;
  struct record record = {kind, descriptor, place, length, 0};
  put(&record, sizeof record);
  put(data, length);
  errno = error;
}

/* Both names, with a zero byte between them. */
static void note_names(enum kind kind, const char *from, const char *to) {
  char names[8192];
  int length = snprintf(names, sizeof names, "%s%c%s", from, 0, to);
  if (length < 0 || (size_t)length >= sizeof names) give_up("a name");
  note(kind, -1, 0, names, length);
}

int open64(const char *path, int flags, ...) {
  mode_t mode = 0;
  if (flags & O_CREAT) {
    va_list rest;
    va_start(rest, flags);
    mode = va_arg(rest, mode_t);
    va_end(rest);
  }
  if (!is_below(path)) return REAL(open64)(path, flags, mode);
  pthread_mutex_lock(&lock);
  struct stat64 file;
  int was_there = stat64(path, &file) == 0;
  int descriptor = REAL(open64)(path, flags, mode);
  if (descriptor >= DESCRIPTORS_MAX) give_up("a descriptor");
  if (descriptor >= 0) {
    files[descriptor] = fstat64(descriptor, &file) == 0 ? file.st_ino : 0;
    note(was_there ? OPENED : CREATED, descriptor, 0, path, strlen(path));
    if (was_there && (flags & O_TRUNC)) note(CUT, descriptor, 0, "", 0);
  }
  pthread_mutex_unlock(&lock);
  return descriptor;
}

int open(const char *path, int flags, ...) {
  mode_t mode = 0;
  if (flags & O_CREAT) {
    va_list rest;
    va_start(rest, flags);
    mode = va_arg(rest, mode_t);
    va_end(rest);
  }
  return open64(path, flags, mode);
}

ssize_t pwrite64(int descriptor, const void *data, size_t length, off64_t place) {
  if (!is_watched(descriptor)) return REAL(pwrite64)(descriptor, data, length, place);
  pthread_mutex_lock(&lock);
  ssize_t count = REAL(pwrite64)(descriptor, data, length, place);
  if (count > 0) note(WRITTEN, descriptor, place, data, count);
  pthread_mutex_unlock(&lock);
  return count;
}

/* Where the descriptor stands; a file that is appended to is written at its end. */
static off64_t place_of(int descriptor) {
  int is_appending = fcntl(descriptor, F_GETFL) & O_APPEND;
  return lseek64(descriptor, 0, is_appending ? SEEK_END : SEEK_CUR);
}

ssize_t write(int descriptor, const void *data, size_t length) {
  if (!is_watched(descriptor)) return REAL(write)(descriptor, data, length);
  pthread_mutex_lock(&lock);
  off64_t place = place_of(descriptor);
  ssize_t count = REAL(write)(descriptor, data, length);
  if (count > 0) note(WRITTEN, descriptor, place, data, count);
  pthread_mutex_unlock(&lock);
  return count;
}

/* In pieces: fewer bytes than asked for is an answer that every caller must know. */
ssize_t pwritev64(int descriptor, const struct iovec *pieces, int count, off64_t place) {
  if (!is_watched(descriptor)) return REAL(pwritev64)(descriptor, pieces, count, place);
  return count == 0 ? 0 : pwrite64(descriptor, pieces[0].iov_base, pieces[0].iov_len, place);
}

ssize_t writev(int descriptor, const struct iovec *pieces, int count) {
  if (!is_watched(descriptor)) return REAL(writev)(descriptor, pieces, count);
  return count == 0 ? 0 : write(descriptor, pieces[0].iov_base, pieces[0].iov_len);
}

int ftruncate64(int descriptor, off64_t length) {
  if (!is_watched(descriptor)) return REAL(ftruncate64)(descriptor, length);
  pthread_mutex_lock(&lock);
  int answer = REAL(ftruncate64)(descriptor, length);
  if (answer == 0) note(CUT, descriptor, length, "", 0);
  pthread_mutex_unlock(&lock);
  return answer;
}

/* Written down after it has come back: whatever was written before it began is on the disk. */
int fsync(int descriptor) {
  if (!is_watched(descriptor)) return REAL(fsync)(descriptor);
  pthread_mutex_lock(&lock);
  int answer = REAL(fsync)(descriptor);
  if (answer == 0) note(SYNCED, descriptor, 0, "", 0);
  pthread_mutex_unlock(&lock);
  return answer;
}

int fdatasync(int descriptor) { return fsync(descriptor); }

/* Programs that were built without large files say it so; on 64 bits it is the same. */
ssize_t pwrite(int descriptor, const void *data, size_t length, off_t place) {
  return pwrite64(descriptor, data, length, place);
}
int ftruncate(int descriptor, off_t length) { return ftruncate64(descriptor, length); }

int rename(const char *from, const char *to) {
  if (!is_below(from)) return REAL(rename)(from, to);
  pthread_mutex_lock(&lock);
  int answer = REAL(rename)(from, to);
  if (answer == 0) note_names(RENAMED, from, to);
  pthread_mutex_unlock(&lock);
  return answer;
}

/* Calls with one name. */
#define NAMED(kind, call, path)                                \
  if (!is_below(path)) return call;                            \
  pthread_mutex_lock(&lock);                                   \
  int answer = call;                                           \
  if (answer == 0) note(kind, -1, 0, path, strlen(path));      \
  pthread_mutex_unlock(&lock);                                 \
  return answer;

int unlink(const char *path) { NAMED(REMOVED, REAL(unlink)(path), path) }
int rmdir(const char *path) { NAMED(FOLDER_REMOVED, REAL(rmdir)(path), path) }
int mkdir(const char *path, mode_t mode) { NAMED(FOLDER_MADE, REAL(mkdir)(path, mode), path) }
