/** Names that an account holds once for all of its regions: they carry the deployment and its region, as those of roles do [cloud.regions]. */
import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/** @param what letters, digits and dashes; with the longest name of a deployment and of a region, 64 characters hold 22 of it. */
export const nameOfAccount = (scope: Construct, deployment: string, what: string): string =>
  `${deployment}-${what}-${Stack.of(scope).region}`;
