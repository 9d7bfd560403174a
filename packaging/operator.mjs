#!/usr/bin/env node
/* Starts the Kubernetes operator; on SIGTERM it releases its lease and exits. */
var oldest = OLDEST_NODE;

if (Number(process.versions.node.split('.')[0]) < oldest) {
  process.stderr.write(`The operator needs Node ${oldest} or later; this is ${process.version}.\n`);
  process.exit(1);
}

var ended = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => ended.abort());

import('./js/operator.mjs')
  .then((loaded) => loaded.main(process.env, ended.signal))
  .catch((fault) => {
    process.stderr.write(`The operator did not start: ${fault.message}\n`);
    process.exit(1);
  });
