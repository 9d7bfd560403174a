/**
 * Names that must be unique in an account across all regions: they contain the deployment and its region, as role names
 * do [cloud.name].
 */
import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/**
 * @param what letters, digits and dashes. With the longest deployment and region names, 22 of the 64 characters are
 * left for it.
 */
export const nameOfAccount = (scope: Construct, deployment: string, what: string): string =>
  `${deployment}-${what}-${Stack.of(scope).region}`;
