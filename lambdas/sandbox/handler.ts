import { commandRunner } from '#adapters/executors/run-command.ts';
import { createHandler } from './event.ts';

/** Nothing of the function's own environment reaches a program. */
export const handler = createHandler(commandRunner({ environment: {} }));
