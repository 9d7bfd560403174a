import { commandRunner } from '#adapters/executors/run-command.ts';
import { door } from './door.ts';

/** Nothing of the function's own environment reaches a program. */
export const handler = door(commandRunner({ environment: {} }));
