#!/usr/bin/env node
/** Starts the gateway on this machine; see `npm start -- --help`. */
import { enableCompileCache } from 'node:module';
import { compiledFile } from './compiled.ts';

// Compiled once: later starts skip this step and do not load the compiler.
enableCompileCache();

try {
  const { main } = (await import(compiledFile('gateway') ?? './local/main.ts')) as typeof import('./local/main.ts');
  await main(process.argv.slice(2), process.env);
  setTimeout(() => process.exit(), 2_000).unref(); // anything a library still keeps open
} catch (fault) {
  const { message, code, exitCode = 1 } = fault as Error & { code?: string; exitCode?: number };
  console.error(`The gateway did not start: ${message}`);
  if (process.env.GATEWAY_DEBUG) console.error(fault);
  process.exit(code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' ? 2 : exitCode);
}
