#!/usr/bin/env node
/* The installed command-line client. */
var oldest = OLDEST_NODE;

if (Number(process.versions.node.split('.')[0]) < oldest) {
  process.stderr.write(`agentctl needs Node ${oldest} or later; this is ${process.version}.\n`);
  process.exit(1);
}

// If the reader closes the pipe (`| head`), exits silently, without claiming success.
[process.stdout, process.stderr].forEach((stream) => {
  stream.on('error', () => {
    process.exit(1);
  });
});

import('./js/agentctl.mjs')
  .then((program) => program.main(process.argv.slice(2)))
  .then((code) => {
    process.exitCode = code;
  });
