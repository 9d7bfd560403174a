/**
 * Loaded first by `npm start`. On Linux it executes the program again in the same process, with one heap of C for all threads: glibc gives
 * each thread its own and keeps what compiling left in it, 28 of 256 MB under load (decision 0284). Elsewhere it does nothing.
 */
import { isMainThread } from 'node:worker_threads';

const { platform, env, execPath, execArgv, argv, channel } = process;

// A channel to the process that started it would be closed.
if (platform === 'linux' && isMainThread && env.MALLOC_ARENA_MAX === undefined && channel === undefined)
  process.execve?.(execPath, [execPath, ...execArgv, ...argv.slice(1)], { ...env, MALLOC_ARENA_MAX: '1' });
