/**
 * Loaded first by `npm start`. On Linux it re-executes the program in the same process with one C heap for all threads,
 * which frees blocks of 16 kB immediately: by default, glibc gives each thread its own heap and keeps 60 of 250 MB
 * after compiling under load. On other systems it does nothing. It exits on an older Node, which could not load the
 * modules after this one.
 */
import { isMainThread } from 'node:worker_threads';

const { platform, env, execPath, execArgv, argv, channel, version, versions } = process;

if (Number(versions.node.split('.')[0]) < 22) {
  console.error(
    `This is Node ${version}, and the gateway needs Node 24. \`npm ci\` installs it: run it again without --ignore-scripts and --omit=dev, or install Node 24.`,
  );
  process.exit(1);
}

// Re-executing would close an IPC channel to the parent process.
if (platform === 'linux' && isMainThread && env.MALLOC_ARENA_MAX === undefined && channel === undefined)
  process.execve?.(execPath, [execPath, ...execArgv, ...argv.slice(1)], {
    ...env,
    MALLOC_ARENA_MAX: '1',
    MALLOC_MMAP_THRESHOLD_: '16384',
    MALLOC_MMAP_MAX_: '16384', // a fraction of the mappings that Linux gives a process
  });
