/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors
 *
 * The background worker. PostgreSQL restarts the whole server where a process that has its shared memory crashes, and
 * drivers of GPUs do crash: so the worker only looks after a process that has neither, which owns the device. */
#include "raydex_fdw.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <miscadmin.h>
#include <postmaster/bgworker.h>
#include <postmaster/interrupt.h>
#include <storage/dsm.h>
#include <storage/ipc.h>
#include <storage/latch.h>
#include <storage/pg_shmem.h>
#include <utils/guc.h>
#include <utils/ps_status.h>
#include <utils/wait_event.h>

#include "serve.h"

/* Relative to the folder of the server's data. */
#define LOCK_FILE PG_STAT_TMP_DIR "/raydex_fdw.lock"

bool raydex_worker = false;
char *raydex_worker_device = NULL;
int raydex_memory_limit = 0;

PGDLLEXPORT void raydex_worker_main(Datum argument);

static void describe(BackgroundWorker *worker) {
  memset(worker, 0, sizeof *worker);
  worker->bgw_flags = BGWORKER_SHMEM_ACCESS;
  worker->bgw_start_time = BgWorkerStart_PostmasterStart;
  worker->bgw_restart_time = BGW_NEVER_RESTART;
  strlcpy(worker->bgw_name, "raydex worker", sizeof worker->bgw_name);
  strlcpy(worker->bgw_type, "raydex worker", sizeof worker->bgw_type);
  strlcpy(worker->bgw_library_name, "raydex_fdw", sizeof worker->bgw_library_name);
  strlcpy(worker->bgw_function_name, "raydex_worker_main", sizeof worker->bgw_function_name);
}

void raydex_worker_init(void) {
  DefineCustomBoolVariable("raydex.worker", "Lets the worker answer, which owns a device, instead of this session.",
                           "The worker is started when it is first asked.", &raydex_worker, false, PGC_USERSET, 0, NULL,
                           NULL, NULL);
  DefineCustomStringVariable("raydex.worker_device", "The device of the worker: auto, cpu, or a part of its name.",
                             NULL, &raydex_worker_device, "auto", PGC_SIGHUP, 0, NULL, NULL, NULL);
  DefineCustomIntVariable("raydex.memory_limit", "Memory of its device that the worker uses at most; 0: all.",
                          "What was not used for longest goes first.", &raydex_memory_limit, 0, 0, INT_MAX, PGC_SIGHUP,
                          GUC_UNIT_MB, NULL, NULL, NULL);
  if (process_shared_preload_libraries_in_progress && raydex_worker) {
    BackgroundWorker worker;
    describe(&worker);
    worker.bgw_restart_time = 5;
    RegisterBackgroundWorker(&worker);
  }
}

bool raydex_worker_start(void) {
  BackgroundWorker worker;
  describe(&worker);
  worker.bgw_start_time = BgWorkerStart_ConsistentState;
  return RegisterDynamicBackgroundWorker(&worker, NULL);
}

/* ---- The process that owns the device ---- */

static void serve_sessions(int listener, pid_t parent) {
  static char device[MAXPGPATH];
  ServeParams params = {device, (uint32_t)raydex_threads, (uint64_t)raydex_memory_limit * 1024 * 1024};
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(0);
  on_exit_reset();
  dsm_detach_all();
  PGSharedMemoryDetach();
  for (int i = 1; i < NSIG; i++)
    signal(i, SIG_DFL);
  signal(SIGINT, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  /* Messages go to the server's log. What else is open is the server's. */
  dup2(listener, 3);
  dup2(2, 1);
  closefrom(4);
  strlcpy(device, raydex_worker_device, sizeof device);
  set_ps_display("device");
  serve(3, &params);
}

static pid_t start_process(int listener) {
  const pid_t parent = getpid();
  fflush(NULL);
  const pid_t pid = fork();
  if (pid == 0)
    serve_sessions(listener, parent);
  if (pid < 0)
    ereport(LOG, (errmsg("raydex: could not start the process of the worker: %m")));
  return pid;
}

/* ---- The worker ---- */

/* One worker serves: a second one finds the lock taken. It stays until the process ends. */
static bool take_lock(void) {
  const int file = open(LOCK_FILE, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  return file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0;
}

static int listen_there(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = RAYDEX_SOCKET};
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  unlink(RAYDEX_SOCKET);
  if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) != 0 || listen(fd, 128) != 0)
    ereport(FATAL,
            (errcode_for_socket_access(), errmsg("raydex: the worker could not listen at %s: %m", RAYDEX_SOCKET)));
  return fd;
}

static void wake_up(SIGNAL_ARGS) {
  const int saved = errno;
  (void)postgres_signal_arg;
  SetLatch(MyLatch);
  errno = saved;
}

/* True: it has ended. */
static bool has_ended(pid_t process) {
  int status;
  if (process <= 0)
    return true;
  if (waitpid(process, &status, WNOHANG) != process)
    return false;
  if (WIFSIGNALED(status))
    ereport(LOG, (errmsg("raydex: the process of the worker was terminated by signal %d", WTERMSIG(status)),
                  errdetail("It is started anew; other sessions go on.")));
  else if (WEXITSTATUS(status) != 0)
    ereport(LOG, (errmsg("raydex: the process of the worker ended with status %d", WEXITSTATUS(status))));
  return true;
}

static void wait_a_while(long milliseconds) {
  WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, milliseconds, PG_WAIT_EXTENSION);
  ResetLatch(MyLatch);
}

/* Settings that are read anew reach a new process. */
static void reload(pid_t process) {
  char *device = pstrdup(raydex_worker_device);
  const int limit = raydex_memory_limit, threads = raydex_threads;
  ConfigReloadPending = false;
  ProcessConfigFile(PGC_SIGHUP);
  if (process > 0 &&
      (strcmp(device, raydex_worker_device) != 0 || limit != raydex_memory_limit || threads != raydex_threads))
    kill(process, SIGTERM);
  pfree(device);
}

void raydex_worker_main(Datum argument) {
  pid_t process = 0;
  (void)argument;
  pqsignal(SIGTERM, SignalHandlerForShutdownRequest);
  pqsignal(SIGHUP, SignalHandlerForConfigReload);
  pqsignal(SIGCHLD, wake_up);
  BackgroundWorkerUnblockSignals();
  if (!take_lock())
    proc_exit(0);
  const int listener = listen_there();
  while (!ShutdownRequestPending) {
    if (ConfigReloadPending)
      reload(process);
    if (has_ended(process)) {
      if (process != 0)
        wait_a_while(200);
      process = start_process(listener);
    }
    wait_a_while(10000);
  }
  if (process > 0)
    kill(process, SIGKILL);
  unlink(RAYDEX_SOCKET);
  proc_exit(0);
}
