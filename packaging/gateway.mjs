#!/usr/bin/env -S MALLOC_ARENA_MAX=1 MALLOC_MMAP_THRESHOLD_=16384 MALLOC_MMAP_MAX_=16384 node --max-semi-space-size=8 --heap-growing-percent=40 --no-allocation-site-pretenuring --no-maglev
/*
 * Starts the installed gateway; see --help. The line above contains the settings that Node and the C heap read before
 * any code runs.
 */
var oldest = OLDEST_NODE;

if (Number(process.versions.node.split('.')[0]) < oldest) {
  process.stderr.write(`The gateway needs Node ${oldest} or later; this is ${process.version}.\n`);
  process.exit(1);
}

import('./js/gateway.mjs')
  .then((gateway) => gateway.main(process.argv.slice(2), process.env))
  .then(() => {
    setTimeout(process.exit, 2000).unref(); // anything a library still keeps open
  })
  .catch((fault) => {
    process.stderr.write(`The gateway did not start: ${fault.message}\n`);
    if (process.env.GATEWAY_DEBUG) process.stderr.write(`${fault.stack}\n`);
    process.exit(fault.name === 'UsageError' || fault.code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' ? 2 : 1);
  });
