import { commandRunner } from '#adapters/executors/run-command.ts';
import { createHandler } from './event.ts';

/** Programs do not inherit the function's environment. */
export const handler = createHandler(commandRunner({ environment: {} }));
