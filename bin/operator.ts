#!/usr/bin/env node
/** Starts the Kubernetes operator; on SIGTERM it releases its lease and exits. */
import { main } from '../operator/main.ts';

const ended = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ended.abort());

try {
  await main(process.env, ended.signal);
} catch (fault) {
  console.error(`The operator did not start: ${(fault as Error).message}`);
  process.exit(1);
}
