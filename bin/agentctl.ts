#!/usr/bin/env node
/** The command-line client `agentctl`; in a checkout, run `./agentctl`. */
import { enableCompileCache } from 'node:module';
import { compiledFile } from './compiled.ts';

// Enabled before this program's first import, so that the next start finds every file compiled.
enableCompileCache();
const { main } = (await import(
  compiledFile('agentctl') ?? './agentctl/start.ts'
)) as typeof import('./agentctl/start.ts');

// If the reader closes the pipe (`| head`), exits silently, without claiming success.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => process.exit(1));

process.exitCode = await main(process.argv.slice(2));
