/** Deployed functions as data. The stacks build IAM roles from this data, and a test compares it with the template. */
import { administrationFunctions } from './functions/administration.ts';
import { backgroundFunctions } from './functions/background.ts';
import { callFunctions } from './functions/calls.ts';

export const functions = {
  ...callFunctions,
  ...administrationFunctions,
  ...backgroundFunctions,
} as const;

/** Functions that features declare, by name. */
// biome-ignore lint/suspicious/noEmptyInterface: features add its members
export interface FeatureFunctions {}

export type FunctionName = keyof typeof functions | keyof FeatureFunctions;

/** Scheduled functions of every deployment. */
export type ScheduledFunction = {
  [Name in keyof typeof functions]: (typeof functions)[Name] extends { readonly optional: string }
    ? never
    : (typeof functions)[Name] extends { readonly schedule: object }
      ? Name
      : never;
}[keyof typeof functions];
