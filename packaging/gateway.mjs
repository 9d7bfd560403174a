#!/usr/bin/env node
/* Starts the installed gateway; see --help. */
var oldest = OLDEST_NODE;

if (Number(process.versions.node.split('.')[0]) < oldest) {
  process.stderr.write(`The gateway needs Node ${oldest} or later; this is ${process.version}.\n`);
  process.exit(1);
}

Promise.all([import('node:v8'), import('./js/gateway.mjs')])
  .then((loaded) => {
    // A young generation of 8 MB and slow growth keep the memory of a long run flat.
    loaded[0].setFlagsFromString('--max-semi-space-size=8');
    loaded[0].setFlagsFromString('--heap-growing-percent=40');
    return loaded[1].main(process.argv.slice(2), process.env);
  })
  .then(() => {
    setTimeout(process.exit, 2000).unref(); // whatever a library still holds open
  })
  .catch((fault) => {
    process.stderr.write(`The gateway did not start: ${fault.message}\n`);
    if (process.env.GATEWAY_DEBUG) process.stderr.write(`${fault.stack}\n`);
    process.exit(fault.name === 'UsageError' || fault.code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' ? 2 : 1);
  });
