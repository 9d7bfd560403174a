/** Deployed functions as data. The stacks build IAM roles from this data, and a test compares it with the template. */
import { administrationFunctions } from './functions/administration.ts';
import { backgroundFunctions } from './functions/background.ts';
import { callFunctions } from './functions/calls.ts';

export const functions = {
  ...callFunctions,
  ...administrationFunctions,
  ...backgroundFunctions,
} as const;

export type FunctionName = keyof typeof functions;

/** Scheduled functions of every deployment. */
export type ScheduledFunction = {
  [Name in FunctionName]: (typeof functions)[Name] extends { readonly optional: true }
    ? never
    : (typeof functions)[Name] extends { readonly schedule: object }
      ? Name
      : never;
}[FunctionName];
