#!/usr/bin/env node
/** The command-line client `agentctl`; in a checkout, run `./agentctl`. */
import { writeSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { compiledFile } from './compiled.ts';

// Enabled before this program's first import, so that the next start finds every file compiled.
enableCompileCache();
const { main } = (await import(
  compiledFile('agentctl') ?? './agentctl/start.ts'
)) as typeof import('./agentctl/start.ts');

// If the reader closes the pipe (`| head`), exits silently, without claiming success.
process.stderr.on('error', () => process.exit(1));
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code !== 'EPIPE') writeSync(process.stderr.fd, `error: cannot write the output: ${message}\n`);
  process.exit(1);
});

process.exitCode = await main(process.argv.slice(2));
