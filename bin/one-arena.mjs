/**
 * Loaded first by `npm start`. On Linux it re-executes the program in the same process with one C heap for all threads:
 * by default glibc gives each thread its own, which keeps 28 of 256 MB after compiling under load (decision 0284).
 * Elsewhere it does nothing.
 */
import { isMainThread } from 'node:worker_threads';

const { platform, env, execPath, execArgv, argv, channel } = process;

// Re-executing would close an IPC channel to the parent process.
if (platform === 'linux' && isMainThread && env.MALLOC_ARENA_MAX === undefined && channel === undefined)
  process.execve?.(execPath, [execPath, ...execArgv, ...argv.slice(1)], { ...env, MALLOC_ARENA_MAX: '1' });
