#!/usr/bin/env node
/** The command-line client `agentctl`. Started as `./agentctl` in the checkout. */
import { enableCompileCache } from 'node:module';
import { compiledFile } from './compiled.ts';

// Before the first file of its own: the next start then finds every file compiled.
enableCompileCache();
const { main } = (await import(
  compiledFile('agentctl') ?? './agentctl/start.ts'
)) as typeof import('./agentctl/start.ts');

// The reader may go away (`| head`): that ends the work without a word, and without claiming success.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => process.exit(1));

process.exitCode = await main(process.argv.slice(2));
