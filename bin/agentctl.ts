#!/usr/bin/env node
/** The command-line client `agentctl` (spec §4.5). Started as `npx agentctl` in the checkout. */
import { main } from './agentctl/program.ts';

process.exitCode = await main(process.argv.slice(2));
