#!/usr/bin/env node
/** Starts the streaming plane: the program that its container runs. */
import { main } from './main.ts';

try {
  await main(process.env);
} catch (fault) {
  console.error(`The streaming plane did not start: ${(fault as Error).message}`);
  process.exit(1);
}
