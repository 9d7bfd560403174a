#!/usr/bin/env node
/** Starts the streaming plane: what its container runs. */
import { main } from './main.ts';

try {
  await main(process.env);
} catch (fault) {
  console.error(`The streaming plane did not start: ${(fault as Error).message}`);
  process.exit(1);
}
